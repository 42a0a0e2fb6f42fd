// Package task implements the tools by which agents handle their tasks and notes: one
// implementation of every tool, whichever way it is called. It is a function of the session's
// state: what a request changes is returned as events, and what is wrong with it as words for a
// model.
package task

import (
	"encoding/json"
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// A Request is a tool called with arguments, a JSON object.
type Request struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	// ID makes two requests one, whichever process answers them: the first may be killed after it has stored what it
	// adds. "" is never a repeat.
	ID string `json:"id,omitempty"`
}

// A Refusal is a request that was understood and not granted, or not understood. The message is for
// a model: what is wrong, and what to do.
type Refusal struct{ Message string }

func (r *Refusal) Error() string { return r.Message }

func refuse(format string, args ...any) error {
	return &Refusal{fmt.Sprintf(format, args...)}
}

// The tools.
const (
	ToolAdd      = "task_add"
	ToolAddMany  = "task_add_many"
	ToolList     = "task_list"
	ToolNext     = "task_next"
	ToolUpdate   = "task_update"
	ToolNoteAdd  = "note_add"
	ToolNoteList = "note_list"
	ToolSummary  = "iteration_summary"
	ToolComplete = "session_complete"
	ToolAsk      = "ask"
	ToolStatus   = "session_status"
)

// What a session holds at most. A tool that reaches a bound refuses.
const (
	MaxTasks    = 5000
	MaxNotes    = 5000
	MaxText     = 16384 // characters of a task, a note, a summary
	maxReason   = 2000
	maxDepends  = 100
	maxTogether = 200 // tasks of one task_add_many

	quotedLength = 60 // characters of what a request said, in a message
)

// Apply answers a request: it returns the events to store, in order, and the reply, which marshals
// to JSON. A *Refusal changes nothing and has no events. ask is not answered here: it waits for a
// person, which a function of the state cannot.
func Apply(st *state.State, r Request) (bodies []mulligan.Body, reply any, err error) {
	switch t := findTool(r.Tool); {
	case t.apply != nil:
		if reply := repeatAdded(st, r); reply != nil {
			return nil, reply, nil
		}
		bodies, reply, err = t.apply(st, r)
		return markRequest(bodies, r.ID), reply, err
	case r.Tool == ToolAsk:
		return nil, nil, fmt.Errorf("%s is for the session to answer", r.Tool)
	}
	var names []string
	for _, t := range Tools() {
		names = append(names, t.Name)
	}
	return nil, nil, refuse("there is no tool %q; there are %s", text.Clip(r.Tool, quotedLength), strings.Join(names, ", "))
}
