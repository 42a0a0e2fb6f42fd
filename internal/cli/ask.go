package cli

import (
	"github.com/spf13/cobra"

	"mulligan/task"
)

func newAsk(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "ask QUESTION", Short: "Ask a person, and wait for the answer (for agents)", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringArray("option", nil, "an answer to choose; may be given several times")
	cmd.Flags().String("default", "", "what is done when nobody answers")
	return a.newAgentCommand(cmd, task.ToolAsk, printReply(showAnswer), func(fields map[string]any, args []string) error {
		if options, given := fields["option"]; given {
			delete(fields, "option")
			fields["options"] = options
		}
		return a.readField("question")(fields, args)
	})
}
