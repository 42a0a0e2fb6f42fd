package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

func newStop(a *App) *cobra.Command {
	var now bool
	cmd := &cobra.Command{
		Use:   "stop [SESSION]",
		Short: "Stop a running session; it can be resumed",
		Long: `Stop ends the running turn or check, which is not counted, and closes the session in
order, as Ctrl-C does. ` + "`mulligan resume`" + ` goes on with it.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s, err := a.find(ctx, first(args), func(s mulligan.Summary) bool { return s.Ended == "" })
			if errors.Is(err, errNoneFits) {
				return usererror.Usage("no session of this repository runs", "`mulligan sessions` lists them, with how each ended")
			}
			if err != nil {
				return err
			}
			err = a.stop(ctx, s.ID, now)
			if errors.Is(err, jetstream.ErrNotRunning) {
				return notRunning(s.ID)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "session %s is stopping; `mulligan resume` goes on with it\n", s.ID)
			return nil
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "end its processes at once, without closing the session in order")
	return cmd
}

// stop asks a session to end in order, or ends its process at once. One that is starting, or looking for
// a new host of the journal, is told as soon as it hears.
func (a *App) stop(ctx context.Context, id string, now bool) error {
	verb := "stop"
	if now {
		verb = "stop-now"
	}
	ran := false
	for began := time.Now(); ; clock.Sleep(ctx, sayAgain) {
		there, held, err := a.sayStop(ctx, id, verb)
		ran = ran || there
		deaf, unheard := errors.AsType[*jetstream.UnheardError](err)
		late := time.Since(began) > hearing
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case unheard:
			return silent(deaf)
		case errors.Is(err, jetstream.ErrNotRunning) && held && !late, errors.Is(err, jetstream.ErrHostGone) && !late:
		case errors.Is(err, jetstream.ErrNotRunning) && ran:
			return nil // its last word was lost with it
		default:
			return err
		}
	}
}

// sayStop says it once. there means that the session's process was there before, held that it may be.
func (a *App) sayStop(ctx context.Context, id, verb string) (there, held bool, err error) {
	store, err := a.OpenJournal(ctx, jetstream.Viewer)
	if err != nil {
		return false, false, err
	}
	defer store.Close()
	_, err = store.Send(ctx, id, "ping")
	if there = err == nil; there {
		_, err = store.Send(ctx, id, verb)
	}
	return there, errors.Is(err, jetstream.ErrNotRunning) && a.heldID(ctx, store, id), err
}

// notRunning refuses what only a process can do.
func notRunning(id string) error {
	return usererror.Usage(fmt.Sprintf("session %s does not run", id), "`mulligan resume` goes on with it, `mulligan status` says how it stands")
}
