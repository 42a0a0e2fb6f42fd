package main

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan/internal/process/processtest"
)

// A terminal is a pseudo-terminal that a script's programs run on, seen from its other
// side: what a person would see and type.
type terminal struct {
	master *os.File

	mu    sync.Mutex
	seen  strings.Builder
	shown int // how much of its words was matched already
}

type terminalKey struct{}

// terminalSetup gives a script the place where its newest terminal is kept.
func terminalSetup(env *testscript.Env) { env.Values[terminalKey{}] = new(*terminal) }

func theTerminal(ts *testscript.TestScript) *terminal {
	term := *ts.Value(terminalKey{}).(**terminal)
	if term == nil {
		ts.Fatalf("there is no terminal: begin with `terminal`")
	}
	return term
}

// terminalCommands are those of scripts that need a terminal.
func terminalCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"terminal": openTerminal,
		"type":     typeKeys,
		"shows":    shows,
		"hangup":   hangup,
		"resize":   resize,
	}
}

// openTerminal: `terminal [COLSxROWS]` makes a new terminal, whose name is then in $TTY, for ontty.
func openTerminal(ts *testscript.TestScript, neg bool, args []string) {
	size := "80x24"
	if len(args) > 0 {
		size = args[0]
	}
	master, name, err := processtest.NewTerminal(size)
	ts.Check(err)
	term := &terminal{master: master}
	*ts.Value(terminalKey{}).(**terminal) = term
	ts.Setenv("TTY", name)
	ts.Defer(func() { term.master.Close() })
	go term.read()
}

// read takes what programs write. Until the first of them has the terminal open, and
// between two, there is nobody to read from.
func (t *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := t.master.Read(buf)
		t.mu.Lock()
		t.seen.Write(buf[:n])
		if bytes.Contains(buf[:n], []byte(farewellEnd)) {
			acknowledge(t.seen.String())
		}
		t.mu.Unlock()
		if err == nil {
			continue
		}
		if !errors.Is(err, syscall.EIO) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// typeKeys: `type TEXT` types; TEXT may have escapes: '\x03' is ctrl-c.
func typeKeys(ts *testscript.TestScript, neg bool, args []string) {
	keys, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	_, err = theTerminal(ts).master.WriteString(keys)
	ts.Check(err)
}

var (
	tones   = regexp.MustCompile("\x1b\\[[0-9;:]*m")
	screens = regexp.MustCompile("\x1b\\[\\?1049([hl])")
	others  = regexp.MustCompile("\x1b(\\[[0-9;:?<=>$ ]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[()][0-9A-Za-z]|[=>78cM])|\r")
)

// words takes the escape sequences out: what moves the cursor ends a line, and the screen's
// beginning and end are lines of their own.
func words(raw string) string {
	raw = screens.ReplaceAllString(tones.ReplaceAllString(raw, ""), "\n(screen $1)\n")
	return others.ReplaceAllString(raw, "\n")
}

// shows: `shows PATTERN` waits until what was written to the terminal after the last match
// matches, escape sequences taken out; `! shows` says that so far nothing does. A pattern
// with an escape in it is for all that was written, as it was written.
func shows(ts *testscript.TestScript, neg bool, args []string) {
	t, pattern := theTerminal(ts), regexp.MustCompile("(?m)"+args[0])
	look := func() (string, bool) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if strings.Contains(args[0], `\x1b`) {
			return t.seen.String(), pattern.MatchString(t.seen.String())
		}
		rest := words(t.seen.String())[t.shown:]
		at := pattern.FindStringIndex(rest)
		if at != nil && !neg {
			t.shown += at[1]
		}
		return rest, at != nil
	}
	rest, found := look()
	for deadline := time.Now().Add(processtest.HangGuard); !neg && !found && time.Now().Before(deadline); rest, found = look() {
		time.Sleep(10 * time.Millisecond)
	}
	if found == neg {
		ts.Fatalf("the terminal shows %s: %v; it had:\n%s", pattern, found, rest)
	}
}

// hangup closes the terminal, as closing its window does.
func hangup(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(theTerminal(ts).master.Close())
	*ts.Value(terminalKey{}).(**terminal) = nil
}

// resize: `resize COLSxROWS` changes the terminal's size.
func resize(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(processtest.Resize(theTerminal(ts).master, args[0]))
}

// TestWords is for the scripts' own sake: a pattern must not match inside an escape.
func TestWords(t *testing.T) {
	got := words("\x1b[?1049h\x1b[1;31mred\x1b[m\x1b]0;title\x07end\x1b[2;3Hthere")
	if want := "\n(screen h)\nred\nend\nthere"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
