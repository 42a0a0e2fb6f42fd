package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
	"mulligan/journal"
	"mulligan/task/door"
)

// identifyCaller returns what an agent, a check or a hook above this process means to the command. Checks and hooks
// count only in the state folder of their own session.
func (a *App) identifyCaller() process.Caller {
	state, err := a.StateDir()
	if err != nil {
		state = "" // then every folder counts
	}
	return process.IdentifySelf(a.Environ, state)
}

// readsOwnSession reports whether the command was given below a check or a hook, which the journal does
// not let in: it reads its own session through the door.
func (a *App) readsOwnSession() bool {
	role := a.identifyCaller().Role
	return role == process.RoleCheck || role == process.RoleHook
}

// readOwnSession returns the summary and the events of the session whose check or hook gave the command. given
// names the session, or is "".
func (a *App) readOwnSession(ctx context.Context, given string) (mulligan.Summary, []mulligan.Event, error) {
	var (
		summary mulligan.Summary
		events  []mulligan.Event
	)
	for from := int64(1); from > 0; {
		data, err := door.Call(ctx, a.Getenv, protocol.NewRequest(protocol.ToolEvents, protocol.EventsArgs{From: from}))
		if err != nil {
			return summary, nil, asUsageError(err)
		}
		var page protocol.Events
		if err := json.Unmarshal(data, &page); err != nil {
			return summary, nil, err
		}
		for _, line := range page.Events {
			e, err := journal.Decode(line)
			if err != nil {
				return summary, nil, err
			}
			events = append(events, e)
		}
		summary, from = page.Summary, page.Next
	}
	if given != "" && given != summary.ID && given != summary.Name {
		return summary, nil, usererror.Usage(fmt.Sprintf("a check or hook can look at its own session alone, which is %s", summary.ID), "give the command without a session")
	}
	return summary, events, nil
}

// eachEvent returns events as the journal does.
func eachEvent(events []mulligan.Event) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}
