package mulligan

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// A Moment of a session is when a user's hooks run. Its value is its key in the config.
type Moment string

const (
	SessionStart   Moment = "session_start"    // once, before the first iteration
	PreIteration   Moment = "pre_iteration"    // before each iteration's prompt
	PostIteration  Moment = "post_iteration"   // after each iteration's gates
	OnTaskComplete Moment = "on_task_complete" // when a task becomes completed
	OnError        Moment = "on_error"         // when an agent's turn failed, or mulligan panicked
	SessionEnd     Moment = "session_end"      // once, after the final delivery
)

// Moments returns all moments, in the order in which a session meets them.
func Moments() []Moment {
	return []Moment{SessionStart, PreIteration, PostIteration, OnTaskComplete, OnError, SessionEnd}
}

// When a hook of PostIteration or SessionEnd runs.
const (
	Always    = "" // whatever the verdict or the outcome
	OnFailure = "failure"
	OnSuccess = "success"
)

// A HookSpec is a user's command at a moment.
type HookSpec struct {
	Name    string            `json:"name"`              // for people and the journal; the command where the user gave none
	Command string            `json:"command"`           // as the user wrote it
	Script  string            `json:"script"`            // what the shell runs: variables are references to the environment
	Timeout time.Duration     `json:"timeout,omitempty"` // 0: none
	Pipe    bool              `json:"pipe,omitempty"`    // the agent gets what it prints
	When    string            `json:"when,omitempty"`
	Now     bool              `json:"now,omitempty"` // deliver: now
	Env     map[string]string `json:"env,omitempty"`
	Dir     string            `json:"dir,omitempty"` // relative to the workspace
}

// IsFor reports whether the hook runs at such an end.
func (h HookSpec) IsFor(good bool) bool {
	switch h.When {
	case OnFailure:
		return !good
	case OnSuccess:
		return good
	}
	return true
}

// HookRunner runs a user's hooks.
type HookRunner interface {
	// Run runs one hook to its end. It never fails: what went wrong is in the result. When ctx
	// ends, the hook and its descendants are stopped, and the result is not used.
	Run(ctx context.Context, c HookCall) HookResult
}

// A HookCall is one run of a hook. What its moment does not have is zero.
type HookCall struct {
	Session   string
	Moment    Moment
	Hook      HookSpec
	Iteration int
	Task      TaskItem
	Error     string
	Dir       string    // the workspace
	Output    string    // path where the whole output is kept; its folder exists
	Live      io.Writer // the same output as it comes; never blocks, nil where no viewer watches
}

// A HookResult is what became of a hook.
type HookResult struct {
	OK    bool   `json:"ok"`
	Exit  string `json:"exit"`            // "exit status 0", "timed out after 30s", "cannot start: …"
	Text  string `json:"text,omitempty"`  // what the agent gets of it, distilled; only of a hook that pipes
	Cut   bool   `json:"cut,omitempty"`   // Text is less than the whole
	Whole string `json:"whole,omitempty"` // path of the whole output
	Bytes int64  `json:"bytes,omitempty"` // size of the whole output
}

// HookStarted is the intent to run a hook.
type HookStarted struct {
	Run       int    `json:"run"` // over the session; a hook that is run again has another
	Moment    Moment `json:"moment"`
	Index     int    `json:"index"` // in the moment's list
	Name      string `json:"name"`
	Iteration int    `json:"iteration,omitempty"`
	Task      int    `json:"task,omitempty"`
}

// HookEnded is how a hook went.
type HookEnded struct {
	Run       int           `json:"run"`
	Moment    Moment        `json:"moment"`
	Index     int           `json:"index"`
	Name      string        `json:"name"`
	Iteration int           `json:"iteration,omitempty"`
	Task      int           `json:"task,omitempty"`
	Result    HookResult    `json:"result"`
	Piped     bool          `json:"piped,omitempty"` // the agent gets Result.Text
	Duration  time.Duration `json:"duration"`
	// Tree is what a session_start hook left in the workspace. Its Head is the base, which the hook may have moved.
	Tree Tree `json:"tree,omitzero"`
}

// RoundEnded is what an iteration's gates came to, recorded before its post_iteration hooks run.
type RoundEnded struct {
	Status Status `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// Panicked is a fault of mulligan's own in an iteration, which has failed by it.
type Panicked struct {
	Text string `json:"text"`
}

// A Piece is a text that waits to be given to the agent.
type Piece struct {
	Event     int64  // number of the event that brought it: its id
	Moment    Moment // of the hook that printed it; "" where a person said it
	Name      string // the hook's
	Iteration int
	Task      int // on_task_complete: the task's id
	// Question is the question of an agent that the text answers, 0 if it answers none. Asked is what
	// the agent asked, and Turn the turn in which the agent has got the answer as it came.
	Question int
	Asked    string
	Turn     int
	Text     string
	// Given is set once a turn that did not come to its end has carried the piece.
	Given bool
}

// Label returns where a piece came from: `post_iteration hook "tests", iteration 3`.
func (p Piece) Label() string {
	switch {
	case p.Question > 0:
		return fmt.Sprintf("answer of the person to question %d", p.Question)
	case p.Moment == "":
		return "message from the person"
	case p.Task > 0:
		return fmt.Sprintf("%s hook %q, task %d", p.Moment, p.Name, p.Task)
	case p.Iteration > 0:
		return fmt.Sprintf("%s hook %q, iteration %d", p.Moment, p.Name, p.Iteration)
	}
	return fmt.Sprintf("%s hook %q", p.Moment, p.Name)
}

// A DueHook is a hook of on_task_complete that has not ended yet.
type DueHook struct {
	Index int
	Task  TaskItem // as it was when it became completed
}

func (HookStarted) Kind() string { return "hook.started" }
func (HookEnded) Kind() string   { return "hook.ended" }
func (RoundEnded) Kind() string  { return "round.ended" }
func (Panicked) Kind() string    { return "panicked" }

// IsCarriedBy reports whether the agent gets a piece in a turn: in its prompt, or as the answer to a
// question that it asks there. turn may be nil.
func (p Piece) IsCarriedBy(turn *TurnStarted) bool {
	return turn != nil && (slices.Contains(turn.Drains, p.Event) || p.Turn > 0 && p.Turn == turn.Turn)
}
