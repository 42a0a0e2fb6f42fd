package cli

import (
	"github.com/spf13/cobra"

	"mulligan/task"
)

func newAsk(a *App) *cobra.Command {
	var options []string
	var otherwise string
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Ask a person, and wait for the answer (for agents)",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().StringArrayVar(&options, "option", nil, "an answer to choose; may be given several times")
	cmd.Flags().StringVar(&otherwise, "default", "", "what is done when nobody answers")
	return a.newAgentCommand(cmd, task.ToolAsk, printReply(showAnswer), func(cmd *cobra.Command, args []string) (map[string]any, error) {
		fields, err := a.readField("question", args)
		setIfGiven(cmd, fields, "default", otherwise)
		if len(options) > 0 {
			fields["options"] = options
		}
		return fields, err
	})
}
