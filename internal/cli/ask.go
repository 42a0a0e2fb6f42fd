package cli

import (
	"github.com/spf13/cobra"

	"mulligan/task"
)

func newAsk(a *App) *cobra.Command {
	var opt toolOptions
	var options []string
	var otherwise string
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Ask a person, and wait for the answer (for agents)",
		Long:  describeTool(task.ToolAsk),
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.requireAgent("ask"); err != nil {
				return err
			}
			question, err := a.readText(args[0])
			if err != nil {
				return err
			}
			fields := map[string]any{"question": question}
			setIfGiven(cmd, fields, "default", otherwise)
			if len(options) > 0 {
				fields["options"] = options
			}
			return a.runTool(cmd.Context(), opt, task.ToolAsk, fields, printReply(showAnswer))
		},
	}
	cmd.Flags().StringArrayVar(&options, "option", nil, "an answer to choose; may be given several times")
	cmd.Flags().StringVar(&otherwise, "default", "", "what is done when nobody answers")
	cmd.Flags().BoolVar(&opt.JSON, "json", false, "print the tool's reply as JSON")
	return cmd
}
