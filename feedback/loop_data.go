package feedback

import "mulligan"

// LoopData is what the template of a loop's prompt is applied to. Every list is bounded; the
// field that ends in More counts what was left out of it.
type LoopData struct {
	Session string // the session's id
	Name    string // the session's name
	Spec    string // the text of the specification
	Path    string // its file

	Iteration int // this one's number, first 1
	Limit     int // the last that there may be; 0: no such limit
	Counts    mulligan.TasksByStatus

	Summaries     []LoopSummary // the agents' summaries of earlier iterations, the newest last
	SummariesMore int

	Next        *LoopTask  // the task to take; nil where there is none
	Open        []LoopTask // the other open tasks that nothing blocks, the most urgent first
	OpenMore    int
	Blocked     []LoopTask // open tasks that are blocked, or wait for others
	BlockedMore int

	Notes []LoopNotes // by type, only types that have some

	Changed     []string // since the iteration before began: "A path", "M path", "D path"
	ChangedMore int

	Checks      []string // names of the checks that run after every iteration
	FinalChecks []string // names of those that a claim of completion has to pass as well
	Passed      bool     // the last examined iteration passed its checks
	Feedback    string   // the feedback where it did not; "" before the first
	Refused     bool     // the last examined iteration claimed completion, and the checks did not agree

	Told        []string // messages of people that an agent was given in this session, the newest last
	ToldMore    int
	Answers     []LoopAnswer // what was asked and answered, the newest last
	AnswersMore int
}

// A LoopTask is a task as a prompt has it.
type LoopTask struct {
	ID        int
	Content   string
	Cut       bool   // Content is less than the whole
	Status    string // remaining, in_progress or blocked
	Priority  int    // 0 is the highest, 4 the lowest
	Waits     []int  // ids of the open tasks that come first
	Reason    string // why it is blocked; "" where no reason was given
	Iteration int    // in which it was added
}

// A LoopSummary is an agent's summary of its iteration.
type LoopSummary struct {
	Iteration int
	Text      string
}

// LoopNotes are the notes of one type, the newest last.
type LoopNotes struct {
	Type  string // decision, assumption, learning, blocker or note
	Title string // "Decisions"
	Notes []LoopNote
	More  int // older ones
}

// A LoopNote is a note as a prompt has it.
type LoopNote struct {
	ID        int
	Text      string
	Iteration int
}

// A LoopAnswer is a question of an agent and its answer.
type LoopAnswer struct {
	Question string
	Answer   string
	Assumed  bool // no person answered: Answer is the default that was taken instead
}

// By returns who the answer is from.
func (a LoopAnswer) By() string {
	if a.Assumed {
		return "Nobody answered; taken instead"
	}
	return "Answer of the person"
}
