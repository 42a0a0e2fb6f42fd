package protocol

import (
	"encoding/json"
	"time"

	"mulligan"
	"mulligan/guard"
	"mulligan/state"
	"mulligan/task"
)

// The tools that a person has besides those of agents, and the one that an agent's own hooks call.
const (
	ToolTell   = "tell"
	ToolPause  = "pause"
	ToolAnswer = "answer"
	ToolHook   = "hook"
	// ToolEvents reads the session's events. It is for checks and hooks, which the journal does not let in.
	ToolEvents = "session_events"
	// ToolRelease and ToolApprove are a person's word about an item that the guard keeps.
	ToolRelease = "guard_release"
	ToolApprove = "guard_approve"
)

// MaxTold is how many characters a message to an agent may have.
const MaxTold = 16384

type (
	// TellArgs are the arguments of ToolTell. Two requests with the same ID are one message; "" is never a repeat.
	TellArgs struct {
		ID   string `json:",omitempty"`
		Text string
	}
	// AnswerArgs are the arguments of ToolAnswer. ID 0 is the oldest question that is open.
	AnswerArgs struct {
		ID   int
		Text string
	}
	// GuardArgs are the arguments of ToolRelease and ToolApprove.
	GuardArgs struct {
		Item string `json:"item"`
	}
	// HookArgs are the arguments of ToolHook: an event that happened inside an agent.
	HookArgs struct {
		Event string          `json:"event"`
		Input json.RawMessage `json:"input"`
	}
)

// EventsArgs are the arguments of ToolEvents.
type EventsArgs struct {
	From int64 `json:"from"` // the first event that is wanted; events are counted from 1
}

// Events is the reply to ToolEvents. If Next is not 0, events from there on are to be asked for again.
type Events struct {
	Summary mulligan.Summary  `json:"summary"`
	Events  []json.RawMessage `json:"events"`
	Next    int64             `json:"next,omitempty"`
}

// A HookAnswer is the reply to ToolHook in the terms of the agent's program: an exit code and two
// texts.
type HookAnswer struct {
	Exit   int    `json:"exit"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

// NewRequest returns a request for a tool. args is one of the types of this package.
func NewRequest(tool string, args any) task.Request {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err) // our own types marshal
	}
	return task.Request{Tool: tool, Args: data}
}

// Apply returns the events that a person's request comes to in a session, and the reply.
func Apply(st *state.State, r task.Request, now time.Time) ([]mulligan.Body, any, error) {
	switch r.Tool {
	case ToolTell:
		return applyTell(st, r)
	case ToolPause:
		if st.Pausing != "" {
			return nil, nil, nil
		}
		return []mulligan.Body{mulligan.PauseAsked{By: "mulligan pause"}}, nil, nil
	case ToolAnswer:
		var args AnswerArgs
		if err := json.Unmarshal(r.Args, &args); err != nil {
			return nil, nil, err
		}
		a, err := st.AnswerTo(args.ID, args.Text, now)
		if err != nil {
			return nil, nil, err
		}
		return []mulligan.Body{a}, a.ID, nil
	}
	if r.Tool == ToolRelease || r.Tool == ToolApprove {
		return applyGuard(st, r)
	}
	return task.Apply(st, r)
}

// applyTell returns the event of a message, or none if the session has it already.
func applyTell(st *state.State, r task.Request) ([]mulligan.Body, any, error) {
	var args TellArgs
	if err := json.Unmarshal(r.Args, &args); err != nil || st.WasTold(args.ID) {
		return nil, nil, err
	}
	return []mulligan.Body{mulligan.Told{ID: args.ID, Text: args.Text}}, nil, nil
}

// applyGuard returns the event that a person's word about an item comes to, and the item's content.
func applyGuard(st *state.State, r task.Request) ([]mulligan.Body, any, error) {
	var args GuardArgs
	if err := json.Unmarshal(r.Args, &args); err != nil {
		return nil, nil, err
	}
	decide := guard.Release
	if r.Tool == ToolApprove {
		decide = guard.Approve
	}
	decided, err := decide(&st.Guard, args.Item)
	if err != nil {
		return nil, nil, err
	}
	return []mulligan.Body{decided}, st.Guard.Item(decided.Key).Content, nil
}

// Changes reports whether a tool changes a session, and does not only look at it.
func Changes(tool string) bool {
	for _, t := range task.Tools() {
		if t.Name == tool {
			return !t.Reads
		}
	}
	return true
}
