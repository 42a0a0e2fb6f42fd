// Package view folds a session's events into what a person is shown. A view is a
// function over snapshots: it looks at nothing else, and every text in a snapshot is
// already fit for a terminal.
package view

import (
	"time"

	"mulligan"
)

// A Snapshot is a session as a view shows it at one moment.
type Snapshot struct {
	Session  string
	Task     string
	Folder   string // the folder that was run, where one was
	Pipeline string
	Place    mulligan.Place
	Commits  bool // verified steps are committed
	Version  string
	PID      int
	Gone     bool // that process is no more; for the caller to say, the journal cannot
	Started  time.Time
	Updated  time.Time     // time of the last event
	Elapsed  time.Duration // under way, without the time between an end and a resumption
	Resumed  int           // how often it was resumed

	Steps     []Step
	Current   int // index of the step under way or last under way; -1 before the first
	Iteration int
	Turn      int
	Running   *Activity // nil between activities, and after the end
	Agents    []string  // those that are told what they may do, each with what that is
	Loop      *Loop     // nil: a pipeline
	Tasks     Tasks     // the agent's own
	Hooks     []Hook    // the user's that have run, as each went last
	Pending   int       // texts of hooks and people that wait for the agent's next turn
	Claimed   bool      // the agent says that the session is complete
	Summary   string    // what the agent said of the last iteration
	Questions []Question
	Settled   []mulligan.Question // the last questions that were answered, or that nobody answered
	Pausing   string              // who asked for a pause that has not come yet
	// HookRetries is how often in a row Stop hooks may send the agent back.
	HookRetries int
	Ending      *mulligan.Outcome // set from the decision to end to the end

	// Evidence is the last verdict that did not pass, until its step passes.
	Evidence *mulligan.Verdict
	// FedBack says that the evidence went back to the agent.
	FedBack bool

	Notes       []string // the last ones
	Interrupted string   // by what, where it was and has not gone on
	Outcome     *mulligan.Outcome
	Usage       mulligan.Usage
	Judged      int // turns of judges so far, which are in Usage too

	Lines     []OutputLine // the last lines of live output
	LinesEver int64        // lines of live output so far, to tell which of them Lines are
}

// Over says that nothing more comes unless the session is resumed.
func (s Snapshot) Over() bool { return s.Outcome != nil }

// Step is the step under way, nil before the first.
func (s Snapshot) Step() *Step {
	if s.Current < 0 || s.Current >= len(s.Steps) {
		return nil
	}
	return &s.Steps[s.Current]
}

// A Step is one line of a session's progress.
type Step struct {
	Name     string
	Status   StepStatus
	Attempt  int // the one under way, or the last; 0 before the first
	Max      int // attempts that there may be
	Earlier  int // attempts before the task was run again
	Strategy string
	Commit   string
	Waived   []string // what was waived in the last attempt
	Elapsed  time.Duration
	Checks   []Check // of the last attempt
	Limits   mulligan.Budget
	Spent    mulligan.Spending // of those limits
}

// StepStatus is where a step stands.
type StepStatus string

const (
	Open     StepStatus = "open"
	Running  StepStatus = "running"
	Verified StepStatus = "verified"
	Accepted StepStatus = "accepted"
	Failed   StepStatus = "failed"
)

// Done says whether the step needs no more work.
func (s StepStatus) Done() bool { return s == Verified || s == Accepted }

// A Check is a gate of a step, as the last attempt met it.
type Check struct {
	Name     string
	Final    bool // only a claim of completion has to pass it
	Running  bool
	Status   mulligan.Status // "" before its verdict
	Summary  string
	Duration time.Duration
}

// An Activity is what runs now.
type Activity struct {
	Kind    ActivityKind
	Name    string           // the agent, the check, the hook, the reason of a wait
	Purpose mulligan.Purpose // of an agent's turn, where it is not for an attempt
	// SentBack is set for a turn that Stop hooks asked for.
	SentBack *SentBack
	Since    time.Time
	Elapsed  time.Duration
	Left     time.Duration // of a wait
	Until    time.Time     // the end of a wait, in the zone of who looks
}

// ActivityKind says what sort of thing runs.
type ActivityKind string

const (
	OfAgent  ActivityKind = "agent"
	OfCheck  ActivityKind = "check"
	OfWait   ActivityKind = "waiting"
	OfCommit ActivityKind = "commit"
	OfHook   ActivityKind = "hook"
)

func (a Activity) String() string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return string(a.Kind) + " " + a.Name
}
