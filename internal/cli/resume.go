package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/usererror"
)

func newResume(a *App) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "resume [SESSION]",
		Short: "Go on with a session that was interrupted or killed",
		Long: `Resume goes on where the journal says the session stood, with its plan, counters and
limits as they were. A turn that was cut short is given again, on the tree that it found;
what it had done is kept as a snapshot (` + "`mulligan restore`" + `). Verified steps stay verified.

Without an id it is this workspace's newest session that is not finished. One that failed
is run again with ` + "`mulligan run TASK.md`" + `, which counts its attempts anew.

` + exitTable,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.resume(cmd.Context(), first(args), opt)
		},
	}
	addSessionFlags(cmd, &opt)
	return cmd
}

func (a *App) resume(ctx context.Context, given string, opt runOptions) error {
	s, err := a.find(ctx, given, unfinished)
	if errors.Is(err, errNoneFits) {
		s, err = a.find(ctx, given, nil)
	}
	if err != nil {
		return err
	}
	if !unfinished(s) {
		return over(s) // before there is a process
	}
	if a.apart(opt) {
		args := []string{"resume", s.ID, "--foreground"}
		if opt.Listen != "" {
			args = append(args, "--listen", string(opt.Listen))
		}
		return a.launch(ctx, args, opt)
	}
	return a.hold(ctx, s.Root, opt, func(ctx context.Context, h *house) error {
		j, err := h.goOnWith(ctx, s)
		if err != nil {
			return err
		}
		defer j.close()
		outcome, err := j.run(ctx)
		if err != nil {
			return err
		}
		if code := outcome.ExitCode(); code != mulligan.ExitOK {
			return usererror.Exit(code)
		}
		return nil
	})
}

// over refuses to go on with a session that is finished, and says what can be done instead.
func over(s mulligan.Summary) error {
	command := "run"
	if s.Name != "" {
		command = "loop"
	}
	hint := fmt.Sprintf("`mulligan %s %s` takes it up again", command, s.Task)
	if s.Ended == mulligan.Verified || s.Ended == mulligan.Accepted {
		hint = fmt.Sprintf("`mulligan %s %s --restart` does it again", command, s.Task)
	}
	return usererror.Usage(fmt.Sprintf("session %s is over: %s", s.ID, strings.ReplaceAll(string(s.Ended), "_", " ")), hint)
}
