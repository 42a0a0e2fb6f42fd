package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

const keptTasks = 20 // open ones that a snapshot lists

// Tasks are the agent's own tasks, counted, with those that come next.
type Tasks struct {
	All       int
	Open      int
	Cancelled int
	List      []Task // of the open ones, those to be taken first; bounded
}

// A Task is an open task.
type Task struct {
	mulligan.TaskItem
	Blocked bool // by its status, or by a task that comes first
}

// String returns "5 of 12 tasks done", "" if there are none.
func (t Tasks) String() string {
	if t.All == 0 {
		return ""
	}
	done := fmt.Sprintf("%d of %s done", t.All-t.Open-t.Cancelled, text.Count(t.All, "task"))
	if t.Cancelled > 0 {
		done += fmt.Sprintf(", %d cancelled", t.Cancelled)
	}
	return done
}

// describeTasks counts the agent's tasks and lists the first open ones.
func describeTasks(board *mulligan.Board) Tasks {
	sum := Tasks{All: len(board.Tasks)}
	for _, t := range board.Tasks {
		if t.Status == mulligan.TaskCancelled {
			sum.Cancelled++
		}
		if t.Status.Open() {
			sum.Open++
			sum.insertTask(Task{TaskItem: t, Blocked: t.Status == mulligan.Blocked || board.Blocks(t)})
		}
	}
	sum.List = cleanValue(sum.List)
	return sum
}

// insertTask puts a task where it belongs among the first; the thousands that may come after them cost
// nothing.
func (s *Tasks) insertTask(t Task) {
	i := len(s.List)
	for i > 0 && t.comesBefore(s.List[i-1]) {
		i--
	}
	if i >= keptTasks {
		return
	}
	s.List = slices.Insert(s.List, i, t)
	s.List = s.List[:min(len(s.List), keptTasks)]
}

// comesBefore reports whether a task is listed before another.
func (t Task) comesBefore(u Task) bool { return cmp.Or(t.rank()-u.rank(), t.Priority-u.Priority) < 0 }

// rank puts what is in progress first, and what cannot be done yet last.
func (t Task) rank() int {
	switch {
	case t.Blocked:
		return 2
	case t.Status == mulligan.InProgress:
		return 0
	}
	return 1
}

// TaskDetails returns what there is to show of a task besides its content: "priority 0, after 1 and 2".
func TaskDetails(t mulligan.TaskItem) string {
	var priority, after string
	if t.Priority != mulligan.DefaultPriority {
		priority = fmt.Sprintf("priority %d", t.Priority)
	}
	if len(t.Depends) > 0 {
		ids := strings.Trim(fmt.Sprint(t.Depends), "[]")
		after = "after " + strings.ReplaceAll(ids, " ", ", ")
	}
	return Join(", ", priority, after, Line(t.Reason))
}

// StatusWords returns a task's status as people say it.
func StatusWords(s mulligan.TaskStatus) string {
	return strings.ReplaceAll(Line(string(s)), "_", " ")
}
