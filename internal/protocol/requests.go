package protocol

import (
	"encoding/json"
	"time"

	"mulligan"
	"mulligan/task"
)

// The tools that a person has besides those of agents, and the one that an agent's own hooks call.
const (
	ToolTell   = "tell"
	ToolPause  = "pause"
	ToolAnswer = "answer"
	ToolHook   = "hook"
)

type (
	// TellArgs are the arguments of ToolTell.
	TellArgs struct{ Text string }
	// AnswerArgs are the arguments of ToolAnswer. ID 0 is the oldest question that is open.
	AnswerArgs struct {
		ID   int
		Text string
	}
	// HookArgs are the arguments of ToolHook: an event that happened inside an agent.
	HookArgs struct {
		Event string          `json:"event"`
		Input json.RawMessage `json:"input"`
	}
)

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
func Apply(st *mulligan.State, r task.Request, now time.Time) ([]mulligan.Body, any, error) {
	switch r.Tool {
	case ToolTell:
		var args TellArgs
		err := json.Unmarshal(r.Args, &args)
		return []mulligan.Body{mulligan.Told{Text: args.Text}}, nil, err
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
	return task.Apply(st, r)
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
