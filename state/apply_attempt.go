package state

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mulligan"
)

// keptAttempts is how many attempts of a loop the state has: prompts and policies look at the
// last few, and a night has hundreds.
const keptAttempts = 12

func (s *State) applyAttemptStarted(b mulligan.AttemptStarted) {
	step := &s.Steps[s.Step]
	a := mulligan.AttemptState{Number: b.Attempt, Iteration: b.Iteration, Strategy: b.Strategy, Snapshot: b.Snapshot, RolledBack: b.RolledBack}
	if step.Base.ID == "" {
		step.Base = b.Snapshot
	}
	if n := len(step.Attempts); n > 0 && step.Attempts[n-1].Number == b.Attempt {
		a.RolledBack = cmp.Or(a.RolledBack, step.Attempts[n-1].RolledBack)
		step.Attempts[n-1] = a // taken again: the agent failed the last taking
	} else {
		step.Attempts = append(step.Attempts, a)
	}
	if s.Plan.Loop != nil {
		s.Conversation = ""
		if len(step.Attempts) > max(keptAttempts, s.Plan.Limits.SameFailure+1) {
			dropAttempt(step)
		}
	}
	if b.LacksSeen {
		s.Lacks, s.LacksSeen = b.Lacks, true
	}
	if s.Began.ID == "" {
		s.Began = b.Snapshot
	}
	if s.CommittedTree.ID == "" {
		s.CommittedTree = b.Snapshot // before the first turn nothing differs from what was committed
	}
	if s.Base.ID == "" {
		s.Base = b.Snapshot
	}
	s.Iteration, s.Phase, s.NextHook = b.Iteration, mulligan.Opening, 0
	s.Examination = Examination{}
	s.MomentPieces, s.Round, s.Failure, s.Claim, s.DeliveredNow, s.Breach = nil, nil, nil, nil, false, nil
	s.StopHooks.Ignored, s.StopHooks.AllowedBy = nil, nil
}

// dropAttempt drops the oldest attempt that the agent failed, so that those do not hide how often the same failure
// came; else the oldest one. The present one stays, and the one before it.
func dropAttempt(s *mulligan.StepState) {
	oldest := max(0, slices.IndexFunc(s.Attempts[:len(s.Attempts)-2], func(a mulligan.AttemptState) bool { return a.Status == "" }))
	s.Attempts = slices.Concat(s.Attempts[:oldest], s.Attempts[oldest+1:])
	s.Earlier++
}

func (s *State) applyTurnStarted(b mulligan.TurnStarted) {
	if step := s.RunningStep(); step != nil && b.Turn > s.Spent.Turns { // one that is given again is the same turn
		step.Spent.Turns++
	}
	s.Turn, s.Spent.Turns = b.Turn, max(s.Spent.Turns, b.Turn)
	s.Context, s.RateLimit.Conversation = nil, ""
	s.countHookRetry(b)
	s.keepUndelivered() // what the first taking of this turn has carried
	// What it carries stays pending until it has come to its end.
	s.InFlight, s.Breach, s.Warm = &b, nil, false
	if s.StopHooks.Base == mulligan.ForDelivery {
		s.Phase = mulligan.Delivering
		return
	}
	s.Phase = mulligan.Working
	if b.Purpose == mulligan.ForNow {
		s.DeliveredNow = true
	}
	if b.Purpose == mulligan.ForAttempt {
		s.NextHook = 0 // those before the turn have run; from here on it counts those after
	}
}

func (s *State) applyTurnEnded(b mulligan.TurnEnded) {
	turn := *s.InFlight
	s.countTime(b.Duration)
	s.countUsage(b.Result.Usage)
	s.RateLimit.Until, s.RateLimit.Waits = time.Time{}, 0
	s.LastTurn = LastTurn{Agent: turn.Agent, Conversation: b.Result.Conversation, Message: b.Result.Message}
	examined := b.Result.Ending.Examined()
	if examined {
		s.removeDelivered(turn)
		s.Kept = nil // the agent has been told
	} else {
		s.keepUndelivered()
	}
	if s.StopHooks.Base == mulligan.ForDelivery {
		s.endDelivery(b, turn)
		return
	}
	s.InFlight, s.Tree, s.Examination.InFlight, s.MomentPieces = nil, b.Tree, false, nil
	if s.StopHooks.Base == mulligan.ForRecovery {
		if s.leaveStopHooks(); examined && b.Breach == nil {
			s.enterStopHooks()
		}
		return
	}
	a := s.CurrentAttempt()
	a.Result, a.Left = b.Result, b.LeftTree()
	if !examined {
		if b.Result.Conversation == "" {
			s.Conversation = "" // it is lost, and asking for it again would fail again
		}
		s.failTurn(b.Result)
		return
	}
	s.FailedRow, s.Conversation = 0, b.Result.Conversation
	s.Examination, s.Breach = Examination{}, b.Breach
	s.leaveStopHooks()
	if b.Breach == nil { // else the examination ends with that
		s.enterStopHooks()
	}
}

// failTurn is for a turn whose work no gate looks at.
func (s *State) failTurn(r mulligan.Result) {
	s.Failure, s.Phase, s.NextHook, s.MomentPieces = &r, mulligan.Erring, 0, nil
}

// applyWaited counts a pause. One for a rate limit is not work, and no limit on time counts it.
func (s *State) applyWaited(b mulligan.Waited) {
	if !b.Free {
		s.countTime(b.For)
		s.countDeliveryTime(b.For)
		return
	}
	s.countUsage(b.Usage)
	s.RateLimit.Until, s.RateLimit.Conversation = b.Until, b.Conversation
	s.RateLimit.Waited += b.For
	s.RateLimit.Waits++
}

// countTime counts time that the limits count.
func (s *State) countTime(d time.Duration) {
	s.Worked += d
	if s.Step < len(s.Steps) {
		s.Steps[s.Step].Worked += d
	}
}

// countUsage counts what a turn, or what there was of it, has cost.
func (s *State) countUsage(u mulligan.Usage) {
	s.Spent.Use(u)
	if step := s.RunningStep(); step != nil {
		step.Spent.Use(u)
	}
}

// countJudge counts a turn of a judge.
func (s *State) countJudge(u mulligan.Usage) {
	s.Spent.Judged++
	if step := s.RunningStep(); step != nil {
		step.Spent.Judged++
	}
	s.countUsage(u)
}

// applyGateStarted records which gate runs. A gate that does not end is run again.
func (s *State) applyGateStarted(b mulligan.GateStarted) {
	s.Examination = Examination{Gate: b.Index, Try: b.Try - 1, Restarts: s.Examination.Restarts, InFlight: true, Fresh: b.Of}
	if s.Final != nil && b.Index == 0 && b.Try == 1 {
		s.Final.Verdicts = nil // all of them run again
	}
}

func (s *State) applyGateEnded(b mulligan.GateEnded) {
	s.countTime(b.Verdict.Duration)
	if b.Verdict.Judge != nil {
		s.countJudge(*b.Verdict.Judge)
	}
	s.moveExamination(b)
	if len(b.Undone) > 0 && !slices.Contains(s.UndoneBy, b.Verdict.Gate) {
		s.UndoneBy = append(s.UndoneBy, b.Verdict.Gate)
	}
	s.addKept(b.Kept)
	if s.Final != nil {
		s.Final.Verdicts = append(s.Final.Verdicts, b.Verdict)
		return
	}
	a := s.CurrentAttempt()
	a.Verdicts = append(a.Verdicts, b.Verdict)
}

// addKept adds paths that a check has written and that are part of the work. Each is "A path" or the like.
func (s *State) addKept(paths []string) {
	for _, path := range paths {
		_, name, _ := strings.Cut(path, " ")
		if !slices.ContainsFunc(s.Kept, func(had string) bool { return strings.HasSuffix(had, " "+name) }) {
			s.Kept = append(s.Kept, path)
		}
	}
}

// moveExamination moves on to the gate that comes next. A gate that passed and whose writes are part of
// the work takes the round back to the first.
func (s *State) moveExamination(b mulligan.GateEnded) {
	passed, kept := b.Verdict.Status == mulligan.Pass, b.Tree.ID != ""
	e := Examination{Gate: b.Index, Try: b.Try, Restarts: s.Examination.Restarts, Fresh: s.Examination.Fresh}
	switch {
	case passed && kept:
		e = Examination{Restarts: e.Restarts + 1}
	case passed:
		e.Gate, e.Try = b.Index+1, 0
	}
	s.Examination = e
	if kept {
		s.Tree = b.Tree
	}
}

func (s *State) applyAttemptEnded(b mulligan.AttemptEnded) {
	a := s.CurrentAttempt()
	a.Reason, a.Fingerprint = b.Reason, b.Fingerprint
	s.Round, s.Failure, s.MomentPieces = nil, nil, nil
	if b.Counted {
		a.Status = b.Status
	} else {
		s.FailedRow++
	}
	switch {
	case s.Plan.Loop != nil, b.Counted && b.Status == mulligan.Pass:
		s.Phase = mulligan.Keeping
	case !b.Counted:
		s.Phase = mulligan.Preparing
	default:
		s.Phase = mulligan.Deciding
	}
}

// applyDecided takes in what was chosen. After a decision to stop the session is still at the same place: the
// event that ends the step follows.
func (s *State) applyDecided(b mulligan.Decided) {
	s.Decision = b.Decision
	if !b.Retry {
		return
	}
	s.Phase, s.Recommended = mulligan.Preparing, nil
	step := s.StepState()
	if spec := s.Plan.StrategyNamed(b.Strategy); spec.Agent != "" || spec.Model != "" {
		step.Agent, step.Model = cmp.Or(spec.Agent, step.Agent), spec.Model
	}
	if b.Fresh {
		s.Conversation = ""
	}
	if step.Name == s.Plan.PauseAfter {
		s.Pausing = "before the next attempt at step " + step.Name
	}
}

// applyIterationKept moves on to the next iteration. The same failure again is decided about first.
func (s *State) applyIterationKept(b mulligan.IterationKept) {
	s.recordCommit(b.Tree, b.Commit)
	s.Phase = mulligan.Preparing
	a := s.CurrentAttempt()
	if a == nil || a.Status == "" {
		return // the agent failed it: the decision for it still holds
	}
	s.Decision = mulligan.Decision{}
	step := s.StepState()
	if last, previous := step.Examined(); last.Fingerprint != "" && previous != nil && previous.Fingerprint == last.Fingerprint {
		s.Phase = mulligan.Deciding
		return
	}
	step.Agent, step.Model = "", "" // progress: the next one is for the loop's own agent again
}
