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
	cmd.AddCommand(
		newTaskAdd(a, &opt), newTaskAddMany(a, &opt), newTaskList(a, &opt), newTaskNext(a, &opt), newTaskUpdate(a, &opt),
		newTaskTransition(a, &opt, "start", mulligan.InProgress, "Say that a task is being worked on"),
		newTaskTransition(a, &opt, "done", mulligan.Completed, "Say that a task is completed"),
		newTaskTransition(a, &opt, "block", mulligan.Blocked, "Say that a task cannot be done now, and why"),
		newTaskTransition(a, &opt, "cancel", mulligan.TaskCancelled, "Say that a task need not be done, and why"),
		newTaskTransition(a, &opt, "reopen", mulligan.Remaining, "Say that a task is to be done after all"),
		newTaskStatus(a, &opt),
	)
	return cmd
}

func newTaskAdd(a *App, opt *toolOptions) *cobra.Command {
	var priority int
	var depends []int
	var status string
	cmd := &cobra.Command{
		Use:   "add CONTENT",
		Short: "Add a task",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().IntVarP(&priority, "priority", "p", mulligan.DefaultPriority, "0 is the highest, 4 the lowest")
	cmd.Flags().IntSliceVarP(&depends, "depends", "d", nil, "ids of tasks that have to be done first: 1,2")
	cmd.Flags().StringVar(&status, "status", "", "remaining, in_progress or blocked")
	return a.newToolCommand(cmd, opt, task.ToolAdd, printReply(showAdded), func(cmd *cobra.Command, args []string) (map[string]any, error) {
		fields, err := a.readField("content", args)
		setIfGiven(cmd, fields, "priority", priority)
		setIfGiven(cmd, fields, "depends", depends)
		setIfGiven(cmd, fields, "status", status)
		return fields, err
	})
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
	return a.newToolCommand(cmd, opt, task.ToolAddMany, printReply(showAddedMany), func(*cobra.Command, []string) (map[string]any, error) {
		text, err := a.readText("-")
		return map[string]any{"tasks": parseTasks(text)}, err
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

func newTaskList(a *App, opt *toolOptions) *cobra.Command {
	var status []string
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tasks",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().StringSliceVar(&status, "status", nil, "only these: remaining,in_progress,completed,blocked,cancelled")
	cmd.Flags().IntVar(&limit, "limit", 100, "at most so many")
	return a.newToolCommand(cmd, opt, task.ToolList, printReply(showList), func(cmd *cobra.Command, _ []string) (map[string]any, error) {
		fields := map[string]any{}
		setIfGiven(cmd, fields, "status", status)
		setIfGiven(cmd, fields, "limit", limit)
		return fields, nil
	})
}

func newTaskNext(a *App, opt *toolOptions) *cobra.Command {
	cmd := &cobra.Command{Use: "next", Short: "Show the task to work on now", Args: cobra.NoArgs}
	return a.newToolCommand(cmd, opt, task.ToolNext, printReply(showNext), noArguments)
}

func newTaskUpdate(a *App, opt *toolOptions) *cobra.Command {
	var priority int
	var depends []string
	var status, reason, content string
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change a task",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&status, "status", "", "remaining, in_progress, completed, blocked or cancelled")
	cmd.Flags().IntVarP(&priority, "priority", "p", mulligan.DefaultPriority, "0 is the highest, 4 the lowest")
	cmd.Flags().StringSliceVarP(&depends, "depends", "d", nil, "ids of tasks that have to be done first, in place of those it has; none where it is empty")
	cmd.Flags().StringVar(&reason, "reason", "", "why it is blocked or cancelled")
	cmd.Flags().StringVar(&content, "content", "", "what is to be done")
	return a.newToolCommand(cmd, opt, task.ToolUpdate, printReply(showUpdated), func(cmd *cobra.Command, args []string) (map[string]any, error) {
		id, err := parseTaskID(args[0])
		if err != nil {
			return nil, err
		}
		first, err := parseTaskIDs(depends)
		fields := map[string]any{"id": id}
		setIfGiven(cmd, fields, "status", status)
		setIfGiven(cmd, fields, "priority", priority)
		setIfGiven(cmd, fields, "depends", first)
		setIfGiven(cmd, fields, "reason", reason)
		setIfGiven(cmd, fields, "content", content)
		return fields, err
	})
}

// newTaskTransition returns a command that gives a task a status.
func newTaskTransition(a *App, opt *toolOptions, name string, status mulligan.TaskStatus, short string) *cobra.Command {
	var reason string
	cmd := &cobra.Command{Use: name + " ID", Short: short, Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&reason, "reason", "", "why")
	cmd = a.newToolCommand(cmd, opt, task.ToolUpdate, printReply(showUpdated), func(cmd *cobra.Command, args []string) (map[string]any, error) {
		id, err := parseTaskID(args[0])
		fields := map[string]any{"id": id, "status": status}
		setIfGiven(cmd, fields, "reason", reason)
		return fields, err
	})
	cmd.Long = "" // the tool's is about every change
	return cmd
}

func newTaskStatus(a *App, opt *toolOptions) *cobra.Command {
	cmd := &cobra.Command{Use: "status", Short: "Show where the session stands", Args: cobra.NoArgs}
	return a.newToolCommand(cmd, opt, task.ToolStatus, printReply(showStatus), noArguments)
}

// noArguments is for a tool that has none.
func noArguments(*cobra.Command, []string) (map[string]any, error) { return nil, nil }

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
