// Package runner runs sessions in this process: it begins or resumes them, hands them what they
// need of the world, answers what agents and people ask of them, and prints them.
package runner

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"mulligan"
	"mulligan/history/past"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/protocol"
	"mulligan/journal/jetstream"
	"mulligan/loop"
	"mulligan/notify"
	"mulligan/telemetry"
	"mulligan/view"
)

// Options are what a command says about how to run sessions.
type Options struct {
	From    string // resume the task's session from this step; "" for where it stands
	Restart bool   // begin a new session, whatever became of the last
	Carry   bool   // take uncommitted work along
	// YesRollback is a person's yes, given beforehand, to every rollback that is recommended.
	YesRollback bool
	JSON        bool   // standard output is for programs
	Listen      string // the address at which other programs hear the events; "" for none
}

// Config is what a Runner is made of.
type Config struct {
	Env     *environ.Env
	Root    string // the repository
	Options Options
	// NewView returns the view that a session is printed by. closeView is called after its last event.
	NewView func() (view EventView, closeView func())
	// Notify returns how the person of a plan's session is notified; nil: nobody is.
	Notify func(p *mulligan.Plan) (notify.Settings, error)
	// Report writes the words of an error and returns its exit code.
	Report func(w io.Writer, err error) int
}

// A Runner is a process that runs sessions: the journal is open, and signals are heard.
type Runner struct {
	Config
	journal  guardedJournal
	pool     *process.Pool // nil until a workspace is open
	folders  environ.Folders
	book     *past.Book // of past sessions
	launcher Launcher
	// telemetry sends what the sessions do to a collector; nil if nobody wants that.
	telemetry *telemetry.Telemetry
	remake    func(old *mulligan.Plan) (*mulligan.Plan, error) // makes a resumed session's plan again; or nil
	carried   bool                                             // the uncommitted work was taken along
}

// With calls f with a Runner. The first interrupt ends f's context, and f ends its session in order;
// the second ends the process at once.
func With(ctx context.Context, c Config, f func(context.Context, *Runner) error) error {
	folders, err := c.Env.Folders()
	if err != nil {
		return err
	}
	store, err := c.Env.OpenJournal(ctx, jetstream.Session)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := c.Env.RecordEngine(c.Root); err != nil {
		return err
	}
	r := &Runner{Config: c, folders: folders}
	r.book = past.New(folders.History(), r.warn)
	if r.journal, err = guardJournal(store, folders.State, r.warn); err != nil {
		return err
	}
	r.launcher = OpenLauncher(c.Env, c.Report)
	ctx, stop := r.handleSignals(ctx)
	defer stop()
	defer r.sealInBackground(ctx)()
	defer r.catchUpInBackground(ctx)()
	r.telemetry = telemetry.Open(r.Env.Environ, environ.Version, r.warn)
	defer r.telemetry.Close()
	r.resendNotices(ctx)
	err = r.publishEvents(func() error { return f(ctx, r) })
	if err != nil { // whatever failed first, where the state is gone that is why
		err = cmp.Or(r.journal.checkState(), err)
	}
	r.launcher.SendExit(err)
	return err
}

// handleSignals turns the first signal into the end of the returned context, and the second into the
// end of the process. stop must be called when the sessions are over.
func (r *Runner) handleSignals(ctx context.Context) (handled context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 4)
	heard := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) && !r.launcher.isOpen() {
		heard = append(heard, syscall.SIGHUP)
	}
	signal.Notify(signals, heard...)
	// The reader of our output may go; the session stays. SIGPIPE is caught and dropped rather
	// than ignored: children would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			select {
			case sig := <-signals:
				if !first {
					r.abandon()
				}
				fmt.Fprintln(r.Env.Stderr, "mulligan: stopping; once more stops at once")
				cancel(&loop.Interruption{By: signalName(sig)})
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// abandon ends the process without waiting for anything. The journal has all that happened, so the
// session resumes as after a crash.
func (r *Runner) abandon() {
	if r.pool != nil {
		r.pool.KillAll()
	}
	os.Exit(mulligan.ExitInterrupted)
}

// signalName returns the name of a signal that ends sessions.
func signalName(sig os.Signal) string {
	switch sig {
	case os.Interrupt:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	}
	return "SIGHUP"
}

// say prints a line for people, and has the launcher show it.
func (r *Runner) say(format string, args ...any) {
	text := view.Text(fmt.Sprintf(format, args...))
	fmt.Fprintln(r.messages(), text)
	r.launcher.send(protocol.News{Text: text})
}

// messages returns where lines for people go: standard error if standard output is for programs.
func (r *Runner) messages() io.Writer {
	if r.Options.JSON {
		return r.Env.Stderr
	}
	return r.Env.Stdout
}

// warn prints a warning to standard error.
func (r *Runner) warn(text string) { fmt.Fprintf(r.Env.Stderr, "mulligan: %s\n", view.Text(text)) }
