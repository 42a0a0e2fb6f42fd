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
)

func newLog(a *App) *cobra.Command {
	var follow, asJSON bool
	cmd := &cobra.Command{
		Use:   "log [SESSION]",
		Short: "Print what happened in a session",
		Long: `Log prints a session's events as lines, from the first on: attempts, checks and their evidence,
hooks, waits, commits, the outcome. What agents and checks printed is in files of its own; the
lines say where. docs/json.md describes the shape of --json.

` + sessionWords,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.readsOwnSession() {
				return a.printOwnLog(cmd.Context(), firstArg(args), asJSON)
			}
			if !follow {
				return a.printLog(cmd.Context(), firstArg(args), asJSON)
			}
			s, err := a.client().Find(cmd.Context(), firstArg(args), nil)
			if err == nil {
				_, err = a.followLog(cmd.Context(), s.ID, a.newFollowingView, asJSON)
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what happens, until the session ends")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print events as JSON lines")
	return cmd
}

// printLog prints the events that the journal has of a session.
func (a *App) printLog(ctx context.Context, given string, asJSON bool) error {
	store, s, err := a.client().OpenRecord(ctx, given)
	if err != nil {
		return err
	}
	defer store.Close()
	return showEach(store.Read(ctx, s.ID, 1), a.newView(asJSON).Event)
}

// printOwnLog is printLog below a check or hook, for its own session.
func (a *App) printOwnLog(ctx context.Context, given string, asJSON bool) error {
	_, events, err := a.readOwnSession(ctx, given)
	if err != nil {
		return err
	}
	return showEach(eachEvent(events), a.newView(asJSON).Event)
}

// followLog shows events until the session ends, or the person interrupts it. It returns the session's
// outcome, or nil if it has none.
func (a *App) followLog(ctx context.Context, id string, newView func(asJSON bool) (runner.EventView, func()), asJSON bool) (*mulligan.Outcome, error) {
	ctx, stop := a.untilInterrupted(ctx)
	defer stop()
	view, closeView := newView(asJSON)
	defer closeView()
	f := a.client().Follow(id)
	f.Present = !asJSON && environ.IsTerminal(a.Screen)
	var outcome *mulligan.Outcome
	err := showEach(f.Events(ctx, 1), func(e mulligan.Event) {
		switch b := e.Body.(type) {
		case mulligan.SessionEnded:
			outcome = &b.Outcome
		case mulligan.SessionResumed:
			outcome = nil
		}
		view.Event(e)
	})
	switch {
	case ctx.Err() != nil:
		return nil, usererror.Exit(mulligan.ExitInterrupted)
	case errors.Is(err, client.ErrGone):
		err = f.GoneError()
	}
	return outcome, err
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

// showEach calls show with each event until their end, or the first error.
func showEach(events iter.Seq2[mulligan.Event, error], show func(mulligan.Event)) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		show(e)
	}
	return nil
}
