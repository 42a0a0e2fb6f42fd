package cli

import (
	"context"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/journal/jetstream"
)

type logOptions struct {
	Follow bool
	JSON   bool
}

func newLog(a *App) *cobra.Command {
	var opt logOptions
	cmd := &cobra.Command{
		Use:   "log [SESSION]",
		Short: "Print what happened in a session",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), first(args), nil)
			if err != nil {
				return err
			}
			return a.printLog(cmd.Context(), s, opt)
		},
	}
	cmd.Flags().BoolVarP(&opt.Follow, "follow", "f", false, "go on with what happens, until the session ends")
	cmd.Flags().BoolVar(&opt.JSON, "json", false, "print events as JSON lines")
	return cmd
}

func (a *App) printLog(ctx context.Context, s mulligan.Summary, opt logOptions) error {
	view := a.view(opt.JSON)
	if opt.Follow {
		f := &follower{app: a, id: s.ID}
		err := each(f.events(ctx, 1), view)
		if errors.Is(err, errGone) {
			return &hintError{code: mulligan.ExitInternal, what: err.Error(), hint: "`mulligan resume` goes on with it"}
		}
		return err
	}
	store, err := a.open(ctx, jetstream.Short)
	if err != nil {
		return err
	}
	defer store.Close()
	return each(store.Read(ctx, s.ID, 1), view)
}

func each(events iter.Seq2[mulligan.Event, error], view eventView) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		view.Event(e)
	}
	return nil
}
