package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/task"
)

func newTask(a *App) *cobra.Command {
	var opt toolOptions
	cmd := &cobra.Command{
		Use:   "task",
		Short: "The tasks of a session: add, list, start, done",
		Long: `Task keeps the tasks of a session. An agent's commands reach the session that started it; a
person's reach the newest session of this repository that is not over, or the one that
--session names. The same tools are offered over MCP by ` + "`mulligan mcp`" + `.

A text that is "-" is read from standard input; after "--" a text may begin with a dash.`,
	}
	opt.addFlags(cmd)
	list := &cobra.Command{Use: "list", Short: "List tasks", Args: cobra.NoArgs}
	list.Flags().StringSlice("status", nil, "only these: remaining,in_progress,completed,blocked,cancelled")
	list.Flags().Int("limit", 100, "at most so many")
	next := &cobra.Command{Use: "next", Short: "Show the task to work on now", Args: cobra.NoArgs}
	status := &cobra.Command{Use: "status", Short: "Show where the session stands", Args: cobra.NoArgs}
	cmd.AddCommand(
		newTaskAdd(a, &opt), newTaskAddMany(a, &opt), newTaskUpdate(a, &opt),
		a.newToolCommand(list, &opt, task.ToolList, printReply(showList), nil),
		a.newToolCommand(next, &opt, task.ToolNext, printReply(showNext), nil),
		a.newToolCommand(status, &opt, task.ToolStatus, printReply(showStatus), nil),
		newTaskTransition(a, &opt, "start", mulligan.InProgress, "Say that a task is being worked on"),
		newTaskTransition(a, &opt, "done", mulligan.Completed, "Say that a task is completed"),
		newTaskTransition(a, &opt, "block", mulligan.Blocked, "Say that a task cannot be done now, and why"),
		newTaskTransition(a, &opt, "cancel", mulligan.TaskCancelled, "Say that a task need not be done, and why"),
		newTaskTransition(a, &opt, "reopen", mulligan.Remaining, "Say that a task is to be done after all"),
	)
	return cmd
}

func newTaskAdd(a *App, opt *toolOptions) *cobra.Command {
	cmd := &cobra.Command{Use: "add CONTENT", Short: "Add a task", Args: cobra.ExactArgs(1)}
	cmd.Flags().IntP("priority", "p", mulligan.DefaultPriority, "0 is the highest, 4 the lowest")
	cmd.Flags().IntSliceP("depends", "d", nil, "ids of tasks that have to be done first: 1,2")
	cmd.Flags().String("status", "", "remaining, in_progress or blocked")
	return a.newToolCommand(cmd, opt, task.ToolAdd, printReply(showAdded), a.readField("content"))
}

func newTaskAddMany(a *App, opt *toolOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add-many",
		Short: "Add the tasks on standard input, all or none",
		Long: `

Standard input has one task to a line, or a JSON list of objects with content, priority,
depends, status and after: positions in the same list, the first is 1, that come before.`,
		Args: cobra.NoArgs,
	}
	return a.newToolCommand(cmd, opt, task.ToolAddMany, printReply(showAddedMany), func(fields map[string]any, _ []string) error {
		text, err := a.readText("-")
		fields["tasks"] = parseTasks(text)
		return err
	})
}

// parseTasks returns the tasks of a text, one a line. It leaves a JSON list as it is: the tool judges it.
func parseTasks(text string) any {
	if trimmed := bytes.TrimSpace([]byte(text)); bytes.HasPrefix(trimmed, []byte("[")) && json.Valid(trimmed) {
		return json.RawMessage(trimmed)
	}
	tasks := []map[string]any{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			tasks = append(tasks, map[string]any{"content": strings.TrimSpace(line)})
		}
	}
	return tasks
}

func newTaskUpdate(a *App, opt *toolOptions) *cobra.Command {
	cmd := &cobra.Command{Use: "update ID", Short: "Change a task", Args: cobra.ExactArgs(1)}
	cmd.Flags().String("status", "", "remaining, in_progress, completed, blocked or cancelled")
	cmd.Flags().IntP("priority", "p", mulligan.DefaultPriority, "0 is the highest, 4 the lowest")
	cmd.Flags().StringSliceP("depends", "d", nil, "ids of tasks that have to be done first, in place of those it has; none where it is empty")
	cmd.Flags().String("reason", "", "why it is blocked or cancelled")
	cmd.Flags().String("content", "", "what is to be done")
	return a.newToolCommand(cmd, opt, task.ToolUpdate, printReply(showUpdated), func(fields map[string]any, args []string) (err error) {
		if fields["id"], err = parseTaskID(args[0]); err != nil {
			return err
		}
		if words, given := fields["depends"].([]string); given {
			fields["depends"], err = parseTaskIDs(words)
		}
		return err
	})
}

// newTaskTransition returns a command that gives a task a status.
func newTaskTransition(a *App, opt *toolOptions, name string, status mulligan.TaskStatus, short string) *cobra.Command {
	cmd := &cobra.Command{Use: name + " ID", Short: short, Args: cobra.ExactArgs(1)}
	cmd.Flags().String("reason", "", "why")
	cmd = a.newToolCommand(cmd, opt, task.ToolUpdate, printReply(showUpdated), func(fields map[string]any, args []string) (err error) {
		fields["status"] = status
		fields["id"], err = parseTaskID(args[0])
		return err
	})
	cmd.Long = "" // the tool's is about every change
	return cmd
}

// parseTaskID reads a task's id, with or without a #.
func parseTaskID(word string) (int, error) {
	id, err := strconv.Atoi(strings.TrimPrefix(word, "#"))
	if err != nil {
		return 0, usererror.Usage(fmt.Sprintf("%q is not the id of a task", word), "`mulligan task list` shows the ids")
	}
	return id, nil
}

func parseTaskIDs(words []string) ([]int, error) {
	list := []int{}
	for _, word := range words {
		if strings.TrimSpace(word) == "" {
			continue
		}
		id, err := parseTaskID(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return list, nil
}
