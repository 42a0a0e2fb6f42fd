package task

import (
	"fmt"
	"reflect"
	"slices"

	"mulligan"
	"mulligan/state"
)

// Updated is the reply of task_update.
type Updated Added

// A change is the arguments of task_update. A field that is nil stays as it is.
type change struct {
	ID       *int                 `json:"id"`
	Status   *mulligan.TaskStatus `json:"status"`
	Priority *int                 `json:"priority"`
	Depends  []int                `json:"depends"` // nil: as it is; empty: none
	Reason   *string              `json:"reason"`
	Content  *string              `json:"content"`
}

// updateTask answers task_update.
func updateTask(st *state.State, tool string, c change) ([]mulligan.Body, any, error) {
	b := newBoard(st)
	old, err := c.findTask(b, tool)
	if err != nil {
		return nil, nil, err
	}
	t, err := c.applyTo(b, tool, old)
	if err != nil {
		return nil, nil, err
	}
	b.putTask(t)
	if err := b.checkAcyclic(tool, t.ID); err != nil {
		return nil, nil, err
	}
	reply := Updated{Task: b.newListed(t), Open: b.Open(), Hint: updateHint(st, b, old, t)}
	return changeEvents(old, t), reply, nil
}

// findTask returns the task to change.
func (c change) findTask(b *board, tool string) (mulligan.TaskItem, error) {
	if c.ID == nil {
		return mulligan.TaskItem{}, refuse("%s: id is missing: task_list shows the ids", tool)
	}
	t := b.Task(*c.ID)
	if t == nil {
		return mulligan.TaskItem{}, refuse("%s: there is no task %d; %s: task_list shows them", tool, *c.ID, b.describeExtent())
	}
	if c.Status == nil && c.Priority == nil && c.Depends == nil && c.Reason == nil && c.Content == nil {
		return *t, refuse("%s: nothing to change: give a status, priority, depends, reason or content", tool)
	}
	return *t, nil
}

// applyTo returns the task with the change made.
func (c change) applyTo(b *board, tool string, t mulligan.TaskItem) (mulligan.TaskItem, error) {
	was := t.Status
	var err error
	if c.Content != nil {
		if t.Content, err = checkText(tool, "content", *c.Content, MaxText); err != nil {
			return t, err
		}
	}
	if c.Priority != nil {
		t.Priority = *c.Priority
		if err := checkPriority(tool, t.Priority); err != nil {
			return t, err
		}
	}
	if c.Depends != nil {
		if t.Depends, err = b.checkDepends(tool, t.ID, c.Depends); err != nil {
			return t, err
		}
	}
	if c.Status != nil {
		t.Status = *c.Status
		if !slices.Contains(taskStatuses, t.Status) {
			return t, refuseStatus(tool, t.Status)
		}
	}
	if err := c.setReason(tool, &t, was); err != nil {
		return t, err
	}
	if err := b.checkUnique(tool, t); err != nil {
		return t, err
	}
	return t, b.checkCompletable(tool, was, t)
}

// setReason sets the reason of a task's status. A reason does not outlive the status.
func (c change) setReason(tool string, t *mulligan.TaskItem, was mulligan.TaskStatus) (err error) {
	switch {
	case c.Reason != nil && *c.Reason != "":
		t.Reason, err = checkText(tool, "reason", *c.Reason, maxReason)
	case c.Reason != nil, t.Status != was:
		t.Reason = ""
	}
	return err
}

// checkCompletable refuses to complete a task before those that come first.
func (b *board) checkCompletable(tool string, was mulligan.TaskStatus, t mulligan.TaskItem) error {
	if was == mulligan.Completed && t.Status == mulligan.InProgress {
		// A turn that is given again after a crash begins its task once more.
		return refuse("%s: task %d is completed already; to do it again, set its status to remaining first", tool, t.ID)
	}
	if t.Status != mulligan.Completed || was == mulligan.Completed {
		return nil
	}
	if open := b.waitsFor(t); len(open) > 0 {
		return refuse("%s: task %d depends on tasks that are not done: %s: complete or cancel those first, or take them out of its depends", tool, t.ID, joinIDs(open))
	}
	return nil
}

// changeEvents returns the events of a change, or nil if nothing changed.
func changeEvents(old, t mulligan.TaskItem) []mulligan.Body {
	switch {
	case reflect.DeepEqual(old, t):
		return nil
	case t.Status == mulligan.Completed && old.Status != mulligan.Completed:
		return []mulligan.Body{mulligan.TaskCompleted{Task: t}}
	}
	return []mulligan.Body{mulligan.TaskChanged{Task: t}}
}

func updateHint(st *state.State, b *board, old, t mulligan.TaskItem) string {
	switch {
	case reflect.DeepEqual(old, t):
		return fmt.Sprintf("nothing changed: task %d is %s already", t.ID, t.Status)
	case t.Status.Open():
		return withdrawnHint(st)
	case b.Open() == 0 && st.Plan != nil && st.Plan.Loop != nil:
		return "no task is open: when the whole spec is done, call session_complete; else add what is left"
	}
	return ""
}
