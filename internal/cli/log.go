package cli

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/client"
	"mulligan/internal/environ"
	"mulligan/internal/runner"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// logOptions are the flags of `log`.
type logOptions struct {
	Follow bool
	JSON   bool
}

func newLog(a *App) *cobra.Command {
	var opt logOptions
	cmd := &cobra.Command{
		Use:   "log [SESSION]",
		Short: "Print what happened in a session",
		Long: `Log prints a session's events as lines, from the first on: attempts, checks and their evidence,
hooks, waits, commits, the outcome. What agents and checks printed is in files of its own; the
lines say where. docs/json.md describes the shape of --json.

` + sessionWords,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.client().Find(cmd.Context(), firstArg(args), nil)
			if err != nil {
				return err
			}
			_, err = a.printLog(cmd.Context(), s, opt)
			return err
		},
	}
	cmd.Flags().BoolVarP(&opt.Follow, "follow", "f", false, "go on with what happens, until the session ends")
	cmd.Flags().BoolVar(&opt.JSON, "json", false, "print events as JSON lines")
	return cmd
}

// printLog prints a session's events and returns its outcome, or nil if it has none.
func (a *App) printLog(ctx context.Context, s mulligan.Summary, opt logOptions) (*mulligan.Outcome, error) {
	if opt.Follow {
		return a.followLog(ctx, s, opt)
	}
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	view := &lastOutcome{EventView: a.newView(opt.JSON)}
	err = showEach(store.Read(ctx, s.ID, 1), view)
	return view.outcome, err
}

// followLog prints events until the session ends, or the person interrupts it.
func (a *App) followLog(ctx context.Context, s mulligan.Summary, opt logOptions) (*mulligan.Outcome, error) {
	ctx, stop := a.untilInterrupted(ctx)
	defer stop()
	following, closeView := a.newFollowingView(opt.JSON)
	defer closeView()
	view := &lastOutcome{EventView: following}
	f := a.client().Follow(s.ID)
	f.Present = !opt.JSON && environ.IsTerminal(a.Screen)
	err := showEach(f.Events(ctx, 1), view)
	switch {
	case ctx.Err() != nil:
		return nil, usererror.Exit(mulligan.ExitInterrupted)
	case errors.Is(err, client.ErrGone):
		err = f.GoneError()
	}
	return view.outcome, err
}

// untilInterrupted returns a context that ends with the first ctrl-c on a terminal, which is then left
// clean. The second ends the process.
func (a *App) untilInterrupted(ctx context.Context) (context.Context, func()) {
	if !environ.IsTerminal(a.Screen) {
		return ctx, func() {}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// lastOutcome remembers how the session ended, if it did.
type lastOutcome struct {
	runner.EventView
	outcome *mulligan.Outcome
}

func (l *lastOutcome) Event(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.SessionEnded:
		l.outcome = &b.Outcome
	case mulligan.SessionResumed:
		l.outcome = nil
	}
	l.EventView.Event(e)
}

// showEach shows events until their end, or the first error.
func showEach(events iter.Seq2[mulligan.Event, error], view runner.EventView) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		view.Event(e)
	}
	return nil
}
