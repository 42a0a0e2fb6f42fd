package mulligan

import "time"

// An Event is one thing that happened in a session. Events are numbered 1, 2, 3 … per
// session; a number missing is a damaged journal.
type Event struct {
	Session string
	Number  int64
	Time    time.Time
	Body    Body
}

// A Body is what an event says. Its kind names it in the journal, for ever.
type Body interface{ Kind() string }

// SessionStarted is a session's first event.
type SessionStarted struct {
	Version string `json:"version"` // of mulligan
	PID     int    `json:"pid"`
	Plan    *Plan  `json:"plan"`
	Place   Place  `json:"place"`
}

// A Place is where a session works.
type Place struct {
	Dir    string `json:"dir"`              // the workspace, absolute
	Root   string `json:"root"`             // the person's checkout
	Branch string `json:"branch,omitempty"` // the session's, which the person's repository gets; "" if it gets none
	Origin string `json:"origin,omitempty"` // the branch that the person was on; "" if HEAD was detached
	// OriginHead is the commit that the person was on, Base the one that it all began with: that, or one on top of it that
	// has uncommitted files of theirs.
	OriginHead string `json:"origin_head,omitempty"`
	Base       string `json:"base"`
}

// SessionResumed begins the work of another process on the session.
type SessionResumed struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
	// Again is set where the user ran a failed task again: the failed step's attempts
	// are counted anew, under Plan, from step From.
	Again bool  `json:"again,omitempty"`
	Plan  *Plan `json:"plan,omitempty"`
	From  int   `json:"from,omitempty"` // index of the first step to take; with Again only
	// Place is where the session works from here on, nil for where it worked before.
	Place *Place `json:"place,omitempty"`
	// Head is the commit to build on, where a person has committed since, or work of theirs was
	// committed for them. Committed is its tree.
	Head      string `json:"head,omitempty"`
	Committed Tree   `json:"committed,omitzero"`
	// Tree is what the workspace has from here on, where that is not what the session left: a person's
	// work is in it too.
	Tree Tree `json:"tree,omitzero"`
	// CutShort is set where the process before ended in the middle of an interrupted session's final
	// delivery: what the delivery has done is settled before the session continues.
	CutShort bool `json:"cut_short,omitempty"`
}

// StepStarted begins a step: its first attempt comes next.
type StepStarted struct {
	Step  string `json:"step"`
	Index int    `json:"index"`
}

// AttemptStarted is the intent to try; the snapshot has been taken.
type AttemptStarted struct {
	Step      string `json:"step"`
	Attempt   int    `json:"attempt"`   // 1 and on; a taking that the agent failed keeps its number
	Iteration int    `json:"iteration"` // over the session; every taking has its own
	Strategy  string `json:"strategy,omitempty"`
	Snapshot  Tree   `json:"snapshot"`
	// RolledBack is the snapshot that has what was taken away before this attempt, "" where nothing was.
	RolledBack string `json:"rolled_back,omitempty"`
	// Lacks is what the workspace had at the session's start and no commit has, where LacksSeen is set: in the first attempt.
	Lacks     []Lack `json:"lacks,omitempty"`
	LacksSeen bool   `json:"lacks_seen,omitempty"`
}

// TurnStarted is the intent to prompt the agent.
type TurnStarted struct {
	Turn         int    `json:"turn"` // over the session
	Agent        string `json:"agent"`
	Prompt       string `json:"prompt"`
	Conversation string `json:"conversation,omitempty"` // the one that is continued
	Before       Tree   `json:"before"`                 // the workspace as the agent finds it
	Log          string `json:"log,omitempty"`          // path of what the agent prints
	Again        bool   `json:"again,omitempty"`        // the same turn once more, after a crash or an interruption
	// Purpose is why the agent is prompted, where it is not for an attempt.
	Purpose Purpose `json:"purpose,omitempty"`
	// Base is the purpose of the turn that a Stop hook sends the agent back from, Retry how often
	// it has, of at most Of times, and Reason why.
	Base   Purpose `json:"base,omitempty"`
	Retry  int     `json:"retry,omitempty"`
	Of     int     `json:"of,omitempty"`
	Reason string  `json:"reason,omitempty"`
	// Within is how long a final delivery may take, all of its turns together.
	Within time.Duration `json:"within,omitempty"`
	// Drains are the pieces that the prompt contains, by the numbers of the events that brought them.
	Drains []int64 `json:"drains,omitempty"`
}

// A Purpose is why an agent is prompted.
type Purpose string

const (
	ForAttempt  Purpose = ""         // to try
	ForNow      Purpose = "now"      // what a post_iteration hook printed that delivers now
	ForRecovery Purpose = "recovery" // what on_error hooks printed
	ForHook     Purpose = "hook"     // what a Stop hook found missing
	ForDelivery Purpose = "delivery" // what was still pending when the session ended
)

// TurnEnded is how a turn went and what it left.
type TurnEnded struct {
	Turn     int           `json:"turn"`
	Result   Result        `json:"result"`
	Tree     Tree          `json:"tree"`
	Duration time.Duration `json:"duration"`
	// Breach is what the turn did against the write rules, nil if nothing. Left is what it left then:
	// Tree is without that.
	Breach *Breach `json:"breach,omitempty"`
	Left   Tree    `json:"left,omitzero"`
}

// GateStarted is the intent to run a gate.
type GateStarted struct {
	Index int    `json:"index"` // in the step's list
	Gate  string `json:"gate"`
	Try   int    `json:"try"` // 2 when a broken gate is run once more
	// Fresh is set where the gate runs once more, in a proof made anew, as one of so many.
	Fresh bool `json:"fresh,omitempty"`
	Of    int  `json:"of,omitempty"`
}

// GateEnded is a gate's verdict.
type GateEnded struct {
	Index   int     `json:"index"`
	Try     int     `json:"try"`
	Verdict Verdict `json:"verdict"`
	// Undone are paths that the gate changed or deleted, and which were put back.
	Undone []string `json:"undone,omitempty"`
	// Tree is the work from here on, where the gate keeps what it writes and has written: a round
	// that it passed begins again. Kept are the paths that it wrote.
	Tree Tree     `json:"tree,omitzero"`
	Kept []string `json:"kept,omitempty"`
	// Fresh is set where the gate ran in a proof made anew.
	Fresh bool `json:"fresh,omitempty"`
}

// AttemptEnded closes a taking of an attempt.
type AttemptEnded struct {
	Step    string `json:"step"`
	Attempt int    `json:"attempt"`
	Status  Status `json:"status"`
	Reason  string `json:"reason,omitempty"`
	// Counted is false where the agent failed before its work could be examined: the
	// attempt keeps its number and is taken again.
	Counted bool `json:"counted"`
	// Fingerprint is what makes this failure the same as another, "" where nothing failed.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// RetryRecommended is what the policy recommends, recorded before a person is asked about it.
type RetryRecommended struct {
	Step           string         `json:"step"`
	Attempt        int            `json:"attempt"`
	Recommendation Recommendation `json:"recommendation"`
}

// Decided is what was chosen after an attempt that did not pass.
type Decided struct {
	Decision
	By string `json:"by"` // ByPolicy, ByLimit, ByPerson, ByDefault
	// Recommended is what the policy recommended, with its figures. The strategy may be another one.
	Recommended *Recommendation `json:"recommended,omitempty"`
	// Ruled are strategies that were recommended first and not taken, since nobody agreed to them.
	Ruled []string `json:"ruled,omitempty"`
}

// Waited is a pause, announced before it begins.
type Waited struct {
	For    time.Duration `json:"for"`
	Reason string        `json:"reason"`
	// Free is a wait that no limit on time counts: a rate limit is not work.
	Free bool `json:"free,omitempty"`
	// Until is when a rate limit is over: a session that is resumed waits for the rest of it.
	Until time.Time `json:"until,omitzero"`
	// Usage is what the turn had cost when it met the limit.
	Usage Usage `json:"usage,omitzero"`
	// Conversation is the one that the turn was part of when it met the limit; "" where it cannot
	// be continued.
	Conversation string `json:"conversation,omitempty"`
}

// StepCommitting is the intent to commit a verified tree.
type StepCommitting struct {
	Step   string `json:"step"`
	Commit Commit `json:"commit"`
}

// StepVerified closes a step whose gates passed.
type StepVerified struct {
	Step     string   `json:"step"`
	Attempt  int      `json:"attempt"`
	Tree     Tree     `json:"tree"`
	Commit   string   `json:"commit,omitempty"` // "" where nothing was committed
	By       []string `json:"by,omitempty"`     // the gates that passed; none: the step is accepted, not verified
	Accepted bool     `json:"accepted,omitempty"`
	Waived   []string `json:"waived,omitempty"` // what a person, or the config, let pass
}

// StepFailed closes a step that was given up.
type StepFailed struct {
	Step    string   `json:"step"`
	Reason  string   `json:"reason"`
	Verdict *Verdict `json:"verdict,omitempty"` // the last evidence
}

// StepSkipped closes a step that a person skipped: its changes are put back, and nothing is committed.
type StepSkipped struct {
	Step    string   `json:"step"`
	Reason  string   `json:"reason"`
	Tree    Tree     `json:"tree"`              // the workspace from here on
	Verdict *Verdict `json:"verdict,omitempty"` // the last evidence
}

// IterationKept closes an iteration of a loop: what it changed is committed, whatever the
// checks said.
type IterationKept struct {
	Iteration int    `json:"iteration"`
	Tree      Tree   `json:"tree"`
	Commit    string `json:"commit,omitempty"` // "" where nothing was committed
	Checks    string `json:"checks"`           // on exactly that tree: passed, failed, none, "not run"
}

// SessionEnding is the intent to end with an outcome: the final delivery and the session_end
// hooks come before it.
type SessionEnding struct {
	Outcome Outcome `json:"outcome"`
	// Settled is set where nothing is to be delivered and no hook to be run.
	Settled bool `json:"settled,omitempty"`
}

// DeliveryKept closes the final delivery.
type DeliveryKept struct {
	Passed bool   `json:"passed"` // the checks that ran again
	Commit string `json:"commit,omitempty"`
	Tree   Tree   `json:"tree,omitzero"` // the workspace from here on
	Note   string `json:"note,omitempty"`
}

// Noted is something that a person should know: a warning, a thing done otherwise than planned.
type Noted struct {
	Text string `json:"text"`
	// KeeperLost is set where a keeper of the session's children was killed or stopped from outside.
	KeeperLost bool `json:"keeper_lost,omitempty"`
	// Warm is set where the work passed its checks, and they are not run again in a proof made anew.
	Warm bool `json:"warm,omitempty"`
}

// SessionInterrupted records that a person stopped the session; it can be resumed.
type SessionInterrupted struct {
	By string `json:"by"` // "SIGINT", "SIGTERM", "mulligan stop"
}

// SessionEnded is a session's last event, until it is resumed or run again.
type SessionEnded struct {
	Outcome Outcome `json:"outcome"`
}

func (SessionStarted) Kind() string     { return "session.started" }
func (SessionResumed) Kind() string     { return "session.resumed" }
func (SessionInterrupted) Kind() string { return "session.interrupted" }
func (SessionEnded) Kind() string       { return "session.ended" }
func (StepStarted) Kind() string        { return "step.started" }
func (StepCommitting) Kind() string     { return "step.committing" }
func (StepVerified) Kind() string       { return "step.verified" }
func (StepFailed) Kind() string         { return "step.failed" }
func (StepSkipped) Kind() string        { return "step.skipped" }
func (RetryRecommended) Kind() string   { return "retry.recommended" }
func (AttemptStarted) Kind() string     { return "attempt.started" }
func (AttemptEnded) Kind() string       { return "attempt.ended" }
func (TurnStarted) Kind() string        { return "turn.started" }
func (TurnEnded) Kind() string          { return "turn.ended" }
func (GateStarted) Kind() string        { return "gate.started" }
func (GateEnded) Kind() string          { return "gate.ended" }
func (Decided) Kind() string            { return "decided" }
func (Waited) Kind() string             { return "waited" }
func (Noted) Kind() string              { return "noted" }
func (IterationKept) Kind() string      { return "iteration.kept" }
func (SessionEnding) Kind() string      { return "session.ending" }
func (DeliveryKept) Kind() string       { return "delivery.kept" }

// LeftTree returns what the turn left, before anything was put back.
func (b TurnEnded) LeftTree() Tree {
	if b.Left.ID != "" {
		return b.Left
	}
	return b.Tree
}
