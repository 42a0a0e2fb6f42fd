package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
)

// A WatchFunc shows a session until it ends or the person leaves it: then left is true, and the
// session continues. past is the number of the last event before its process took over.
type WatchFunc func(ctx context.Context, session string, past int64) (left bool, err error)

// Launch runs a command line as a process of its own and shows its sessions with watch. With watch
// nil it returns as soon as the first of them runs.
func (c Client) Launch(ctx context.Context, args []string, watch WatchFunc) error {
	interrupts := hearInterrupts() // before there is a process that one could be meant for
	defer interrupts.stop()
	news, log, pid, err := c.startProcess(args, watch != nil)
	if err != nil {
		return err
	}
	defer news.Close()
	interrupts.passOn(pid)
	l := launched{env: c.env, news: news, log: log, interrupted: interrupts.heard.Load, watch: watch}
	return l.followNews(ctx)
}

// launched is a session's own process, as its launcher sees it.
type launched struct {
	env         *environ.Env
	news        *os.File // protocol.News, a line each
	log         string
	watch       WatchFunc   // nil: the person is only told that the session runs
	interrupted func() bool // ctrl-c was passed on to it
}

// exitPatience is how long a process whose session is over may take to end: it lets go of the
// workspace, and the next command must not find that held. A process that broke says why.
const exitPatience = 20 * time.Second

// followNews reads what the process tells, and shows its sessions, until it ends or the person leaves.
func (l launched) followNews(ctx context.Context) error {
	var over error // what is left to say about a session whose process is about to end
	scanner := bufio.NewScanner(l.news)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var n protocol.News
		if err := json.Unmarshal(scanner.Bytes(), &n); err != nil {
			return fmt.Errorf("the session's process said something else than expected: %w", err)
		}
		switch {
		case n.Text != "":
			fmt.Fprintln(l.env.Stdout, n.Text)
		case n.Session != "":
			left, err := l.showSession(ctx, n)
			if left || err != nil && !isSessionEnd(err) {
				return err
			}
			if over = err; over != nil {
				_ = l.news.SetReadDeadline(time.Now().Add(exitPatience)) // where it cannot be set the end of the process comes
			}
		case n.Exit != nil:
			fmt.Fprint(l.env.Stderr, n.Error) // its words say more than a viewer knows
			if *n.Exit != mulligan.ExitOK {
				return usererror.Exit(*n.Exit)
			}
			return over
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

// showSession shows a session that the process runs. left means that the person left it running.
func (l launched) showSession(ctx context.Context, n protocol.News) (left bool, err error) {
	if l.watch == nil {
		fmt.Fprintf(l.env.Stdout, "session %s runs on its own; `mulligan attach` watches it, `mulligan stop` ends it\n", n.Session)
		return true, nil
	}
	if left, err = l.watch(ctx, n.Session, n.Past); left && err == nil {
		fmt.Fprintf(l.env.Stdout, "session %s goes on; `mulligan attach` comes back to it\n", n.Session)
	}
	return left, err
}

// isSessionEnd reports whether a viewer ended because the session did.
func isSessionEnd(err error) bool {
	var code usererror.Exit
	return errors.As(err, &code) || errors.Is(err, ErrGone)
}

// startProcess starts this program again, apart from this terminal. watched is whether its sessions
// are shown to a person. The caller closes news.
func (c Client) startProcess(args []string, watched bool) (news *os.File, log string, pid int, err error) {
	folders, err := c.env.Folders()
	if err != nil {
		return nil, "", 0, err
	}
	log = filepath.Join(folders.Logs(), fmt.Sprintf("%s-%d.log", time.Now().UTC().Format("20060102-150405"), os.Getpid()))
	if err := os.MkdirAll(folders.Logs(), 0o700); err != nil {
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
	launcher := protocol.LauncherVariable + "=3"
	if watched {
		launcher += " " + protocol.LauncherWatches
	}
	env := process.Set(c.env.Environ, launcher)
	if c.env.Engine != "" {
		env = process.Set(env, environ.EngineVariable+"="+c.env.Engine)
	}
	if pid, err = process.Detach(args, env, c.env.Dir, out, w); err != nil {
		r.Close()
		return nil, "", 0, err
	}
	return r, log, pid, nil
}
