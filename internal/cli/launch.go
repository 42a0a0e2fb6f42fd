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
	"sync/atomic"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
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
	number, who, _ := strings.Cut(a.Getenv(readyEnv), " ")
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
	r.send(news{Exit: &code, Error: r.app.Secrets.String(words.String())})
	r.file.Close()
}

// launch starts a session as a process of its own and shows it, or with --detach says
// where it is.
func (a *App) launch(ctx context.Context, args []string, opt runOptions) error {
	calls := hearInterrupts() // before there is a process that one could be meant for
	defer calls.stop()
	lines, log, pid, err := a.spawn(args, !opt.Detach)
	if err != nil {
		return err
	}
	defer lines.Close()
	calls.passOn(pid)
	l := launched{app: a, lines: lines, log: log, interrupted: calls.heard.Load}
	if !opt.Detach {
		l.watch = a.watch
	}
	return l.hear(ctx)
}

// launched is a session's own process, for who has started it.
type launched struct {
	app   *App
	lines *os.File // what it tells
	log   string
	// watch shows a session; nil: it is only said that it runs.
	watch       func(ctx context.Context, session string, past int64) (left bool, err error)
	interrupted func() bool // ctrl-c was passed on to it
}

// lastWord is how long a process whose session is over may take to end: it lets go of the workspace, and
// whoever comes next is not to find it held. One that broke says why.
const lastWord = 20 * time.Second

// hear takes what the process tells, and shows its sessions, until it ends or the person leaves.
func (l launched) hear(ctx context.Context) error {
	var over error // what is left to say about a session whose process is about to end
	scanner := bufio.NewScanner(l.lines)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var n news
		if err := json.Unmarshal(scanner.Bytes(), &n); err != nil {
			return fmt.Errorf("the session's process said something else than expected: %w", err)
		}
		switch {
		case n.Text != "":
			fmt.Fprintln(l.app.Stdout, n.Text)
		case n.Session != "":
			left, err := l.session(ctx, n)
			if left || err != nil && !ends(err) {
				return err
			}
			if over = err; over != nil {
				_ = l.lines.SetReadDeadline(time.Now().Add(lastWord)) // where it cannot be set the end of the process comes
			}
		case n.Exit != nil:
			return l.ended(n, over)
		}
	}
	switch err := scanner.Err(); {
	case over != nil:
		return over
	case err != nil && !errors.Is(err, os.ErrClosed):
		return err
	case l.interrupted():
		return context.Canceled // before it heard signals, or at once: it had no more words
	}
	return fmt.Errorf("the session's process ended without a word; its log is %s, and `mulligan resume` goes on", l.log)
}

// session shows one that the process runs. left: the person went, and it goes on.
func (l launched) session(ctx context.Context, n news) (left bool, err error) {
	if l.watch == nil {
		fmt.Fprintf(l.app.Stdout, "session %s runs on its own; `mulligan attach` watches it, `mulligan stop` ends it\n", n.Session)
		return true, nil
	}
	if left, err = l.watch(ctx, n.Session, n.Past); left && err == nil {
		fmt.Fprintf(l.app.Stdout, "session %s goes on; `mulligan attach` comes back to it\n", n.Session)
	}
	return left, err
}

// ends says whether a viewer ended because the session did.
func ends(err error) bool {
	var code usererror.Exit
	return errors.As(err, &code) || errors.Is(err, errGone)
}

// ended is the end of the process. What it says about itself is more than a viewer knows.
func (l launched) ended(n news, over error) error {
	fmt.Fprint(l.app.Stderr, n.Error)
	switch {
	case *n.Exit != mulligan.ExitOK:
		return usererror.Exit(*n.Exit)
	case over != nil:
		return over
	}
	return nil
}

// spawn starts this program again, apart from this terminal.
func (a *App) spawn(args []string, shown bool) (lines *os.File, log string, pid int, err error) {
	state, err := a.StateDir()
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
	if a.Engine != "" {
		env = process.Set(env, environ.EngineVariable+"="+a.Engine)
	}
	if pid, err = process.Detach(args, env, a.Dir, out, w); err != nil {
		r.Close()
		return nil, "", 0, err
	}
	return r, log, pid, nil
}

// interrupts are those that this process hears for the session's: ctrl-c is a signal as long as there is
// no screen that takes the key.
type interrupts struct {
	signals chan os.Signal
	done    chan struct{}
	heard   atomic.Bool
}

func hearInterrupts() *interrupts {
	i := &interrupts{signals: make(chan os.Signal, 2), done: make(chan struct{})}
	signal.Notify(i.signals, os.Interrupt)
	return i
}

// passOn gives them to the session's process, those too that came before it was there.
func (i *interrupts) passOn(pid int) {
	go func() {
		for {
			select {
			case sig := <-i.signals:
				i.heard.Store(true)
				if p, err := os.FindProcess(pid); err == nil {
					p.Signal(sig) // one that has ended needs none
				}
			case <-i.done:
				return
			}
		}
	}()
}

func (i *interrupts) stop() {
	signal.Stop(i.signals)
	close(i.done)
}

func without(variables []string, name string) []string {
	var kept []string
	for _, kv := range variables {
		if len(kv) <= len(name) || kv[:len(name)+1] != name+"=" {
			kept = append(kept, kv)
		}
	}
	return kept
}
