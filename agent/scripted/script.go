package scripted

import (
	"encoding/json"
	"time"

	"mulligan"
)

// A Script is a rehearsal: what the agent does in each turn. It is stored with the plan, so that a
// resumed session plays what was planned.
type Script struct {
	Pace  time.Duration     `json:"pace,omitempty"`  // between the lines of a text
	Turns []Turn            `json:"turns,omitempty"` // by the turn's number in the session
	Steps map[string][]Turn `json:"steps,omitempty"` // by step, and by attempt within it
	// Others are the turns that belong to no attempt, by their purpose.
	Others map[mulligan.Purpose]Turn `json:"others,omitempty"`
}

// A Turn is the actions of one turn, in order.
type Turn []Action

// An Action is one thing that the agent does. Do names it, and decides which of the other fields
// count.
type Action struct {
	Do      string          `json:"do"`
	Line    int             `json:"line,omitempty"`    // in the script, for messages
	Text    string          `json:"text,omitempty"`    // say, run: what; an ending: its reason
	Path    string          `json:"path,omitempty"`    // write, append, delete
	Content string          `json:"content,omitempty"` // write, append
	Mode    uint32          `json:"mode,omitempty"`    // write; 0: as new files are, or as it was
	Wants   []string        `json:"wants,omitempty"`   // expect_prompt
	For     time.Duration   `json:"for,omitempty"`     // sleep; rate_limit: until it may be tried again
	Cause   string          `json:"cause,omitempty"`   // unavailable
	Tool    string          `json:"tool,omitempty"`    // task, note, ask, summary, complete: the session's tool
	Args    json.RawMessage `json:"args,omitempty"`    // its arguments
	Must    bool            `json:"must,omitempty"`    // a refusal of the tool's crashes the turn
	Times   int             `json:"times,omitempty"`   // an ending: in the first so many takings of the turn; 0: in all
}

// The actions. An ending ends the turn at its place.
const (
	doSay         = "say"
	doWrite       = "write"
	doAppend      = "append"
	doDelete      = "delete"
	doRun         = "run"
	doExpect      = "expect_prompt"
	doTask        = "task"
	doNote        = "note"
	doAsk         = "ask"
	doSummary     = "summary"
	doComplete    = "complete"
	doSleep       = "sleep"
	doHang        = "hang"
	doFail        = "fail"
	doCrash       = "crash"
	doRefuse      = "refuse"
	doLimit       = "limit"
	doUnavailable = "unavailable"
	doRateLimit   = "rate_limit"
)

var actionNames = []string{
	doSay, doWrite, doAppend, doDelete, doRun, doTask, doNote, doAsk, doSummary, doComplete, doExpect, doSleep, doHang,
	doFail, doCrash, doRefuse, doLimit, doUnavailable, doRateLimit,
}
