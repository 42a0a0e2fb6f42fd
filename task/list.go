package task

import (
	"fmt"
	"slices"

	"mulligan"
	"mulligan/state"
)

// List is the reply of task_list.
type List struct {
	Tasks   []Listed               `json:"tasks"` // by id
	LeftOut int                    `json:"left_out,omitempty"`
	Counts  mulligan.TasksByStatus `json:"counts"` // of all tasks, whatever was asked for
}

// Next is the reply of task_next.
type Next struct {
	Task *Listed `json:"task"` // null if there is none to take
	Open int     `json:"open"`
	Hint string  `json:"hint,omitempty"`
}

const (
	defaultLimit = 100
	maxLimit     = 1000
)

// listArgs are the arguments of task_list.
type listArgs struct {
	Status oneOrMany `json:"status"`
	Limit  *int      `json:"limit"`
}

// listTasks answers task_list.
func listTasks(st *state.State, tool string, args listArgs) ([]mulligan.Body, any, error) {
	for _, s := range args.Status {
		if !slices.Contains(taskStatuses, mulligan.TaskStatus(s)) {
			return nil, nil, refuseStatus(tool, mulligan.TaskStatus(s))
		}
	}
	limit := defaultLimit
	if args.Limit != nil {
		limit = *args.Limit
	}
	if limit < 1 || limit > maxLimit {
		return nil, nil, refuse("%s: limit is %d; want 1 to %d", tool, limit, maxLimit)
	}
	b := &board{Board: st.Board}
	reply := List{Tasks: []Listed{}, Counts: st.Board.ByStatus()}
	for _, t := range st.Board.Tasks {
		if len(args.Status) > 0 && !slices.Contains(args.Status, string(t.Status)) {
			continue
		}
		if len(reply.Tasks) == limit {
			reply.LeftOut++
			continue
		}
		reply.Tasks = append(reply.Tasks, b.newListed(t))
	}
	return nil, reply, nil
}

// nextTask answers task_next.
func nextTask(st *state.State, tool string, _ struct{}) ([]mulligan.Body, any, error) {
	b := &board{Board: st.Board}
	reply := Next{Open: st.Board.Open()}
	if t := st.WorkableBoard().Next(); t != nil {
		l := b.newListed(*t)
		reply.Task = &l
		return nil, reply, nil
	}
	switch {
	case len(st.Board.Tasks) == 0:
		reply.Hint = "there is no task yet: read the spec and add what is to be done with task_add_many"
	case reply.Open == 0 && st.Plan != nil && st.Plan.Loop != nil:
		reply.Hint = "every task is completed or cancelled: when the whole spec is done, call session_complete; else add what is left"
	case reply.Open == 0:
		reply.Hint = "every task is completed or cancelled"
	case len(st.OverLimit()) > 0:
		reply.Hint = "what is left was claimed to be done too often, is blocked, or waits for another: only a person can decide now; end your turn and say what you wait for"
	default:
		reply.Hint = fmt.Sprintf("%d tasks are open, and each is blocked or waits for another: task_list with status blocked shows the blocked ones; unblock or cancel one with task_update", reply.Open)
	}
	return nil, reply, nil
}
