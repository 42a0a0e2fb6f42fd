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
	var follow, asJSON, output bool
	cmd := &cobra.Command{
		Use:   "log [SESSION]",
		Short: "Print what happened in a session",
		Long: `Log prints a session's events as lines, from the first on: attempts, checks and their evidence,
hooks, waits, commits, the outcome. What agents, checks and hooks printed is in files of their own;
--output names each of them and prints its first and last lines, and ` + "`mulligan show`" + ` prints what
the agent said and did. docs/json.md describes the shape of --json.

` + sessionWords,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.readsOwnSession() {
				return a.printOwnLog(cmd.Context(), firstArg(args), asJSON, output)
			}
			if !follow {
				return a.printLog(cmd.Context(), firstArg(args), asJSON, output)
			}
			s, err := a.client().Find(cmd.Context(), firstArg(args), nil)
			if err != nil {
				return err
			}
			view, closeView := a.newFollowingView(asJSON)
			defer closeView()
			if output {
				if view, err = a.withOutput(s.ID, view); err != nil {
					return err
				}
			}
			_, err = a.followLog(cmd.Context(), s.ID, view, asJSON)
			return err
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what happens, until the session ends")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print events as JSON lines")
	cmd.Flags().BoolVar(&output, "output", false, "print what agents, checks and hooks printed as well")
	cmd.MarkFlagsMutuallyExclusive("json", "output")
	return cmd
}

// printLog prints the events that the journal has of a session.
func (a *App) printLog(ctx context.Context, given string, asJSON, output bool) error {
	store, s, err := a.client().OpenRecord(ctx, given)
	if err != nil {
		return err
	}
	defer store.Close()
	view, err := a.newLogView(s.ID, asJSON, output)
	if err != nil {
		return err
	}
	return showEach(store.Read(ctx, s.ID, 1), view.Event)
}

// printOwnLog is printLog below a check or hook, for its own session.
func (a *App) printOwnLog(ctx context.Context, given string, asJSON, output bool) error {
	s, events, err := a.readOwnSession(ctx, given)
	if err != nil {
		return err
	}
	view, err := a.newLogView(s.ID, asJSON, output)
	if err != nil {
		return err
	}
	return showEach(eachEvent(events), view.Event)
}

// newLogView returns the view of a log that is printed as it is.
func (a *App) newLogView(id string, asJSON, output bool) (runner.EventView, error) {
	view := a.newView(asJSON)
	if !output {
		return view, nil
	}
	return a.withOutput(id, view)
}

// followLog shows events until the session ends, or the person interrupts it. It returns the session's
// outcome, or nil if it has none.
func (a *App) followLog(ctx context.Context, id string, view runner.EventView, asJSON bool) (*mulligan.Outcome, error) {
	ctx, stop := a.untilInterrupted(ctx)
	defer stop()
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
