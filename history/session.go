package history

import (
	"cmp"
	"slices"
	"time"

	"mulligan"
)

// A Session is what is kept of a past session: its outcome, what each step took, and what its checks
// and hooks did. A session that is resumed or run again gets another record, with more events.
type Session struct {
	ID     string `json:"id"`
	Events int64  `json:"events"` // that the record is made of: the version of the record
	Root   string `json:"root"`   // the repository
	// Pipeline is that of the plan. A loop has a Name besides.
	Pipeline string         `json:"pipeline"`
	Name     string         `json:"name,omitempty"`
	Task     string         `json:"task"`
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished,omitzero"` // zero where the session has not ended
	Ended    mulligan.Ended `json:"ended,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Step     string         `json:"step,omitempty"` // the one that the session stopped at
	// Resumes counts how often another process has taken the session up.
	Resumes    int            `json:"resumes,omitempty"`
	Iterations int            `json:"iterations"` // every taking of an attempt
	Turns      int            `json:"turns"`
	Judged     int            `json:"judged,omitempty"` // turns of judges besides
	Worked     time.Duration  `json:"worked"`
	Usage      mulligan.Usage `json:"usage,omitzero"`
	BilledUSD  float64        `json:"billed_usd,omitempty"` // of Usage.CostUSD; the rest is an estimate
	Steps      []Step         `json:"steps"`
	Checks     []CheckRuns    `json:"checks,omitempty"`
	Hooks      []HookRuns     `json:"hooks,omitempty"`
}

// Line returns what a session is one of: its pipeline, or the name of its loop.
func (s Session) Line() string { return cmp.Or(s.Name, s.Pipeline) }

// Time returns when the session ended, or when it began if it has not ended.
func (s Session) Time() time.Time {
	if s.Finished.IsZero() {
		return s.Started
	}
	return s.Finished
}

// Attempts counts the attempts of all steps.
func (s Session) Attempts() int {
	n := 0
	for _, step := range s.Steps {
		n += step.Attempts
	}
	return n
}

// A StepStatus is what became of a step in a session.
type StepStatus string

const (
	StepVerified  StepStatus = "verified"
	StepAccepted  StepStatus = "accepted"
	StepFailed    StepStatus = "failed"
	StepSkipped   StepStatus = "skipped"
	StepOpen      StepStatus = "open"      // it began, and the session ended before it was decided
	StepUnreached StepStatus = "unreached" // the session did not get so far
)

// Reached reports whether the step has begun.
func (s StepStatus) Reached() bool { return s != StepUnreached && s != "" }

// Failed reports whether the step has begun and ended unverified.
func (s StepStatus) Failed() bool {
	return s.Reached() && s != StepVerified && s != StepAccepted
}

// A Step is what is kept of a step of a session.
type Step struct {
	Name      string         `json:"step"`
	Status    StepStatus     `json:"status"`
	Attempts  int            `json:"attempts"` // over all runs of the task in this session
	Retries   []Retry        `json:"retries,omitempty"`
	Turns     int            `json:"turns,omitempty"`
	Worked    time.Duration  `json:"worked,omitempty"`
	Usage     mulligan.Usage `json:"usage,omitzero"`
	BilledUSD float64        `json:"billed_usd,omitempty"`
	// Time is where Worked went, Agents who took the turns. Records of earlier versions have neither.
	Time   Times      `json:"time,omitzero"`
	Agents []AgentUse `json:"agents,omitempty"`
}

// Times are what the time of a step went to.
type Times struct {
	Agent  time.Duration `json:"agent,omitempty"`
	Checks time.Duration `json:"checks,omitempty"`
	Hooks  time.Duration `json:"hooks,omitempty"`
	Waits  time.Duration `json:"waits,omitempty"` // for rate limits, people, and before an agent is tried again
}

// An AgentUse is what an agent's turns at a step have cost.
type AgentUse struct {
	Agent     string  `json:"agent"`
	Model     string  `json:"model,omitempty"` // that the plan asks for; "": the agent's own choice
	Turns     int     `json:"turns"`
	CostUSD   float64 `json:"cost_usd,omitempty"`
	Estimated bool    `json:"estimated,omitempty"` // CostUSD is, or a part of it
}

// Strategies returns the strategy of each retry, in order.
func (s Step) Strategies() []string {
	used := make([]string, 0, len(s.Retries))
	for _, r := range s.Retries {
		used = append(used, r.Strategy)
	}
	return used
}

// A Retry is an attempt after one that did not pass.
type Retry struct {
	Attempt  int    `json:"attempt"`
	Strategy string `json:"strategy"`
	By       string `json:"by,omitempty"` // who chose it: policy, person, default
	// Outcome is what the attempt came to, "" if it came to nothing.
	Outcome     mulligan.Status `json:"outcome,omitempty"`
	Fingerprint string          `json:"fingerprint,omitempty"` // of its failure
}

// Decided reports whether the attempt has passed or failed, so that it tells something of its strategy.
func (r Retry) Decided() bool { return r.Outcome == mulligan.Pass || r.Outcome == mulligan.Fail }

// Counts reports whether an ended session tells how likely its steps are to fail. One that a person
// interrupted, that waits, or that a broken gate or an unavailable agent ended does not.
func Counts(e mulligan.Ended) bool {
	return slices.Contains([]mulligan.Ended{mulligan.Verified, mulligan.Accepted, mulligan.GaveUp, mulligan.LimitReached}, e)
}

// CheckRuns is what a check did in one session.
type CheckRuns struct {
	Name   string `json:"name"`
	Runs   int    `json:"runs"`
	Failed int    `json:"failed,omitempty"`
	Broken int    `json:"broken,omitempty"`
	Flips  int    `json:"flips,omitempty"` // trees on which it has both passed and failed
	Took   Spread `json:"took"`
}

// HookRuns is what a hook did in one session.
type HookRuns struct {
	Moment   string `json:"moment"`
	Name     string `json:"name"`
	Runs     int    `json:"runs"`
	Blocks   int    `json:"blocks,omitempty"`
	Helped   int    `json:"helped,omitempty"` // blocks in attempts that have passed then
	Halts    int    `json:"halts,omitempty"`
	Broken   int    `json:"broken,omitempty"`
	Failures int    `json:"failures,omitempty"`
	Took     Spread `json:"took"`
}
