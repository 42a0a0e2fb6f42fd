package runner

import (
	"cmp"
	"context"
	"errors"

	"mulligan"
	"mulligan/guard"
	"mulligan/hook/claudecode"
	"mulligan/internal/protocol"
	"mulligan/plan"
	"mulligan/state"
	"mulligan/task"
)

// A claimDesk answers the claims of a session's agents that tasks are done. One validation runs at a
// time: checks would disturb one another.
type claimDesk struct{ validating chan struct{} }

func newClaimDesk() claimDesk { return claimDesk{validating: make(chan struct{}, 1)} }

// applyTool answers an agent's call of one of the session's tools. A call that completes a task has to
// pass the guard first.
func (h *requestHandler) applyTool(ctx context.Context, request task.Request) (reply any, err error) {
	var claim mulligan.GuardClaim
	apply := func(st *state.State) (bodies []mulligan.Body, err error) {
		bodies, reply, err = task.Apply(st, request)
		return bodies, err
	}
	err = h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		bodies, err := apply(st)
		if err != nil || st.Plan.Guard == nil {
			return bodies, err
		}
		seen, id := guard.Receive(&st.Guard, *st.Plan.Guard, callOfTask(st, bodies))
		if id == "" {
			return append(seen, bodies...), nil
		}
		claim = guard.FindClaim(&st.Guard, seen, id)
		if claim.Pending() || !guard.AnswerTo(claim).Allowed {
			return seen, nil
		}
		return append(seen, bodies...), nil
	})
	if err != nil || claim.ID == "" {
		return reply, err
	}
	if claim.Pending() {
		if claim, err = h.settleClaim(ctx, claim, claimEvidence{}, apply); err != nil {
			return nil, err
		}
	}
	if a := guard.AnswerTo(claim); !a.Allowed {
		return nil, &task.Refusal{Message: a.Reason}
	}
	return reply, nil
}

// callOfTask returns what events of the board tell the guard.
func callOfTask(st *state.State, bodies []mulligan.Body) guard.Call {
	call := guard.Call{Tool: task.ToolUpdate, Commit: cmp.Or(st.Head, st.Place.Base)}
	for _, b := range bodies {
		var item guard.Item
		switch b := b.(type) {
		case mulligan.TaskCompleted:
			item = guard.Item{Content: b.Task.Content, Task: b.Task.ID, Completed: true}
		case mulligan.TaskChanged:
			item = guard.Item{Content: b.Task.Content, Task: b.Task.ID}
			if old := st.Board.Task(b.Task.ID); old != nil && old.Status != b.Task.Status {
				item.Gone = b.Task.Status == mulligan.TaskCancelled
				item.Open = !item.Gone
			}
		case mulligan.TaskAdded:
			item = guard.Item{Content: b.Task.Content, Task: b.Task.ID, Open: true}
		default:
			continue
		}
		if old := st.Board.Task(item.Task); old != nil {
			item.Was = old.Content
		}
		call.Items = append(call.Items, item)
	}
	return call
}

// settleClaim validates a claim, and stores what came of it. If all its items pass, apply's events are
// stored with it.
func (h *requestHandler) settleClaim(ctx context.Context, claim mulligan.GuardClaim, e claimEvidence, apply func(*state.State) ([]mulligan.Body, error)) (mulligan.GuardClaim, error) {
	release := h.session.HoldTurn() // the agent waits for the answer
	defer release()
	within, cancel := context.WithTimeout(ctx, plan.MaxValidation)
	defer cancel()
	rulings, judges := h.validateInTurn(within, claim, e)
	if err := ctx.Err(); err != nil {
		return claim, err // the agent has gone; told again, the claim is validated then
	}
	err := h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		known := guard.FindClaim(&st.Guard, nil, claim.ID)
		if known.ID == "" {
			return nil, errors.New("the claim was forgotten: there were too many since")
		}
		if claim = known; !claim.Pending() {
			return nil, nil // the same call told twice: the other has settled it
		}
		ruled := guard.Conclude(claim, rulings, judges)
		claim = guard.Settle(claim, ruled)
		if !guard.AnswerTo(claim).Allowed {
			return []mulligan.Body{ruled}, nil
		}
		bodies, err := apply(st)
		return append([]mulligan.Body{ruled}, bodies...), err
	})
	return claim, err
}

// validateInTurn validates a claim once the one before it is settled. It waits for that no longer than for
// the validation itself.
func (h *requestHandler) validateInTurn(ctx context.Context, claim mulligan.GuardClaim, e claimEvidence) ([]guard.Ruling, []mulligan.Usage) {
	select {
	case h.claims.validating <- struct{}{}:
		defer func() { <-h.claims.validating }()
		return h.validateClaim(ctx, claim, e)
	case <-ctx.Done():
		return guard.RuleAll(claim, guard.Ruling{Reason: "other claims were being validated for too long", By: mulligan.ByGuard, Broken: true}), nil
	}
}

// guardEvent answers an event inside an agent that tells of the tasks which the agent tracks itself, and
// reports whether the event is decided by that: what the guard does not deny, others may.
func (h *requestHandler) guardEvent(ctx context.Context, args protocol.HookArgs) (protocol.HookAnswer, bool, error) {
	var rules *mulligan.Guard
	var claim mulligan.GuardClaim
	e, unread := claudecode.DecodeClaims(args.Event, args.Input)
	// Keys are made of contents: they have to be those of the journal, which has no secrets.
	e.Call = h.Env.Secrets.Value(e.Call).(guard.Call)
	err := h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		if rules = st.Plan.Guard; rules == nil || unread != nil || !e.Relevant {
			return nil, nil
		}
		e.Call.Commit, e.Call.Scope = cmp.Or(st.Head, st.Place.Base), e.Conversation
		seen, id := guard.Receive(&st.Guard, *rules, e.Call)
		claim = guard.FindClaim(&st.Guard, seen, id)
		return seen, nil
	})
	if rules == nil {
		return protocol.HookAnswer{}, false, err
	}
	if err == nil && claim.Pending() {
		none := func(*state.State) ([]mulligan.Body, error) { return nil, nil }
		claim, err = h.settleClaim(ctx, claim, claimEvidence{transcript: e.Transcript}, none)
	}
	answer := guard.Answer{Allowed: true}
	switch {
	case unread != nil:
		answer = guard.Answer{Reason: "the guard cannot read this call, so it is not allowed: " + unread.Error()}
	case err != nil && !rules.FailOpen:
		answer = guard.Answer{Reason: "the guard could not decide, so this is not allowed: " + err.Error()}
	case err == nil && claim.ID != "":
		answer = guard.AnswerTo(claim)
	}
	encoded := claudecode.EncodeAnswer(args.Event, answer)
	return protocol.HookAnswer{Exit: encoded.Exit, Stdout: encoded.Stdout, Stderr: encoded.Stderr}, !answer.Allowed, nil
}
