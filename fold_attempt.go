package mulligan

import "time"

// keptAttempts is how many attempts of a loop the state has: prompts and policies look at the
// last few, and a night has hundreds.
const keptAttempts = 12

func (s *State) beginAttempt(b AttemptStarted) {
	step := &s.Steps[s.Step]
	a := AttemptState{Number: b.Attempt, Iteration: b.Iteration, Strategy: b.Strategy, Snapshot: b.Snapshot}
	if n := len(step.Attempts); n > 0 && step.Attempts[n-1].Number == b.Attempt {
		step.Attempts[n-1] = a // taken again: the agent failed the last taking
	} else {
		step.Attempts = append(step.Attempts, a)
	}
	if s.Plan.Loop != nil {
		s.Conversation = ""
		if len(step.Attempts) > keptAttempts {
			step.Attempts = step.Attempts[1:]
			step.Earlier++
		}
	}
	if s.Kept.ID == "" {
		s.Kept = b.Snapshot // before the first turn nothing differs from what was committed
	}
	s.Iteration, s.Phase, s.Gate, s.GateTry = b.Iteration, Opening, 0, 0
	s.Hook, s.Aside, s.Round, s.Failure, s.Claim, s.DeliveredNow = 0, nil, nil, nil, nil, false
	s.Ignored, s.Content = nil, nil
}

// turn is the one in flight, nil where none is.
func (s *State) turn() *TurnStarted {
	if s.Ending != nil {
		return s.Ending.Turn
	}
	return s.InFlight
}

func (s *State) beginTurn(b TurnStarted) {
	if step := s.stepAt(); step != nil && b.Turn > s.Spent.Turns { // one that is given again is the same turn
		step.Spent.Turns++
	}
	s.Turn, s.Spent.Turns = b.Turn, max(s.Spent.Turns, b.Turn)
	if s.Stop != nil {
		s.Blocked = &s.Stop.Reply
	}
	s.Stop, s.StopTry, s.Context, s.Begun = nil, 0, nil, ""
	if b.Purpose == ForHook {
		s.HookRetry = b.Retry
	} else {
		s.Blocked, s.SameBlock = nil, 0
		s.Base, s.HookRetry, s.HookMax, s.Claim = b.Purpose, 0, s.Plan.AgentHooks.MaxRetries, nil
	}
	if s.Base == ForDelivery {
		s.Ending.Turn = &b // what it gives stays pending until it has been given
		return
	}
	s.InFlight, s.Phase = &b, Working
	s.drain(b.Drains)
	if b.Purpose == ForNow {
		s.DeliveredNow = true
	}
	if !b.Again {
		s.Aside = nil
	}
	if b.Purpose == ForAttempt {
		s.Hook = 0 // those before the turn have run; from here on it counts those after
	}
}

func (s *State) endTurn(b TurnEnded) {
	turn := *s.turn()
	s.spend(b.Duration)
	s.use(b.Result.Usage)
	s.WaitUntil, s.Waits = time.Time{}, 0
	s.LastAgent, s.LastConversation, s.LastMessage = turn.Agent, b.Result.Conversation, b.Result.Message
	if s.Base == ForDelivery {
		s.endDelivery(b, turn)
		return
	}
	s.InFlight, s.Tree, s.Examined = nil, b.Tree, nil
	examined := b.Result.Ending.Examined()
	switch {
	case s.Base == ForRecovery:
		s.Aside = nil
		s.afterTurn(examined)
	case examined:
		s.attempt().Result = b.Result
		s.FailedRow, s.Gate, s.GateTry, s.Conversation = 0, 0, 0, b.Result.Conversation
		s.afterTurn(true)
	default:
		s.attempt().Result = b.Result
		if b.Result.Conversation == "" {
			s.Conversation = "" // it is lost, and asking for it again would fail again
		}
		s.fail(b.Result)
	}
}

// afterTurn says what comes after a turn that the agent has ended: the Stop hooks, or what is
// after those.
func (s *State) afterTurn(ended bool) {
	if ended && len(s.Plan.AgentHooks.Of(EventStop)) > 0 {
		s.Phase = Stopping
		return
	}
	s.afterStop()
}

// afterStop goes on with a turn that may end.
func (s *State) afterStop() {
	s.Stop, s.StopTry = nil, 0
	switch {
	case s.Ending != nil:
		s.Ending.Stopping = false
	case s.Base == ForRecovery:
		s.Phase = Erring
	default:
		s.Phase = Examining
	}
}

// fail is for a turn whose work no gate looks at.
func (s *State) fail(r Result) {
	s.Failure, s.Phase, s.Hook, s.Aside = &r, Erring, 0, nil
}

// wait counts a pause. One for a rate limit is nobody's work.
func (s *State) wait(b Waited) {
	if !b.Free {
		s.spend(b.For)
		s.deliverFor(b.For)
		return
	}
	s.use(b.Usage)
	s.WaitUntil, s.Begun = b.Until, b.Conversation
	s.WaitedFor += b.For
	s.Waits++
}

// spend counts time that the limits count.
func (s *State) spend(d time.Duration) {
	s.Worked += d
	if s.Step < len(s.Steps) {
		s.Steps[s.Step].Worked += d
	}
}

// use counts what a turn, or what there was of it, has cost.
func (s *State) use(u Usage) {
	s.Spent.Use(u)
	if step := s.stepAt(); step != nil {
		step.Spent.Use(u)
	}
}

// judge counts a turn of a judge.
func (s *State) judge(u Usage) {
	s.Spent.Judged++
	if step := s.stepAt(); step != nil {
		step.Spent.Judged++
	}
	s.use(u)
}

// beginGate: a gate that does not end is run again.
func (s *State) beginGate(b GateStarted) {
	if s.Ending != nil {
		s.Ending.Gate, s.Ending.Try, s.Ending.Examined = b.Index, b.Try-1, nil
		if b.Before.ID != "" {
			s.Ending.Examined = &b.Before
		}
		return
	}
	s.Gate, s.GateTry, s.Examined = b.Index, b.Try-1, nil
	if b.Before.ID != "" {
		s.Examined = &b.Before
	}
}

func (s *State) endGate(b GateEnded) {
	s.spend(b.Verdict.Duration)
	if e := s.Ending; e != nil {
		e.Verdicts = append(e.Verdicts, b.Verdict)
		e.Gate, e.Try = nextGate(b)
		e.Examined = nil
		return
	}
	s.Examined = nil
	a := s.attempt()
	a.Verdicts = append(a.Verdicts, b.Verdict)
	s.Gate, s.GateTry = nextGate(b)
}

func nextGate(b GateEnded) (index, try int) {
	if b.Verdict.Status == Pass {
		return b.Index + 1, 0
	}
	return b.Index, b.Try
}

func (s *State) endAttempt(b AttemptEnded) {
	a := s.attempt()
	a.Reason = b.Reason
	s.Round, s.Failure, s.Aside = nil, nil, nil
	if !b.Counted {
		s.FailedRow++
	} else {
		a.Status = b.Status
	}
	switch {
	case s.Plan.Loop != nil, b.Counted && b.Status == Pass:
		s.Phase = Keeping
	case !b.Counted:
		s.Phase = Preparing
	default:
		s.Phase = Deciding
	}
}

func (s *State) decide(b Decided) {
	s.Decision = b.Decision
	if !b.Retry {
		return
	}
	s.Phase = Preparing
	if step := s.Steps[s.Step].Name; step == s.Plan.PauseAfter {
		s.Pausing = "before the next attempt at step " + step
	}
}

func (s *State) verify(b StepVerified) {
	step := &s.Steps[s.Step]
	step.Status, step.Commit, step.Tree, step.By, step.Waived = StatusVerified, b.Commit, b.Tree, b.By, b.Waived
	if b.Accepted {
		step.Status = StatusAccepted
	}
	s.keep(b.Tree, b.Commit)
	s.Phase, s.Conversation = Choosing, ""
	if b.Step == s.Plan.PauseAfter {
		s.Pausing = "after step " + b.Step
	}
}

// keep says what the last commit has.
func (s *State) keep(tree Tree, commit string) {
	s.Committing = nil
	if s.Plan.Git.Commit {
		s.Kept = tree
	}
	if commit != "" {
		s.Head = commit
	}
}

// attempt is the one under way, nil before the first.
func (s *State) attempt() *AttemptState {
	if s.Step >= len(s.Steps) {
		return nil
	}
	attempts := s.Steps[s.Step].Attempts
	if len(attempts) == 0 {
		return nil
	}
	return &attempts[len(attempts)-1]
}
