package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"mulligan"
	"mulligan/task"
	"mulligan/task/door"
)

// trackTasks uses the tools as an agent of a loop does: the first iterations add tasks, and each
// completes one, keeps a note and summarizes.
func trackTasks() error {
	iteration, err := strconv.Atoi(os.Getenv("MULLIGAN_ITERATION"))
	if err != nil {
		return fmt.Errorf("the iteration: %w", err)
	}
	if iteration <= loopFilled {
		if err := useTool(task.ToolAddMany, map[string]any{"tasks": taskBatch(iteration)}); err != nil {
			return err
		}
	}
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{task.ToolUpdate, map[string]any{"id": iteration, "status": mulligan.Completed}},
		{task.ToolNoteAdd, map[string]any{"type": "learning", "text": fmt.Sprintf("part %d wants its input sorted, and says so only when it is not", iteration)}},
		{task.ToolSummary, map[string]any{"text": fmt.Sprintf("part %d does what it should, with a test", iteration)}},
	} {
		if err := useTool(call.tool, call.args); err != nil {
			return err
		}
	}
	return nil
}

// taskBatch returns the tasks that one iteration adds; some wait for the one before them.
func taskBatch(iteration int) []map[string]any {
	tasks := make([]map[string]any, loopBatch)
	for i := range tasks {
		number := (iteration-1)*loopBatch + i + 1
		tasks[i] = map[string]any{
			"content":  fmt.Sprintf("make part %d do what the spec says of it, with a test that fails where it does not", number),
			"priority": number % 5,
		}
		if i%4 == 3 {
			tasks[i]["after"] = []int{i}
		}
	}
	return tasks
}

// useTool calls a tool of the session through its socket.
func useTool(tool string, args map[string]any) error {
	data, err := json.Marshal(args)
	if err != nil {
		return err
	}
	_, err = door.Call(context.Background(), os.Getenv, task.Request{Tool: tool, Args: data})
	return err
}
