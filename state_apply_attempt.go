package mulligan

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// keptAttempts is how many attempts of a loop the state has: prompts and policies look at the
// last few, and a night has hundreds.
const keptAttempts = 12

func (s *State) applyAttemptStarted(b AttemptStarted) {
	step := &s.Steps[s.Step]
	a := AttemptState{Number: b.Attempt, Iteration: b.Iteration, Strategy: b.Strategy, Snapshot: b.Snapshot, RolledBack: b.RolledBack}
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
			step.dropAttempt()
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
	s.Iteration, s.Phase, s.NextHook = b.Iteration, Opening, 0
	s.Examination = Examination{}
	s.MomentPieces, s.Round, s.Failure, s.Claim, s.DeliveredNow, s.Breach = nil, nil, nil, nil, false, nil
	s.StopHooks.Ignored, s.StopHooks.AllowedBy = nil, nil
}

// dropAttempt drops the oldest attempt that the agent failed, so that those do not hide how often the same failure
// came; else the oldest one. The present one stays, and the one before it.
func (s *StepState) dropAttempt() {
	oldest := max(0, slices.IndexFunc(s.Attempts[:len(s.Attempts)-2], func(a AttemptState) bool { return a.Status == "" }))
	s.Attempts = slices.Concat(s.Attempts[:oldest], s.Attempts[oldest+1:])
	s.Earlier++
}

func (s *State) applyTurnStarted(b TurnStarted) {
	if step := s.runningStep(); step != nil && b.Turn > s.Spent.Turns { // one that is given again is the same turn
		step.Spent.Turns++
	}
	s.Turn, s.Spent.Turns = b.Turn, max(s.Spent.Turns, b.Turn)
	s.Context, s.RateLimit.Conversation = nil, ""
	s.countHookRetry(b)
	s.keepUndelivered() // what the first taking of this turn has carried
	// What it carries stays pending until it has come to its end.
	s.InFlight, s.Breach, s.Warm = &b, nil, false
	if s.StopHooks.Base == ForDelivery {
		s.Phase = Delivering
		return
	}
	s.Phase = Working
	if b.Purpose == ForNow {
		s.DeliveredNow = true
	}
	if b.Purpose == ForAttempt {
		s.NextHook = 0 // those before the turn have run; from here on it counts those after
	}
}

func (s *State) applyTurnEnded(b TurnEnded) {
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
	if s.StopHooks.Base == ForDelivery {
		s.endDelivery(b, turn)
		return
	}
	s.InFlight, s.Tree, s.Examination.InFlight, s.MomentPieces = nil, b.Tree, false, nil
	if s.StopHooks.Base == ForRecovery {
		if s.leaveStopHooks(); examined && b.Breach == nil {
			s.enterStopHooks()
		}
		return
	}
	a := s.currentAttempt()
	a.Result, a.Left = b.Result, b.leftTree()
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

// leftTree returns what the turn left, before anything was put back.
func (b TurnEnded) leftTree() Tree {
	if b.Left.ID != "" {
		return b.Left
	}
	return b.Tree
}

// failTurn is for a turn whose work no gate looks at.
func (s *State) failTurn(r Result) {
	s.Failure, s.Phase, s.NextHook, s.MomentPieces = &r, Erring, 0, nil
}

// applyWaited counts a pause. One for a rate limit is not work, and no limit on time counts it.
func (s *State) applyWaited(b Waited) {
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
func (s *State) countUsage(u Usage) {
	s.Spent.Use(u)
	if step := s.runningStep(); step != nil {
		step.Spent.Use(u)
	}
}

// countJudge counts a turn of a judge.
func (s *State) countJudge(u Usage) {
	s.Spent.Judged++
	if step := s.runningStep(); step != nil {
		step.Spent.Judged++
	}
	s.countUsage(u)
}

// applyGateStarted records which gate runs. A gate that does not end is run again.
func (s *State) applyGateStarted(b GateStarted) {
	s.Examination = Examination{Gate: b.Index, Try: b.Try - 1, Restarts: s.Examination.Restarts, InFlight: true, Fresh: b.Of}
	if s.Final != nil && b.Index == 0 && b.Try == 1 {
		s.Final.Verdicts = nil // all of them run again
	}
}

func (s *State) applyGateEnded(b GateEnded) {
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
	a := s.currentAttempt()
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
func (s *State) moveExamination(b GateEnded) {
	passed, kept := b.Verdict.Status == Pass, b.Tree.ID != ""
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

func (s *State) applyAttemptEnded(b AttemptEnded) {
	a := s.currentAttempt()
	a.Reason, a.Fingerprint = b.Reason, b.Fingerprint
	s.Round, s.Failure, s.MomentPieces = nil, nil, nil
	if b.Counted {
		a.Status = b.Status
	} else {
		s.FailedRow++
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

// applyDecided takes in what was chosen. After a decision to stop the session is still at the same place: the
// event that ends the step follows.
func (s *State) applyDecided(b Decided) {
	s.Decision = b.Decision
	if !b.Retry {
		return
	}
	s.Phase, s.Recommended = Preparing, nil
	step := s.stepState()
	if spec := s.Plan.strategy(b.Strategy); spec.Agent != "" || spec.Model != "" {
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
func (s *State) applyIterationKept(b IterationKept) {
	s.recordCommit(b.Tree, b.Commit)
	s.Phase = Preparing
	a := s.currentAttempt()
	if a == nil || a.Status == "" {
		return // the agent failed it: the decision for it still holds
	}
	s.Decision = Decision{}
	step := s.stepState()
	if last, previous := step.Examined(); last.Fingerprint != "" && previous != nil && previous.Fingerprint == last.Fingerprint {
		s.Phase = Deciding
		return
	}
	step.Agent, step.Model = "", "" // progress: the next one is for the loop's own agent again
}
