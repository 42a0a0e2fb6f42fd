package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
)

func newTell(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "tell SESSION TEXT...",
		Short: "Say something to the agent of a session; it reads it in its next turn",
		Long: `Tell gives the agent a message in its next turn. The message stays in the prompts of a
loop's later iterations, and in the journal. A session that does not run gets it when it is
resumed. SESSION is an id, its end, or a loop's name; "-" is this repository's newest session
that is not over. Without a text it is read from standard input.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args[1:], " ")
			if len(args) == 1 {
				read, err := io.ReadAll(io.LimitReader(a.Stdin, 4*protocol.MaxTold+1))
				if err != nil {
					return err
				}
				text = string(read)
			}
			text = strings.TrimSpace(text)
			if text == "" {
				return usererror.Usage("there is nothing to tell", "mulligan tell SESSION TEXT")
			}
			if n := utf8.RuneCountInString(text); n > protocol.MaxTold {
				return usererror.Usage(fmt.Sprintf("the message has more than %d characters", protocol.MaxTold), "put it into a file of the workspace, and tell the agent its path")
			}
			if err := a.client().Tell(cmd.Context(), parseSessionArg(args[0]), text); err != nil {
				return err
			}
			fmt.Fprintln(a.Stdout, "told; the agent reads it in its next turn")
			return nil
		},
	}
}

// parseSessionArg returns the session that an argument names: "-" names none, and leaves the choice to
// mulligan.
func parseSessionArg(given string) string {
	if given == "-" {
		return ""
	}
	return given
}
