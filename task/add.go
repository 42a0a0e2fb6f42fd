package task

import (
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// An item is a task as it is requested.
type item struct {
	Content  string              `json:"content"`
	Priority *int                `json:"priority"` // nil if it is not given: 0 is the highest priority
	Depends  []int               `json:"depends"`
	Status   mulligan.TaskStatus `json:"status"`
	After    []int               `json:"after"` // task_add_many: positions in the same list
}

// Added is the reply of task_add.
type Added struct {
	Task Listed `json:"task"`
	Open int    `json:"open"` // tasks that are neither completed nor cancelled
	Hint string `json:"hint,omitempty"`
}

// AddedMany is the reply of task_add_many.
type AddedMany struct {
	Tasks []Listed `json:"tasks"`
	Open  int      `json:"open"`
	Hint  string   `json:"hint,omitempty"`
}

// addArgs are the arguments of task_add.
type addArgs struct {
	Content  string              `json:"content"`
	Priority *int                `json:"priority"`
	Depends  []int               `json:"depends"`
	Status   mulligan.TaskStatus `json:"status"`
}

// addTask answers task_add.
func addTask(st *state.State, tool string, args addArgs) ([]mulligan.Body, any, error) {
	b := newBoard(st)
	one := item{Content: args.Content, Priority: args.Priority, Depends: args.Depends, Status: args.Status}
	added, err := b.addAll(st, tool, []item{one})
	if err != nil {
		return nil, nil, err
	}
	return addedEvents(added), Added{Task: b.newListed(added[0]), Open: b.Open(), Hint: withdrawnHint(st)}, nil
}

// addManyArgs are the arguments of task_add_many.
type addManyArgs struct {
	Tasks []item `json:"tasks"`
}

// addTasks answers task_add_many.
func addTasks(st *state.State, tool string, args addManyArgs) ([]mulligan.Body, any, error) {
	switch n := len(args.Tasks); {
	case n == 0:
		return nil, nil, refuse("%s: tasks is empty: give a list of tasks, each with a content", tool)
	case n > maxTogether:
		return nil, nil, refuse("%s: %d tasks at once, and %d are the most: add them in several calls, or make fewer and larger ones", tool, n, maxTogether)
	}
	b := newBoard(st)
	added, err := b.addAll(st, tool, args.Tasks)
	if err != nil {
		return nil, nil, err
	}
	reply := AddedMany{Open: b.Open(), Hint: withdrawnHint(st)}
	for _, t := range added {
		reply.Tasks = append(reply.Tasks, b.newListed(t))
	}
	return addedEvents(added), reply, nil
}

// addAll puts new tasks on the board, all or none.
func (b *board) addAll(st *state.State, tool string, items []item) ([]mulligan.TaskItem, error) {
	if len(b.Tasks)+len(items) > MaxTasks {
		return nil, refuse("%s: there are %d tasks, and %d are the most: work on those, or widen one of them with task_update", tool, len(b.Tasks), MaxTasks)
	}
	base := len(b.Tasks)
	for i, it := range items {
		t, err := it.newTask(tool, base+i+1, st.Iteration)
		if err == nil {
			err = b.checkUnique(tool, t)
		}
		if err != nil {
			return nil, withPosition(err, i, len(items))
		}
		b.putTask(t)
	}
	for i, it := range items {
		if err := b.connectTask(tool, base, i, it, len(items)); err != nil {
			return nil, withPosition(err, i, len(items))
		}
	}
	for i := range items {
		if err := b.checkAcyclic(tool, base+i+1); err != nil {
			return nil, err
		}
	}
	return slices.Clone(b.Tasks[base:]), nil
}

// withPosition adds to a refusal which of several items it is about.
func withPosition(err error, i, of int) error {
	if of == 1 {
		return err
	}
	return refuse("%s (this is number %d of the list; nothing was added)", err.Error(), i+1)
}

// newTask returns the task of an item, without its dependencies.
func (it item) newTask(tool string, id, iteration int) (mulligan.TaskItem, error) {
	t := mulligan.TaskItem{ID: id, Status: it.Status, Priority: mulligan.DefaultPriority, Iteration: iteration}
	var err error
	if t.Content, err = checkText(tool, "content", it.Content, MaxText); err != nil {
		return t, err
	}
	if it.Priority != nil {
		t.Priority = *it.Priority
	}
	if err := checkPriority(tool, t.Priority); err != nil {
		return t, err
	}
	switch t.Status {
	case "":
		t.Status = mulligan.Remaining
	case mulligan.Remaining, mulligan.InProgress, mulligan.Blocked:
	case mulligan.Completed, mulligan.TaskCancelled:
		return t, refuse("%s: a task cannot be added as %s: add it, and say so with task_update when it is", tool, t.Status)
	default:
		return t, refuseStatus(tool, t.Status)
	}
	return t, nil
}

// connectTask sets the dependencies of a new task: on tasks that were there before, and on others of
// the same list by their position in it.
func (b *board) connectTask(tool string, base, i int, it item, count int) error {
	for _, id := range it.Depends {
		switch {
		case id <= base:
		case tool == ToolAddMany && id <= base+count:
			return refuse("%s: depends names task %d, which is not there yet: to depend on a task of the same list give its position in after", tool, id)
		default:
			return refuse("%s: depends names task %d, and %s: task_list shows the ids", tool, id, b.describeExtent())
		}
	}
	all := slices.Clone(it.Depends)
	for _, position := range it.After {
		if position < 1 || position > count {
			return refuse("%s: after names position %d, and the list has 1 to %d", tool, position, count)
		}
		if position == i+1 {
			return refuse("%s: after names the task's own position %d: a task cannot depend on itself", tool, position)
		}
		all = append(all, base+position)
	}
	depends, err := b.checkDepends(tool, base+i+1, all)
	if err != nil {
		return err
	}
	b.Task(base + i + 1).Depends = depends
	return nil
}

// repeatAdded returns the reply to a request whose tasks the session has already, or nil.
func repeatAdded(st *state.State, r Request) any {
	b := newBoard(st)
	var tasks []Listed
	for _, id := range st.TasksOfRequest(r.ID) {
		tasks = append(tasks, b.newListed(*b.Task(id)))
	}
	switch {
	case len(tasks) == 0:
		return nil
	case r.Tool == ToolAdd:
		return Added{Task: tasks[0], Open: b.Open(), Hint: withdrawnHint(st)}
	}
	return AddedMany{Tasks: tasks, Open: b.Open(), Hint: withdrawnHint(st)}
}

// markRequest notes in the events of added tasks which request they come from.
func markRequest(bodies []mulligan.Body, id string) []mulligan.Body {
	for i, body := range bodies {
		if added, ok := body.(mulligan.TaskAdded); ok {
			added.Request = id
			bodies[i] = added
		}
	}
	return bodies
}

// addedEvents returns the events of tasks that were added.
func addedEvents(added []mulligan.TaskItem) []mulligan.Body {
	bodies := make([]mulligan.Body, len(added))
	for i, t := range added {
		bodies[i] = mulligan.TaskAdded{Task: t}
	}
	return bodies
}

// withdrawnHint tells an agent that has claimed to be done what a new open task means, or returns
// "".
func withdrawnHint(st *state.State) string {
	if st.Claim == nil {
		return ""
	}
	return "you have called session_complete in this turn: while a task is open that does not stand; call it again when all are completed or cancelled"
}

func checkPriority(tool string, p int) error {
	if p < 0 || p > 4 {
		return refuse("%s: priority is %d; want 0 (the highest) to 4 (the lowest); %d is the default", tool, p, mulligan.DefaultPriority)
	}
	return nil
}

var taskStatuses = []mulligan.TaskStatus{mulligan.Remaining, mulligan.InProgress, mulligan.Completed, mulligan.Blocked, mulligan.TaskCancelled}

func statusNames() string {
	var names []string
	for _, s := range taskStatuses {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func refuseStatus(tool string, s mulligan.TaskStatus) error {
	return refuse("%s: there is no status %q; want one of %s", tool, text.Clip(string(s), quotedLength), statusNames())
}
