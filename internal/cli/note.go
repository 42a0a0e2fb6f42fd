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
	cmd := &cobra.Command{Use: "add TEXT", Short: "Leave a note for later iterations", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringP("type", "t", "note", strings.Join(mulligan.NoteTypes(), ", "))
	return a.newToolCommand(cmd, opt, task.ToolNoteAdd, printReply(showNoted), a.readField("text"))
}

func newNoteList(a *App, opt *toolOptions) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List notes, oldest first", Args: cobra.NoArgs}
	cmd.Flags().StringP("type", "t", "", "only "+strings.Join(mulligan.NoteTypes(), ", "))
	return a.newToolCommand(cmd, opt, task.ToolNoteList, printReply(showNotes), nil)
}

func newSummary(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "summary TEXT", Short: "Say what an iteration did (for agents)", Args: cobra.ExactArgs(1)}
	return a.newAgentCommand(cmd, task.ToolSummary, printReply(showHint), a.readField("text"))
}

func newComplete(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "complete [TEXT]", Short: "Claim that the session is complete (for agents)", Args: cobra.MaximumNArgs(1)}
	return a.newAgentCommand(cmd, task.ToolComplete, printReply(showHint), a.readField("text"))
}
