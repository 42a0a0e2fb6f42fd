package mulligan

import "time"

// Ended is how a session ended. Expected endings are values; an error is for what broke.
type Ended string

const (
	Verified         Ended = "verified"    // every gate passed
	Accepted         Ended = "accepted"    // a gate was waived, or there was none
	GaveUp           Ended = "gave_up"     // not verified
	LimitReached     Ended = "limit"       // time, turns, iterations …
	Waiting          Ended = "waiting"     // for a person
	GateBroken       Ended = "gate_broken" // a gate could not tell
	AgentUnavailable Ended = "unavailable"
	Interrupted      Ended = "interrupted"
)

// An Outcome is what a session came to.
type Outcome struct {
	Ended    Ended         `json:"ended"`
	Reason   string        `json:"reason,omitempty"`   // why not, or what was waived
	Step     string        `json:"step,omitempty"`     // the step that it stopped at
	Limit    string        `json:"limit,omitempty"`    // the limit that was reached, by its key in the config
	LimitOf  string        `json:"limit_of,omitempty"` // the step whose limit that is; "": the session's
	Steps    []StepOutcome `json:"steps,omitempty"`
	Tree     Tree          `json:"tree,omitzero"`      // the last verified tree
	Left     Tree          `json:"left,omitzero"`      // all that the session left in the workspace
	Commit   string        `json:"commit,omitempty"`   // the last commit of the session's own
	Evidence *Verdict      `json:"evidence,omitempty"` // of what did not pass
	Turns    int           `json:"turns"`
	Judged   int           `json:"judged,omitempty"` // turns of judges besides
	Worked   time.Duration `json:"worked"`           // turns, checks and waits; not downtime
	Usage    Usage         `json:"usage,omitzero"`
	// Iterations are those of the whole session.
	Iterations int `json:"iterations,omitempty"`
	// Tasks is how many tasks there are, and how many of them are open.
	Tasks TaskCount `json:"tasks,omitzero"`
	// Notes are what a person should know of how it ended.
	Notes []string `json:"notes,omitempty"`
	// KeepersLost is how many keepers of agents, checks and hooks were killed or stopped from outside. What
	// was below them was ended.
	KeepersLost int `json:"keepers_lost,omitempty"`
	// Undelivered names what was piped and never reached the agent. A resumed session delivers it.
	Undelivered []string `json:"undelivered,omitempty"`
	// Over are the items that were claimed too often, of a session that waits for a person because it has
	// nothing else left to do.
	Over []string `json:"over,omitempty"`
	// Handover is how the work reached the person's repository; nil before the session has ended.
	Handover *Handover `json:"handover,omitempty"`
	// Warm is set where the checks were not run again in a proof made anew.
	Warm bool `json:"warm,omitempty"`
	// Touched is what differs between what the session found and what it left; nil if that is not known.
	Touched *Touched `json:"touched,omitempty"`
	// Questions are those that were answered, by a person or by their default: what the work rests on.
	Questions []Question `json:"questions,omitempty"`
}

// A TaskCount is how many tasks a session has.
type TaskCount struct {
	All  int `json:"all"`
	Open int `json:"open"`
}

// A StepOutcome is what a step came to.
type StepOutcome struct {
	Step     string   `json:"step"`
	Status   string   `json:"status"` // verified, accepted, failed, open
	Attempts int      `json:"attempts"`
	Commit   string   `json:"commit,omitempty"`
	By       []string `json:"by,omitempty"`
	// Gates is what each of By rests on. Tree is what they saw. Waived is what was let pass.
	Gates  []GateEvidence `json:"gates,omitempty"`
	Tree   Tree           `json:"tree,omitzero"`
	Waived []string       `json:"waived,omitempty"`
	Turns  int            `json:"turns,omitempty"`
	Judged int            `json:"judged,omitempty"`
	Usage  Usage          `json:"usage,omitzero"`
}

// The exit codes, which scripts depend on.
const (
	ExitOK          = 0
	ExitInternal    = 1
	ExitUsage       = 2
	ExitGaveUp      = 3
	ExitLimit       = 4
	ExitWaiting     = 5
	ExitGateBroken  = 6
	ExitUnavailable = 7
	ExitBusy        = 8
	ExitInterrupted = 130
)

// ExitCode returns the code that a process ends with after this outcome.
func (o Outcome) ExitCode() int {
	switch o.Ended {
	case Verified, Accepted:
		return ExitOK
	case GaveUp:
		return ExitGaveUp
	case LimitReached:
		return ExitLimit
	case Waiting:
		return ExitWaiting
	case GateBroken:
		return ExitGateBroken
	case AgentUnavailable:
		return ExitUnavailable
	case Interrupted:
		return ExitInterrupted
	}
	return ExitInternal
}

// Good reports whether the outcome is one that a user wanted.
func (o Outcome) Good() bool { return o.Ended == Verified || o.Ended == Accepted }
