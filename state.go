package mulligan

import (
	"fmt"
	"time"
)

// Phase is what a session does next. The loop is a function of the state, and the state
// a fold of the journal: that is why a killed session resumes where it was.
type Phase string

const (
	Choosing  Phase = "choosing"  // which step next, or the end
	Preparing Phase = "preparing" // the next attempt
	Working   Phase = "working"   // a turn is to be taken, or was in flight
	Examining Phase = "examining" // gates, from State.Gate on
	Deciding  Phase = "deciding"  // the attempt did not pass: what now
	Keeping   Phase = "keeping"   // the attempt passed: commit
)

// State is a session as its events tell it.
type State struct {
	ID        string
	Started   time.Time
	Updated   time.Time
	Version   string
	PID       int // of the process that runs it, or ran it last
	Plan      *Plan
	Place     Place
	Last      int64 // number of the last event
	Phase     Phase
	Steps     []StepState // one per step of the plan
	Step      int         // index of the current step
	Iteration int         // so far
	Turn      int         // so far
	// FailedRow counts the iterations in a row that the agent failed.
	FailedRow int
	// Conversation is the one to continue; "" where a fresh one begins.
	Conversation string
	// Decision is what was chosen for the next attempt.
	Decision Decision
	// InFlight is the turn that has begun and not ended.
	InFlight *TurnStarted
	// Gate is the index of the next gate to run, GateTry how often it was run already.
	Gate    int
	GateTry int
	// Examined is the workspace as the gate in flight found it, nil where none is.
	Examined *Tree
	// Tree is what the last finished turn left: what the gates examine.
	Tree Tree
	// Head is the last verified commit: the parent of the next one.
	Head       string
	Committing *Commit
	Worked     time.Duration
	Usage      Usage
	Notes      []string
	// Outcome is nil while the session is not over. Phase then still says where it
	// stopped, which is where a resumed session goes on.
	Outcome *Outcome
	// TurnsBefore and WorkedBefore are what was spent before `run` was said again: the
	// limits begin anew there.
	TurnsBefore  int
	WorkedBefore time.Duration
}

// What has become of a step.
const (
	StatusOpen     = ""
	StatusRunning  = "running"
	StatusVerified = "verified"
	StatusAccepted = "accepted"
	StatusFailed   = "failed"
)

// StepState is a step as its events tell it.
type StepState struct {
	Name     string
	Status   string
	Commit   string
	Tree     Tree
	By       []string
	Worked   time.Duration
	Attempts []AttemptState // of the present run of the step
	Earlier  int            // attempts of runs before `run` was said again
}

// AttemptState is one attempt as its events tell it. Takings that the agent failed are
// not told apart here: the last one is what counts.
type AttemptState struct {
	Number    int
	Iteration int
	Strategy  string
	Snapshot  Tree
	Result    Result
	Verdicts  []Verdict
	Status    Status // "" while it is under way
	Reason    string
}

// Last is the verdict that ended the attempt, nil where no gate was reached.
func (a AttemptState) Last() *Verdict {
	if len(a.Verdicts) == 0 {
		return nil
	}
	return &a.Verdicts[len(a.Verdicts)-1]
}

// Used counts the attempts that reached a verdict.
func (s StepState) Used() int {
	n := 0
	for _, a := range s.Attempts {
		if a.Status != "" {
			n++
		}
	}
	return n
}

// Done says whether nothing is left to do for the step.
func (s StepState) Done() bool {
	return s.Status == StatusVerified || s.Status == StatusAccepted
}

// Summary is a session in a few words, for lists.
type Summary struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Updated  time.Time `json:"updated"`
	PID      int       `json:"pid"`
	Dir      string    `json:"dir"`
	Root     string    `json:"root"`
	Branch   string    `json:"branch,omitempty"`
	Task     string    `json:"task"`
	TaskHash string    `json:"task_hash"`
	Folder   string    `json:"folder,omitempty"`
	Pipeline string    `json:"pipeline"`
	Step     string    `json:"step,omitempty"`
	StepNo   int       `json:"step_no"`
	Steps    int       `json:"steps"`
	Attempt  int       `json:"attempt"`
	Phase    Phase     `json:"phase"`
	Ended    Ended     `json:"ended,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Commit   string    `json:"commit,omitempty"`
	Events   int64     `json:"events"`
}

// GapError is a journal that lacks an event, or has one that does not belong there.
type GapError struct {
	Session   string
	Want, Got int64
}

func (e *GapError) Error() string {
	return fmt.Sprintf("session %s: event %d is missing (the next one there is %d)", e.Session, e.Want, e.Got)
}
