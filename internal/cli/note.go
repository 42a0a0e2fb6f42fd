package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/task"
)

func newNote(a *App) *cobra.Command {
	var opt toolOptions
	cmd := &cobra.Command{
		Use:   "note",
		Short: "The notes of a session: add, list",
		Long:  "Note keeps what later iterations of a session should know.",
	}
	opt.addFlags(cmd)
	cmd.AddCommand(newNoteAdd(a, &opt), newNoteList(a, &opt))
	return cmd
}

func newNoteAdd(a *App, opt *toolOptions) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "add TEXT",
		Short: "Leave a note for later iterations",
		Long:  describeTool(task.ToolNoteAdd),
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.readText(args[0])
			if err != nil {
				return err
			}
			fields := map[string]any{"text": text}
			setIfGiven(cmd, fields, "type", kind)
			return a.runTool(cmd.Context(), *opt, task.ToolNoteAdd, fields, printReply(showNoted))
		},
	}
	cmd.Flags().StringVarP(&kind, "type", "t", "note", strings.Join(mulligan.NoteTypes(), ", "))
	return cmd
}

func newNoteList(a *App, opt *toolOptions) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List notes, oldest first",
		Long:  describeTool(task.ToolNoteList),
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fields := map[string]any{}
			setIfGiven(cmd, fields, "type", kind)
			return a.runTool(cmd.Context(), *opt, task.ToolNoteList, fields, printReply(showNotes))
		},
	}
	cmd.Flags().StringVarP(&kind, "type", "t", "", "only "+strings.Join(mulligan.NoteTypes(), ", "))
	return cmd
}

func newSummary(a *App) *cobra.Command {
	var opt toolOptions
	cmd := &cobra.Command{
		Use:   "summary TEXT",
		Short: "Say what an iteration did (for agents)",
		Long:  describeTool(task.ToolSummary),
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.requireAgent("summary"); err != nil {
				return err
			}
			text, err := a.readText(args[0])
			if err != nil {
				return err
			}
			return a.runTool(cmd.Context(), opt, task.ToolSummary, map[string]any{"text": text}, printReply(showHint))
		},
	}
	cmd.Flags().BoolVar(&opt.JSON, "json", false, "print the tool's reply as JSON")
	return cmd
}

func newComplete(a *App) *cobra.Command {
	var opt toolOptions
	cmd := &cobra.Command{
		Use:   "complete [TEXT]",
		Short: "Claim that the session is complete (for agents)",
		Long:  describeTool(task.ToolComplete),
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.requireAgent("complete"); err != nil {
				return err
			}
			fields := map[string]any{}
			if len(args) > 0 {
				text, err := a.readText(args[0])
				if err != nil {
					return err
				}
				fields["text"] = text
			}
			return a.runTool(cmd.Context(), opt, task.ToolComplete, fields, printReply(showHint))
		},
	}
	cmd.Flags().BoolVar(&opt.JSON, "json", false, "print the tool's reply as JSON")
	return cmd
}
