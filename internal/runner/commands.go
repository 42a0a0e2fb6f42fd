package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/protocol"
	"mulligan/journal"
	"mulligan/state"
	"mulligan/task"
)

// hookTools are the tools by which a hook may add to its session.
var hookTools = []string{task.ToolAdd, task.ToolAddMany, task.ToolNoteAdd}

// claimTools are the tools that speak for the turn that runs: what is claimed or asked without one is not
// the agent's.
var claimTools = []string{task.ToolComplete, task.ToolAsk}

// maxEventBytes is how much of the events one reply has; the caller asks again for the rest.
const maxEventBytes = 4 << 20

// isClaim reports whether a request of an agent claims that work is done, or asks a person.
func isClaim(r task.Request) bool {
	if r.Tool == task.ToolUpdate {
		var args struct{ Status mulligan.TaskStatus }
		return json.Unmarshal(r.Args, &args) == nil && args.Status == mulligan.Completed
	}
	return slices.Contains(claimTools, r.Tool)
}

// requireTurn refuses a claim unless an agent's turn runs.
func (h *requestHandler) requireTurn(ctx context.Context) error {
	err := h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		if st.InFlight == nil {
			return nil, &task.Refusal{Message: "no turn runs now: only the agent of a running turn can claim that work is done, or ask the person"}
		}
		return nil, nil
	})
	if errors.Is(err, mulligan.ErrOver) {
		err = &task.Refusal{Message: "the session is over"}
	}
	return err
}

// answerCommand does what a check or a hook wants of its session: it reads, and a hook may also add tasks
// and notes. Both run code that the agent may have written.
func (h *requestHandler) answerCommand(ctx context.Context, role process.Role, request task.Request) (any, error) {
	switch {
	case request.Tool == protocol.ToolEvents:
		return h.readEvents(ctx, request)
	case !protocol.Changes(request.Tool), role == process.RoleHook && slices.Contains(hookTools, request.Tool):
		return h.answerAgent(ctx, request)
	}
	can := "it can look: `mulligan status`, `log`, `task list`, `note list`"
	if role == process.RoleHook {
		can += "; and add tasks and notes"
	}
	return nil, &task.Refusal{Message: fmt.Sprintf("%s is not for %s of the session, which may run what the agent wrote; %s", request.Tool, role, can)}
}

// readEvents returns events of the session, as many as one reply may have.
func (h *requestHandler) readEvents(ctx context.Context, request task.Request) (any, error) {
	var (
		args  protocol.EventsArgs
		reply = protocol.Events{Events: []json.RawMessage{}}
		size  int
	)
	if err := json.Unmarshal(request.Args, &args); err != nil {
		return nil, err
	}
	err := h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		reply.Summary = st.Summary()
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	for e, err := range h.journal.Read(ctx, reply.Summary.ID, max(args.From, 1)) {
		if err != nil {
			return nil, err
		}
		if size > maxEventBytes {
			reply.Next = e.Number
			break
		}
		data, err := journal.Encode(e)
		if err != nil {
			return nil, err
		}
		size += len(data)
		reply.Events = append(reply.Events, data)
	}
	return reply, nil
}
