package mulligan

import (
	"slices"
	"time"
)

// ofHooks applies what happens to hooks, and says whether that was it.
func (s *State) ofHooks(e Event) bool {
	switch b := e.Body.(type) {
	case HookStarted:
		s.HookRuns = b.Run
	case HookEnded:
		s.endHook(e, b)
	case RoundEnded:
		s.Round, s.Phase = &b, Closing
	case AgentHookStarted:
		s.HookRuns += len(b.Hooks)
	case AgentHookEnded:
		s.endAgentHooks(b)
	case StopDecided:
		s.decideStop(b)
	case Panicked:
		s.InFlight, s.Examined = nil, nil
		s.fail(Result{Ending: Crashed, Reason: b.Text})
	default:
		return false
	}
	return true
}

func (s *State) endHook(e Event, b HookEnded) {
	piece := Piece{Event: e.Number, Moment: b.Moment, Name: b.Name, Iteration: b.Iteration, Task: b.Task, Text: b.Result.Text}
	if b.Moment == OnTaskComplete {
		is := func(d DueHook) bool { return d.Index == b.Index && d.Task.ID == b.Task }
		if i := slices.IndexFunc(s.Due, is); i >= 0 {
			s.Due = slices.Delete(slices.Clone(s.Due), i, i+1)
		}
	} else {
		s.Hook = b.Index + 1
		s.spend(b.Duration)
	}
	if !b.Piped || b.Moment == SessionEnd {
		return
	}
	switch {
	case b.Moment == PreIteration, b.Moment == OnError, b.Moment == PostIteration && s.now(b.Index):
		s.Aside = append(s.Aside, piece)
	default:
		s.Pending = append(s.Pending, piece)
	}
}

// now says whether what a post_iteration hook prints is given in this iteration still.
func (s *State) now(index int) bool {
	hooks := s.Plan.Hooks[PostIteration]
	return index >= 0 && index < len(hooks) && hooks[index].Now && !s.DeliveredNow
}

// drain takes out what a prompt has given.
func (s *State) drain(given []int64) {
	if len(given) == 0 {
		return
	}
	s.Pending = slices.DeleteFunc(slices.Clone(s.Pending), func(p Piece) bool { return slices.Contains(given, p.Event) })
}

// endDelivery takes in what the final delivery left. A session that was interrupted redoes
// its attempt later on top of that.
func (s *State) endDelivery(b TurnEnded, turn TurnStarted) {
	e := s.Ending
	if turn.Purpose == ForDelivery {
		e.Before = turn.Before
	}
	e.Turn, e.Delivered, e.Result, e.Tree = nil, true, b.Result, b.Tree
	e.Took += b.Duration
	e.Verdicts, e.Gate, e.Try, e.Stopping = nil, 0, 0, false
	if b.Result.Ending.Examined() {
		s.drain(turn.Drains)
		e.Stopping = len(s.Plan.AgentHooks.Of(EventStop)) > 0
	}
}

// standing is where the attempt stands, before the session's end.
func (s *State) standing() Standing {
	return Standing{
		Hook: s.Hook, Turn: s.Turn, Base: s.Base, HookRetry: s.HookRetry, HookMax: s.HookMax,
		StopTry: s.StopTry, SameBlock: s.SameBlock, Stop: s.Stop, Blocked: s.Blocked,
		Content: s.Content, Ignored: s.Ignored, Claim: s.Claim, Committing: s.Committing,
		LastAgent: s.LastAgent, Conversation: s.LastConversation, LastWords: s.LastMessage,
	}
}

// stand goes on from there. A conversation in which something was delivered is the one to go on with.
func (s *State) stand(w Standing) {
	s.Hook, s.Turn, s.Base, s.HookRetry, s.HookMax = w.Hook, w.Turn, w.Base, w.HookRetry, w.HookMax
	s.StopTry, s.SameBlock, s.Stop, s.Blocked = w.StopTry, w.SameBlock, w.Stop, w.Blocked
	s.Content, s.Ignored, s.Claim, s.Committing = w.Content, w.Ignored, w.Claim, w.Committing
	s.LastAgent, s.LastMessage = w.LastAgent, w.LastWords
	if s.LastConversation == "" {
		s.LastConversation = w.Conversation
	}
}

// deliverFor counts time that the final delivery takes, while that is under way.
func (s *State) deliverFor(d time.Duration) {
	if s.Ending != nil {
		s.Ending.Took += d
	}
}

func (s *State) endAgentHooks(b AgentHookEnded) {
	for _, run := range b.Reply.Runs {
		if run.Judge != nil {
			s.judge(*run.Judge)
		}
	}
	if !b.Inside { // else it is part of the turn
		s.spend(longest(b.Reply.Runs))
		s.deliverFor(longest(b.Reply.Runs))
	}
	if b.Reply.Context != "" && b.Reply.Decision != HookBroken && !b.Inside {
		s.Context = append(s.Context, b.Reply.Context)
	}
	switch b.Event {
	case EventSessionStart:
		s.Greeted = true
	case EventSessionEnd:
		if s.Ending != nil {
			s.Ending.Parted = true
		}
	case EventStop:
		s.endStop(b)
	}
}

// longest is how long hooks took that ran side by side.
func longest(runs []AgentHookRun) time.Duration {
	var most time.Duration
	for _, run := range runs {
		most = max(most, run.Duration)
	}
	return most
}

// endStop takes in what the Stop hooks said. What they wrote is what the gates examine.
func (s *State) endStop(b AgentHookEnded) {
	if s.Ending != nil {
		s.Ending.Tree = b.Tree
	} else {
		s.Tree = b.Tree
	}
	s.Content = nil
	for _, run := range b.Reply.Runs {
		if run.OK {
			s.Content = append(s.Content, run.Name)
		}
	}
	switch b.Reply.Decision {
	case Allow:
		s.afterStop()
	case Block:
		s.Stop = &b
		if s.Blocked == nil || !sameBlock(*s.Blocked, b.Reply) {
			s.SameBlock = 0
		}
		s.SameBlock++
	default:
		s.StopTry = b.Try
	}
}

// sameBlock says whether the same hooks blocked for the same reason.
func sameBlock(a, b AgentHookReply) bool {
	return oneLine(a.Reason) == oneLine(b.Reason) && slices.Equal(a.Blocking(), b.Blocking())
}

func (s *State) decideStop(b StopDecided) {
	switch b.Choice {
	case LimitContinue:
		s.HookMax += max(1, s.Plan.AgentHooks.MaxRetries)
		return
	case LimitIgnore, LimitAccept:
		s.Ignored = append(s.Ignored, b.Hooks...)
		if s.Ending != nil {
			s.Ending.Outcome.Notes = append(s.Ending.Outcome.Notes, b.Note)
		} else if a := s.attempt(); a != nil {
			a.Waived = append(a.Waived, b.Note)
		}
	}
	if a := s.attempt(); a != nil && b.Verdict != nil {
		a.Verdicts = append(a.Verdicts, *b.Verdict)
	}
	s.afterStop()
}

// keepDelivery says what the workspace has from here on.
func (s *State) keepDelivery(b DeliveryKept) {
	e := s.Ending
	e.Closing = true
	s.Committing = nil
	if b.Note != "" {
		e.Outcome.Notes = append(e.Outcome.Notes, b.Note)
	}
	if b.Commit != "" {
		s.Head, s.Kept = b.Commit, b.Tree
		e.Outcome.Commit = b.Commit
		if e.Outcome.Good() {
			e.Outcome.Tree = b.Tree
		}
	}
	if b.Tree.ID == "" {
		return
	}
	s.goOnFrom(b, e.Delivered && b.Tree.ID != e.Before.ID)
	if e.CutShort {
		s.unend()
	}
}

// goOnFrom makes what the delivery has left the work that a resumed session goes on with. What passed
// before is not of that: the gates examine it again, and the Stop hooks meet it unless they have.
// A round that has failed stays so.
func (s *State) goOnFrom(b DeliveryKept, changed bool) {
	passed := s.Phase == Closing && s.Round.Status == Pass
	switch {
	case s.InFlight != nil:
		s.InFlight.Before = b.Tree
	case s.Phase == Examining, passed && changed:
		s.Round, s.Tree, s.Examined, s.Gate, s.GateTry = nil, b.Tree, nil, 0, 0
		if s.Phase = Examining; changed && !b.Passed {
			s.afterTurn(true)
		}
	case s.Phase == Closing && changed:
		s.Tree = b.Tree
	case s.Phase == Stopping, s.Phase == Erring:
		s.Tree = b.Tree
		if was := s.Ending.Was.Stop; was != nil {
			blocked := *was
			blocked.Tree = b.Tree
			s.Ending.Was.Stop = &blocked
		}
	}
}
