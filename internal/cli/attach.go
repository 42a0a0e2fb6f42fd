package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/client"
	"mulligan/internal/usererror"
	"mulligan/view"
	"mulligan/view/plain"
	"mulligan/view/tui"
)

func newAttach(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "attach [SESSION]",
		Short: "Watch a session that runs, from any terminal",
		Long: `Attach shows a session until it ends: a live screen on a terminal, lines elsewhere.
In the middle of a turn it begins with what the agent has printed. Without an id it is this
repository's newest. q leaves it running; Ctrl-C stops it, p pauses it.
A question of the agent's is shown and can be answered there. The exit code is the
session's.

` + exitTable,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.client().Find(cmd.Context(), firstArg(args), nil)
			if err != nil {
				return err
			}
			if a.Interactive() {
				_, state, err := a.readState(cmd.Context(), s.ID)
				if err != nil {
					return err
				}
				_, err = a.watchTurn(cmd.Context(), s.ID, 0, state.Last, state.InFlight)
				return err
			}
			view, closeView := a.newWorkingView(false)
			defer closeView()
			outcome, err := a.followLog(cmd.Context(), s.ID, view, false)
			if err == nil && outcome != nil && !outcome.Good() {
				err = usererror.Exit(outcome.ExitCode())
			}
			return err
		},
	}
}

// firstArg returns the first argument, or "" if there is none.
func firstArg(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// watchSession shows a session on the terminal until it ends or the person leaves it: then left is
// true. past is the number of the last event before its process took over.
func (a *App) watchSession(ctx context.Context, id string, past int64) (left bool, err error) {
	return a.watchTurn(ctx, id, past, past, nil)
}

// watchTurn is watchSession in the middle of a turn, whose output so far is shown first. turn is nil if none
// has begun. No bell rings for the events up to seen.
func (a *App) watchTurn(ctx context.Context, id string, past, seen int64, turn *mulligan.TurnStarted) (left bool, err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	f := a.client().Follow(id)
	f.Live, f.Present, f.Past, f.Begun, f.Seen = make(chan []byte), true, past, turn, seen
	var atOnce atomic.Bool
	asked := &questionOptions{of: map[int][]string{}, ringer: a.newRinger(seen)}
	result, err := tui.Run(ctx, a.Stdin, a.Screen, tui.Feed{
		Events: asked.record(f.Events(ctx, 1)), Past: past, Live: f.Live,
		Touched: func(c view.Change) *mulligan.Touched {
			touched, err := a.compareTrees(ctx, c)
			if err != nil {
				return nil // the outcome says it
			}
			return touched
		},
	}, tui.Actions{
		Stop: func(now bool) error {
			atOnce.Store(now)
			return a.client().Stop(context.WithoutCancel(ctx), id, now)
		},
		Pause: func() error { return a.client().Pause(context.WithoutCancel(ctx), id) },
		Tell:  func(text string) error { return a.client().Tell(context.WithoutCancel(ctx), id, text) },
		Decide: func(item string, approve bool) error {
			return a.client().Decide(context.WithoutCancel(ctx), id, item, approve)
		},
		Answer: func(question int, text string) error {
			return a.client().Answer(context.WithoutCancel(ctx), id, question, asked.findOriginal(question, text))
		},
	}, tui.Options{Color: a.Color()})
	if err == nil {
		plain.Outcome(a.Stdout, result.Snapshot, plain.Options{Color: a.Color(), Width: a.Width()})
	}
	switch {
	case errors.Is(err, client.ErrGone) && atOnce.Load():
		return false, &usererror.Error{
			Code: mulligan.ExitInterrupted, Words: fmt.Sprintf("session %s was stopped at once", id), Hint: "`mulligan resume` goes on with it",
			Cause: client.ErrGone,
		}
	case errors.Is(err, client.ErrGone):
		return false, f.GoneError()
	case err != nil:
		return false, err
	case ctx.Err() != nil, result.Detached:
		return true, nil
	case result.Outcome != nil && !result.Outcome.Good():
		return false, usererror.Exit(result.Outcome.ExitCode())
	}
	return false, nil
}

// questionOptions are the answers that questions offer, as the session knows them: what a screen shows
// of one has been made fit for a terminal. It is safe for concurrent use.
type questionOptions struct {
	mu     sync.Mutex
	of     map[int][]string
	ringer *ringer
}

// record passes events on, remembers the options of the questions among them, and rings for notices.
func (o *questionOptions) record(events iter.Seq2[mulligan.Event, error]) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		for e, err := range events {
			if b, ok := e.Body.(mulligan.Asked); ok {
				o.mu.Lock()
				o.of[b.Question.ID] = b.Question.Options
				o.mu.Unlock()
			}
			if err == nil {
				o.ringer.hear(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// findOriginal returns the option that was shown as this text, or the text itself if there is none.
func (o *questionOptions) findOriginal(question int, text string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, option := range o.of[question] {
		if view.Line(option) == text {
			return option
		}
	}
	return text
}
