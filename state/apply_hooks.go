package state

import (
	"slices"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

func (s *State) applyHookEnded(e mulligan.Event, b mulligan.HookEnded) {
	if b.Moment == mulligan.OnTaskComplete {
		ended := func(d mulligan.DueHook) bool { return d.Index == b.Index && d.Task.ID == b.Task }
		if i := slices.IndexFunc(s.Hooks.Due, ended); i >= 0 {
			s.Hooks.Due = slices.Delete(slices.Clone(s.Hooks.Due), i, i+1)
		}
	} else {
		s.NextHook = b.Index + 1
		s.countTime(b.Duration)
	}
	if b.Tree.ID != "" {
		s.Found, s.Head, s.Place.Base = b.Tree, b.Tree.Head, b.Tree.Head
	}
	if !b.Piped || b.Moment == mulligan.SessionEnd {
		return
	}
	piece := mulligan.Piece{Event: e.Number, Moment: b.Moment, Name: b.Name, Iteration: b.Iteration, Task: b.Task, Text: b.Result.Text}
	switch {
	case b.Moment == mulligan.PreIteration, b.Moment == mulligan.OnError, b.Moment == mulligan.PostIteration && s.deliversNow(b.Index):
		s.MomentPieces = append(s.MomentPieces, piece)
	default:
		s.Pending = append(s.Pending, piece)
	}
}

// deliversNow reports whether what a post_iteration hook prints is given in this iteration still.
func (s *State) deliversNow(index int) bool {
	hooks := s.Plan.Hooks[mulligan.PostIteration]
	return index >= 0 && index < len(hooks) && hooks[index].Now && !s.DeliveredNow
}

func (s *State) applyAgentHookEnded(b mulligan.AgentHookEnded) {
	for _, run := range b.Reply.Runs {
		if run.Judge != nil {
			s.countJudge(*run.Judge)
		}
	}
	if !b.Inside { // else it is part of the turn
		took := longestRun(b.Reply.Runs)
		s.countTime(took)
		s.countDeliveryTime(took)
		if b.Reply.Context != "" && b.Reply.Decision != mulligan.HookBroken {
			s.Context = append(s.Context, b.Reply.Context)
		}
	}
	switch b.Event {
	case mulligan.EventSessionStart:
		s.Hooks.Greeted = true
	case mulligan.EventSessionEnd:
		if s.Final != nil {
			s.Final.Parted = true
		}
	case mulligan.EventStop:
		s.applyStopHooksEnded(b)
	}
}

// longestRun returns how long hooks took that ran side by side.
func longestRun(runs []mulligan.AgentHookRun) time.Duration {
	var longest time.Duration
	for _, run := range runs {
		longest = max(longest, run.Duration)
	}
	return longest
}

// enterStopHooks has the Stop hooks come next, if there are any.
func (s *State) enterStopHooks() {
	if s.HasStopHooks() {
		s.Phase = mulligan.Stopping
	}
}

// leaveStopHooks continues with a turn that may end.
func (s *State) leaveStopHooks() {
	s.StopHooks.Blocking, s.StopHooks.Try = nil, 0
	s.Phase = mulligan.Examining
	if s.StopHooks.Base == mulligan.ForRecovery && s.Final == nil {
		s.Phase = mulligan.Erring
	}
}

// countHookRetry counts a turn that Stop hooks caused. Any other turn begins their count anew.
func (s *State) countHookRetry(b mulligan.TurnStarted) {
	h := &s.StopHooks
	if h.Blocking != nil {
		h.LastBlock = &h.Blocking.Reply
	}
	h.Blocking, h.Try = nil, 0
	if b.Purpose == mulligan.ForHook {
		h.Retry = b.Retry
		return
	}
	h.LastBlock, h.SameBlock = nil, 0
	h.Base, h.Prompt, h.Retry, h.Max = b.Purpose, b.Prompt, 0, s.Plan.AgentHooks.MaxRetries
	if b.Purpose == mulligan.ForAttempt {
		s.Prompt = b.Prompt
	}
	s.Claim = nil
}

// applyStopHooksEnded takes in what the Stop hooks said. What they wrote is what the gates examine.
func (s *State) applyStopHooksEnded(b mulligan.AgentHookEnded) {
	h := &s.StopHooks
	s.Tree, h.AllowedBy = b.Tree, nil
	for _, run := range b.Reply.Runs {
		if run.OK {
			h.AllowedBy = append(h.AllowedBy, run.Name)
		}
	}
	switch b.Reply.Decision {
	case mulligan.Allow:
		s.leaveStopHooks()
	case mulligan.Block:
		h.Blocking = &b
		if h.LastBlock == nil || !isSameBlock(*h.LastBlock, b.Reply) {
			h.SameBlock = 0
		}
		h.SameBlock++
	default:
		h.Try = b.Try
	}
}

// isSameBlock reports whether the same hooks blocked for the same reason.
func isSameBlock(a, b mulligan.AgentHookReply) bool {
	return text.OneLine(a.Reason) == text.OneLine(b.Reason) && slices.Equal(a.Blocking(), b.Blocking())
}

func (s *State) applyStopDecided(b mulligan.StopDecided) {
	a := s.CurrentAttempt()
	switch b.Choice {
	case mulligan.LimitContinue:
		s.StopHooks.Max += max(1, s.Plan.AgentHooks.MaxRetries)
		return
	case mulligan.LimitIgnore, mulligan.LimitAccept:
		s.StopHooks.Ignored = append(s.StopHooks.Ignored, b.Hooks...)
		if s.Final != nil {
			s.Final.Outcome.Notes = append(s.Final.Outcome.Notes, b.Note)
		} else if a != nil {
			a.Waived = append(a.Waived, b.Note)
		}
	}
	if a != nil && b.Verdict != nil {
		a.Verdicts = append(a.Verdicts, *b.Verdict)
	}
	s.leaveStopHooks()
}
