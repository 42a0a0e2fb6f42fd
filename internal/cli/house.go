package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/journal/jetstream"
	"mulligan/view"
)

// A house is a process that runs sessions: the journal is open, keepers are warm, signals
// are heard.
type house struct {
	app     *App
	opt     runOptions
	root    string
	store   heldJournal
	pool    *process.Pool
	folders environ.Folders
	ready   ready
	place   *mulligan.Place // where the last task of a folder worked: the next goes on there
}

// hold runs f in a house. An interruption once ends f's context, and f ends its session in
// order; twice ends everything at once.
func (a *App) hold(ctx context.Context, root string, opt runOptions, f func(context.Context, *house) error) error {
	state, err := a.StateDir()
	if err != nil {
		return err
	}
	store, err := a.OpenJournal(ctx, jetstream.Session)
	if err != nil {
		return err
	}
	defer store.Close()
	h := &house{app: a, opt: opt, root: root, folders: environ.Folders{State: state}}
	if h.store, err = holdJournal(store, state, h.warn); err != nil {
		return err
	}
	h.ready = openReady(a)
	ctx, stop := h.listen(ctx)
	defer stop()
	defer h.tidy(ctx)()
	err = h.heard(ctx, f)
	h.ready.exit(err)
	return err
}

// listen turns signals into the end of a context, and a second one into the end of the process.
func (h *house) listen(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 4)
	heard := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) && h.ready.file == nil {
		heard = append(heard, syscall.SIGHUP)
	}
	signal.Notify(signals, heard...)
	// Whoever read our output may go; the session stays. Heard and dropped rather than
	// ignored: children would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			select {
			case sig := <-signals:
				if !first {
					h.abandon()
				}
				fmt.Fprintln(h.app.Stderr, "mulligan: stopping; once more stops at once")
				cancel(&mulligan.Interruption{By: signalName(sig)})
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

// abandon ends the process without waiting for anything. The journal has all that
// happened, so the session resumes as after a crash.
func (h *house) abandon() {
	if h.pool != nil {
		h.pool.KillAll()
	}
	os.Exit(mulligan.ExitInterrupted)
}

func signalName(sig os.Signal) string {
	switch sig {
	case os.Interrupt:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return sig.String()
}

// keepers starts the pool that children run under. Keepers hold the workspace's lock
// open, so that after a crash nobody enters before the last child is gone.
func (h *house) keepers(lock *os.File) *process.Pool {
	h.pool = process.NewPool(process.PoolOptions{Inherit: []*os.File{lock}})
	h.pool.Warm()
	return h.pool
}

// say writes a line for people, unless the output is for programs.
func (h *house) say(format string, args ...any) {
	var w io.Writer = h.app.Stdout
	if h.opt.JSON {
		w = h.app.Stderr
	}
	text := view.Text(fmt.Sprintf(format, args...))
	fmt.Fprintln(w, text)
	h.ready.text(text)
}

func mkdirFor(path string) error { return os.MkdirAll(filepath.Dir(path), 0o700) }
