package mulligan

// TaskStatus is how far a task is.
type TaskStatus string

const (
	Remaining     TaskStatus = "remaining"
	InProgress    TaskStatus = "in_progress"
	Completed     TaskStatus = "completed"
	Blocked       TaskStatus = "blocked"
	TaskCancelled TaskStatus = "cancelled"
)

// Open reports whether something is left to do for a task of this status.
func (s TaskStatus) Open() bool { return s != Completed && s != TaskCancelled }

// DefaultPriority is that of a task for which nothing else was said; 0 is the highest, 4 the lowest.
const DefaultPriority = 2

// A TaskItem is a piece of work that the agent itself tracks.
type TaskItem struct {
	ID        int        `json:"id"` // 1, 2, 3 … in the order in which they were added
	Content   string     `json:"content"`
	Status    TaskStatus `json:"status"`
	Priority  int        `json:"priority"`
	Depends   []int      `json:"depends,omitempty"`   // ids of tasks that come first
	Iteration int        `json:"iteration,omitempty"` // in which it was added
	Reason    string     `json:"reason,omitempty"`    // why it is blocked or cancelled, where the agent or a person said
}

// A Note is what an agent wants later iterations to know.
type Note struct {
	ID        int    `json:"id"`
	Type      string `json:"type"` // one of NoteTypes
	Text      string `json:"text"`
	Iteration int    `json:"iteration,omitempty"`
}

// NoteTypes returns the kinds of notes, in the order in which prompts have them.
func NoteTypes() []string { return []string{"decision", "assumption", "learning", "blocker", "note"} }

// An IterationSummary is what the agent said of an iteration.
type IterationSummary struct {
	Iteration int    `json:"iteration"`
	Text      string `json:"text"`
}

// A Board is a session's tasks and notes. Tasks are in the order of their ids: task N is Tasks[N-1].
type Board struct {
	Tasks     []TaskItem
	Notes     []Note
	Summaries []IterationSummary // the newest last; bounded
}

// Task returns the task with an id, or nil if there is none. It stays the board's.
func (b *Board) Task(id int) *TaskItem {
	if id < 1 || id > len(b.Tasks) {
		return nil
	}
	return &b.Tasks[id-1]
}

// Blocks reports whether a task that comes first is still open. A cancelled task blocks nothing.
func (b *Board) Blocks(t TaskItem) bool {
	for _, id := range t.Depends {
		if first := b.Task(id); first != nil && first.Status.Open() {
			return true
		}
	}
	return false
}

// Next returns the open task to take: the one in progress, else the highest priority that nothing
// blocks, the oldest first; nil if there is none.
func (b *Board) Next() *TaskItem {
	var next *TaskItem
	for i := range b.Tasks {
		t := &b.Tasks[i]
		if t.Status != Remaining && t.Status != InProgress || b.Blocks(*t) {
			continue
		}
		if next == nil || comesBefore(*t, *next) {
			next = t
		}
	}
	return next
}

func comesBefore(a, b TaskItem) bool {
	if working := a.Status == InProgress; working != (b.Status == InProgress) {
		return working
	}
	return a.Priority < b.Priority
}

// Open counts the tasks that are neither completed nor cancelled.
func (b *Board) Open() int {
	n := 0
	for _, t := range b.Tasks {
		if t.Status.Open() {
			n++
		}
	}
	return n
}

// TasksByStatus is how many tasks there are of each status.
type TasksByStatus struct {
	All        int `json:"all"`
	Remaining  int `json:"remaining"`
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
	Blocked    int `json:"blocked"`
	Cancelled  int `json:"cancelled"`
}

// Open returns how many tasks are neither completed nor cancelled.
func (t TasksByStatus) Open() int { return t.All - t.Completed - t.Cancelled }

// ByStatus counts the tasks.
func (b *Board) ByStatus() TasksByStatus {
	n := TasksByStatus{All: len(b.Tasks)}
	for _, t := range b.Tasks {
		switch t.Status {
		case Remaining:
			n.Remaining++
		case InProgress:
			n.InProgress++
		case Completed:
			n.Completed++
		case Blocked:
			n.Blocked++
		case TaskCancelled:
			n.Cancelled++
		}
	}
	return n
}

// TaskAdded is a task that the board did not have.
type TaskAdded struct {
	Task    TaskItem `json:"task"`
	Request string   `json:"request,omitempty"` // the request of a person that added it; "": an agent's, or not known
}

// TaskChanged is a task as it is from here on, but for one that becomes completed.
type TaskChanged struct {
	Task TaskItem `json:"task"`
}

// TaskCompleted is a task that has become completed.
type TaskCompleted struct {
	Task TaskItem `json:"task"`
}

// NoteAdded is a note that the board did not have.
type NoteAdded struct {
	Note Note `json:"note"`
}

// Summarized is what the agent says of the iteration.
type Summarized struct {
	IterationSummary
}

// Claimed is the agent's claim that the session is complete. The gates decide.
type Claimed struct {
	Turn int    `json:"turn"`
	Text string `json:"text,omitempty"`
}

func (TaskAdded) Kind() string     { return "task.added" }
func (TaskChanged) Kind() string   { return "task.changed" }
func (TaskCompleted) Kind() string { return "task.completed" }
func (NoteAdded) Kind() string     { return "note.added" }
func (Summarized) Kind() string    { return "iteration.summary" }
func (Claimed) Kind() string       { return "session.claimed" }
