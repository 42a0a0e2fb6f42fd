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
	add := &cobra.Command{Use: "add TEXT", Short: "Leave a note for later iterations", Args: cobra.ExactArgs(1)}
	add.Flags().StringP("type", "t", "note", strings.Join(mulligan.NoteTypes(), ", "))
	list := &cobra.Command{Use: "list", Short: "List notes, oldest first", Args: cobra.NoArgs}
	list.Flags().StringP("type", "t", "", "only "+strings.Join(mulligan.NoteTypes(), ", "))
	cmd.AddCommand(
		a.newToolCommand(add, &opt, task.ToolNoteAdd, printReply(showNoted), a.readField("text")),
		a.newToolCommand(list, &opt, task.ToolNoteList, printReply(showNotes), nil),
	)
	return cmd
}

func newSummary(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "summary TEXT", Short: "Say what an iteration did (for agents)", Args: cobra.ExactArgs(1)}
	return a.newAgentCommand(cmd, task.ToolSummary, printReply(showHint), a.readField("text"))
}

func newComplete(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "complete [TEXT]", Short: "Claim that the session is complete (for agents)", Args: cobra.MaximumNArgs(1)}
	return a.newAgentCommand(cmd, task.ToolComplete, printReply(showHint), a.readField("text"))
}
