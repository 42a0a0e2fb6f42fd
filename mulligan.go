// Package mulligan runs a coding agent in a checked loop: it prompts the agent,
// examines the work itself, feeds the evidence back, and tries again within
// limits, until the work is verified or a person is needed.
//
// This package is the vocabulary. It imports the standard library only; everything
// that touches the world (agents, gates, the workspace, the journal) is an interface
// here and an adapter elsewhere. What a session's events come to is package state,
// the loop is package loop.
package mulligan

import (
	"cmp"
	"slices"
	"time"
)

// Status is what a gate came to.
type Status string

const (
	Pass   Status = "pass"   // the work is right
	Fail   Status = "fail"   // the work is wrong
	Broken Status = "broken" // the gate could not tell: never a pass, and never the agent's fault
)

// A Verdict is a gate's answer, with the evidence for it.
type Verdict struct {
	Status   Status        `json:"status"`
	Gate     string        `json:"gate"`              // the gate's name: "tests", "npm test", "file_exists PLAN.md"
	Summary  string        `json:"summary,omitempty"` // one line for people: "exit status 1", "3 tests failed"
	Finding  *Finding      `json:"finding,omitempty"` // nil when there is nothing to show
	Duration time.Duration `json:"duration,omitempty"`
	// OutOfTime is set where the time of the step, or of the final delivery, ended the gate.
	OutOfTime bool `json:"out_of_time,omitempty"`
	// Vacuous is set where the command succeeded and the check fails all the same: it ran no tests, or
	// fewer than are wanted.
	Vacuous bool `json:"vacuous,omitempty"`
	// Baseline is how its failures relate to those before the first attempt, nil if that was not looked for.
	Baseline *Comparison `json:"baseline,omitempty"`
	// Flaky is how often the gate failed on the same tree before it passed.
	Flaky int `json:"flaky,omitempty"`
	// Judge is the usage of the agent that decided, or was to decide; nil where no agent was asked.
	Judge *Usage `json:"judge,omitempty"`
}

// A Finding is the evidence that a gate leaves: bounded, and pointing to the whole.
type Finding struct {
	Command string `json:"command"`       // how a prompt names the check: the command, or "file_exists PATH"
	Text    string `json:"text"`          // the distilled output, both streams; "" when there was none
	Cut     bool   `json:"cut,omitempty"` // Text is less than the whole
	// ItemsFirst is set where Text begins with what failed, and not with the start of the output.
	ItemsFirst bool   `json:"items_first,omitempty"`
	Whole      string `json:"whole,omitempty"` // path of the whole output
	Bytes      int64  `json:"bytes,omitempty"` // size of the whole output
	Exit       string `json:"exit,omitempty"`  // "exit status 1", "signal: killed", "timed out after 10m0s"
	// CutShort is set where the command did not end by itself: a signal or its time limit ended it.
	CutShort bool   `json:"cut_short,omitempty"`
	Runner   string `json:"runner,omitempty"` // the test runner whose format was recognised: "go test", "pytest"
	Counts   Counts `json:"counts,omitzero"`
	// Counted is set where Counts has every test that ran.
	Counted bool   `json:"counted,omitempty"`
	Failing []Item `json:"failing,omitempty"` // what failed, where the format is known; bounded
}

// Counts are what a test runner reported.
type Counts struct {
	Passed  int `json:"passed,omitempty"`
	Failed  int `json:"failed,omitempty"`
	Skipped int `json:"skipped,omitempty"`
}

// Ran returns how many tests ran. One that was skipped did not.
func (c Counts) Ran() int { return c.Passed + c.Failed }

// An Item is one thing that failed: a test, or a compiler's error.
type Item struct {
	Name    string `json:"name"`              // "TestAdd/negative", "src/app.ts(3,7)"
	Place   string `json:"place,omitempty"`   // "calc_test.go:12"
	Message string `json:"message,omitempty"` // its first error, one or a few lines
}

// Ending is how an agent's turn ended.
type Ending string

const (
	Finished    Ending = "finished"     // it stopped by itself: the gates decide
	AtLimit     Ending = "limit"        // a limit of the agent's own: the gates decide, the feedback says so
	Refused     Ending = "refused"      // the model refused: a failed attempt
	RateLimited Ending = "rate_limited" // wait, then the same turn again
	Unavailable Ending = "unavailable"  // see Result.Cause
	Crashed     Ending = "crashed"      // a failed iteration
	TimedOut    Ending = "timed_out"    // a failed iteration
	Cancelled   Ending = "cancelled"    // stopped by us
)

// Examined reports whether the gates examine what such a turn left.
func (e Ending) Examined() bool { return e == Finished || e == AtLimit }

// Cause is why an agent is unavailable. Only Network may pass by itself.
type Cause string

const (
	Network Cause = "network"
	Missing Cause = "missing" // its program is not there
	Auth    Cause = "auth"
	Billing Cause = "billing"
)

// Usage is what a turn cost. Zero means that the agent did not say.
type Usage struct {
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	CachedTokens int64   `json:"cached_tokens,omitempty"` // of the input, read from a cache
	Turns        int     `json:"turns,omitempty"`         // the agent's own
	CostUSD      float64 `json:"cost_usd,omitempty"`
	Estimated    bool    `json:"estimated,omitempty"`
}

// A Result is how a turn went.
type Result struct {
	Ending       Ending    `json:"ending"`
	Cause        Cause     `json:"cause,omitempty"`
	Reason       string    `json:"reason,omitempty"`        // one line for people: "exit status 1", "silent for 10m0s"
	Until        time.Time `json:"until,omitzero"`          // RateLimited: when to try again, where the agent said
	Complaint    string    `json:"complaint,omitempty"`     // what a program that failed printed as its error, where that is more than a line
	ComplaintCut bool      `json:"complaint_cut,omitempty"` // Complaint is less than that; the log has it all
	Message      string    `json:"message,omitempty"`
	MessageCut   bool      `json:"message_cut,omitempty"`  // Message is less than the agent said; the log has it all
	Conversation string    `json:"conversation,omitempty"` // id to continue with; "" when this agent cannot
	Denied       []string  `json:"denied,omitempty"`       // tools that were denied
	Denials      []Denial  `json:"denials,omitempty"`      // what they were to be used on, where the agent tells it apart
	Refused      []Refusal `json:"refused,omitempty"`      // what its confinement kept it from writing, as far as its output tells
	Usage        Usage     `json:"usage,omitzero"`
}

// A Denial is the use of a tool that an agent was denied.
type Denial struct {
	Tool    string `json:"tool"`
	Subject string `json:"subject,omitempty"` // the command, the path
	// Allow is the line of config that would allow it and as little else as the agent's program can be told; "" if only
	// AllowAll would. It is a hint for a person.
	Allow string `json:"allow,omitempty"`
}

func (d Denial) String() string {
	if d.Subject == "" {
		return d.Tool
	}
	return d.Tool + ": " + d.Subject
}

// AddDenials adds what the agent was denied, in words that clean has cleaned.
func (r *Result) AddDenials(denials []Denial, clean func(string) string) {
	for _, d := range denials {
		d.Tool = clean(d.Tool)
		r.Denied, r.Denials = append(r.Denied, d.Tool), append(r.Denials, d)
	}
}

// AllowAll returns the line of config that lets an agent use all of its tools.
func AllowAll(agent string) string { return "agents: {" + agent + ": {permissions: full}}" }

// DeniedUses returns what the agent of a name was denied, each with what it wanted to do as far as that is known, and
// with a line of config that would allow it.
func (r Result) DeniedUses(agent string) []Denial {
	uses := slices.Clone(r.Denials)
	if len(uses) == 0 {
		for _, tool := range r.Denied {
			uses = append(uses, Denial{Tool: tool})
		}
	}
	for i := range uses {
		uses[i].Allow = cmp.Or(uses[i].Allow, AllowAll(agent))
	}
	return uses
}

// A Refusal is a path that a confined agent was refused writing, with the line of config that would allow it.
// It is a hint for a person.
type Refusal struct {
	Path  string `json:"path"`
	Allow string `json:"allow"`
}

// A Tree is the state of a workspace: its files by content, and where git stands.
type Tree struct {
	ID   string `json:"id"`             // id of a tree object in the snapshot repository
	Head string `json:"head,omitempty"` // the commit that HEAD names
}
