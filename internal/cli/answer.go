package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mulligan/internal/usererror"
)

func newAnswer(a *App) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "answer [NUMBER] TEXT...",
		Short: "Answer a question that a session has",
		Long: `Answer gives a person's answer to a question: the one with the given number, else the
oldest that is open. ` + "`mulligan status`" + ` lists them. An agent that waits gets it at once; one
that went on without it finds it in its later prompts. A session that waits for it goes on
with ` + "`mulligan resume`" + `.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := 0
			if n, err := strconv.Atoi(args[0]); err == nil && len(args) > 1 {
				id, args = n, args[1:]
			}
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return usererror.Usage("the answer is empty", "mulligan answer [NUMBER] TEXT")
			}
			if err := a.client().Answer(cmd.Context(), session, id, text); err != nil {
				return err
			}
			fmt.Fprintln(a.Stdout, "answered; a session that has stopped to wait for it goes on with `mulligan resume`")
			return nil
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "the session (default: this repository's newest that is not over)")
	return cmd
}
