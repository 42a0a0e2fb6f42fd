package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/process"
)

// readyEnv names the descriptor that a session's own process tells its launcher on; "3 watched" says
// that the launcher will show the session to a person.
const (
	readyEnv = "MULLIGAN_READY_FD"
	watched  = "watched"
)

// news is a line that a session's own process sends to whoever launched it.
type news struct {
	Session string `json:"session,omitempty"` // a session has begun, or goes on
	Past    int64  `json:"past,omitempty"`    // the number of its last event before that
	Text    string `json:"text,omitempty"`    // something to show
	Exit    *int   `json:"exit,omitempty"`    // the process is about to end
	Error   string `json:"error,omitempty"`
}

// ready is the session's end of that line; without a launcher it does nothing.
type ready struct {
	file *os.File
	app  *App

	watched bool // the launcher shows the session to a person
}

func openReady(a *App) ready {
	number, who, _ := strings.Cut(a.env(readyEnv), " ")
	fd, err := strconv.Atoi(number)
	if err != nil {
		return ready{}
	}
	a.Environ = without(a.Environ, readyEnv)
	return ready{file: os.NewFile(uintptr(fd), "ready"), app: a, watched: who == watched}
}

func (r ready) send(n news) {
	if r.file == nil {
		return
	}
	line, _ := json.Marshal(n)
	r.file.Write(append(line, '\n')) // a launcher that has gone does not matter
}

func (r ready) session(id string, past int64) { r.send(news{Session: id, Past: past}) }
func (r ready) text(text string)              { r.send(news{Text: text}) }

func (r ready) exit(err error) {
	if r.file == nil {
		return
	}
	var words strings.Builder
	code := report(&words, err, false)
	r.send(news{Exit: &code, Error: r.app.secrets.String(words.String())})
	r.file.Close()
}

// launch starts a session as a process of its own and shows it, or with --detach says
// where it is.
func (a *App) launch(ctx context.Context, args []string, opt runOptions) error {
	lines, log, pid, err := a.spawn(args, !opt.Detach)
	if err != nil {
		return err
	}
	defer lines.Close()
	defer passOn(pid)()
	code := mulligan.ExitInternal
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var n news
		if err := json.Unmarshal(scanner.Bytes(), &n); err != nil {
			return fmt.Errorf("the session's process said something else than expected: %w", err)
		}
		switch {
		case n.Text != "":
			fmt.Fprintln(a.Stdout, n.Text)
		case n.Session != "" && opt.Detach:
			fmt.Fprintf(a.Stdout, "session %s runs on its own; `mulligan attach` watches it, `mulligan stop` ends it\n", n.Session)
			return nil
		case n.Session != "":
			left, err := a.watch(ctx, n.Session, n.Past)
			if err != nil {
				return err
			}
			if left {
				fmt.Fprintf(a.Stdout, "session %s goes on; `mulligan attach` comes back to it\n", n.Session)
				return nil
			}
		case n.Exit != nil:
			fmt.Fprint(a.Stderr, n.Error)
			code = *n.Exit
			if code == mulligan.ExitOK {
				return nil
			}
			return exit(code)
		}
	}
	if err := scanner.Err(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return fmt.Errorf("the session's process ended without a word; its log is %s, and `mulligan resume` goes on", log)
}

// spawn starts this program again, apart from this terminal.
func (a *App) spawn(args []string, shown bool) (lines *os.File, log string, pid int, err error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, "", 0, err
	}
	log = filepath.Join(state, "logs", fmt.Sprintf("%s-%d.log", time.Now().UTC().Format("20060102-150405"), os.Getpid()))
	if err := mkdirFor(log); err != nil {
		return nil, "", 0, err
	}
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, "", 0, err
	}
	defer out.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, "", 0, err
	}
	defer w.Close()
	fd := readyEnv + "=3"
	if shown {
		fd += " " + watched
	}
	env := process.Set(a.Environ, fd)
	if a.engine != "" {
		env = process.Set(env, engineEnv+"="+a.engine)
	}
	if pid, err = process.Detach(args, env, a.Dir, out, w); err != nil {
		r.Close()
		return nil, "", 0, err
	}
	return r, log, pid, nil
}

// passOn gives an interruption of this process to the session's: ctrl-c is a signal as long
// as there is no screen that takes the key.
func passOn(pid int) (stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case sig := <-signals:
				if p, err := os.FindProcess(pid); err == nil {
					p.Signal(sig) // one that has ended needs none
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

func without(environ []string, name string) []string {
	var kept []string
	for _, kv := range environ {
		if len(kv) <= len(name) || kv[:len(name)+1] != name+"=" {
			kept = append(kept, kv)
		}
	}
	return kept
}
