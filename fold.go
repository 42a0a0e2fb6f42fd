package mulligan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Apply moves the state on by one event. Events come in order; one that is missing is a
// *GapError, and one that cannot follow what is there is an error too.
func (s *State) Apply(e Event) error {
	if e.Number != s.Last+1 {
		return &GapError{Session: e.Session, Want: s.Last + 1, Got: e.Number}
	}
	if err := s.fits(e); err != nil {
		return fmt.Errorf("session %s: event %d (%s): %w", e.Session, e.Number, e.Body.Kind(), err)
	}
	s.Last, s.Updated = e.Number, e.Time
	switch b := e.Body.(type) {
	case SessionStarted:
		s.start(e, b)
	case SessionResumed:
		s.resume(b)
	case SessionEnded:
		s.Outcome = &b.Outcome
	case SessionInterrupted: // the outcome that follows says it all
	case StepStarted:
		s.Step, s.Phase, s.Conversation, s.Decision = b.Index, Preparing, "", Decision{}
		s.Steps[b.Index].Status = StatusRunning
	case AttemptStarted:
		s.beginAttempt(b)
	case TurnStarted:
		s.Turn, s.InFlight, s.Phase = b.Turn, &b, Working
	case TurnEnded:
		s.endTurn(b)
	case GateStarted:
		s.Gate, s.GateTry, s.Examined = b.Index, b.Try-1, nil // one that does not end is run again
		if b.Before.ID != "" {
			s.Examined = &b.Before
		}
	case GateEnded:
		s.endGate(b)
	case AttemptEnded:
		s.endAttempt(b)
	case Decided:
		s.Decision = b.Decision
		if b.Retry {
			s.Phase = Preparing
		}
	case Waited:
		if !b.Free {
			s.Worked += b.For
			s.Steps[s.Step].Worked += b.For
		}
	case StepCommitting:
		s.Committing = &b.Commit
	case StepVerified:
		s.verify(b)
	case StepFailed:
		s.Steps[s.Step].Status = StatusFailed
	case Noted:
		s.Notes = append(s.Notes, b.Text)
	default:
		return fmt.Errorf("session %s: event %d is of a kind that this mulligan does not know (%s): it was written by a newer one", e.Session, e.Number, e.Body.Kind())
	}
	return nil
}

// fits refuses events that no session writes at this place, so that a damaged or made-up
// journal is an error and not a crash.
func (s *State) fits(e Event) error {
	if _, first := e.Body.(SessionStarted); first != (s.Plan == nil) {
		return fmt.Errorf("a session begins with session.started, once")
	}
	switch b := e.Body.(type) {
	case SessionStarted:
		if b.Plan == nil {
			return fmt.Errorf("no plan")
		}
	case SessionResumed:
		plan := s.Plan
		if b.Plan != nil {
			plan = b.Plan
		}
		if b.From < 0 || b.From > len(plan.Steps) {
			return fmt.Errorf("no step %d", b.From)
		}
	case StepStarted:
		if b.Index < 0 || b.Index >= len(s.Steps) {
			return fmt.Errorf("no step %d", b.Index)
		}
	case TurnEnded, GateEnded, AttemptEnded:
		if s.attempt() == nil {
			return fmt.Errorf("no attempt has begun")
		}
	case AttemptStarted, Waited, StepVerified, StepFailed:
		if s.Step >= len(s.Steps) {
			return fmt.Errorf("no step has begun")
		}
	}
	return nil
}

func (s *State) start(e Event, b SessionStarted) {
	s.ID, s.Started = e.Session, e.Time
	s.Version, s.PID, s.Plan, s.Place = b.Version, b.PID, b.Plan, b.Place
	s.Phase, s.Head = Choosing, b.Place.Base
	s.Steps = newSteps(b.Plan)
}

func newSteps(p *Plan) []StepState {
	steps := make([]StepState, len(p.Steps))
	for i, step := range p.Steps {
		steps[i].Name = step.Name
	}
	return steps
}

func (s *State) resume(b SessionResumed) {
	s.recount()
	s.Version, s.PID, s.Outcome = b.Version, b.PID, nil
	if !b.Again {
		return
	}
	s.GateTry, s.FailedRow = 0, 0
	old := s.Steps
	if b.Plan != nil {
		s.Plan = b.Plan
	}
	if b.Place != nil {
		s.Place = *b.Place
	}
	if b.Head != "" {
		s.Head = b.Head
	}
	s.Steps = newSteps(s.Plan)
	for i := range s.Steps {
		if was := find(old, s.Steps[i].Name); was != nil {
			if i < b.From {
				s.Steps[i] = *was
			} else {
				s.Steps[i].Earlier = was.Earlier + was.Used()
			}
		}
	}
	s.Step, s.Phase, s.InFlight, s.Examined, s.Committing = b.From, Choosing, nil, nil, nil
	s.Conversation, s.Decision = "", Decision{}
	s.TurnsBefore, s.WorkedBefore = s.Turn, s.Worked
}

// recount makes the counters those that go on: as they were, but for the one that ended
// the session, which would end it again at once.
func (s *State) recount() {
	switch {
	case s.Outcome != nil && s.Outcome.Ended == AgentUnavailable:
		s.FailedRow = 0
	case s.Outcome != nil && s.Outcome.Ended == GateBroken:
		s.GateTry = 0
	}
}

func find(steps []StepState, name string) *StepState {
	for i := range steps {
		if steps[i].Name == name {
			return &steps[i]
		}
	}
	return nil
}

func (s *State) beginAttempt(b AttemptStarted) {
	step := &s.Steps[s.Step]
	a := AttemptState{Number: b.Attempt, Iteration: b.Iteration, Strategy: b.Strategy, Snapshot: b.Snapshot}
	if n := len(step.Attempts); n > 0 && step.Attempts[n-1].Number == b.Attempt {
		step.Attempts[n-1] = a // taken again: the agent failed the last taking
	} else {
		step.Attempts = append(step.Attempts, a)
	}
	s.Iteration, s.Phase, s.Gate, s.GateTry = b.Iteration, Working, 0, 0
}

func (s *State) endTurn(b TurnEnded) {
	s.InFlight, s.Tree, s.Examined = nil, b.Tree, nil
	s.attempt().Result = b.Result
	s.work(b)
	if b.Result.Ending.Examined() {
		s.FailedRow, s.Gate, s.GateTry, s.Phase = 0, 0, 0, Examining
		s.Conversation = b.Result.Conversation
	}
}

func (s *State) work(b TurnEnded) {
	s.Worked += b.Duration
	s.Steps[s.Step].Worked += b.Duration
	u := b.Result.Usage
	s.Usage.InputTokens += u.InputTokens
	s.Usage.OutputTokens += u.OutputTokens
	s.Usage.Turns += u.Turns
	s.Usage.CostUSD += u.CostUSD
	s.Usage.Estimated = s.Usage.Estimated || u.Estimated
}

func (s *State) endGate(b GateEnded) {
	s.Examined = nil
	s.Worked += b.Verdict.Duration
	s.Steps[s.Step].Worked += b.Verdict.Duration
	a := s.attempt()
	a.Verdicts = append(a.Verdicts, b.Verdict)
	s.Gate, s.GateTry = b.Index, b.Try
	if b.Verdict.Status == Pass {
		s.Gate, s.GateTry = b.Index+1, 0
	}
}

func (s *State) endAttempt(b AttemptEnded) {
	a := s.attempt()
	a.Reason = b.Reason
	switch {
	case !b.Counted:
		s.FailedRow++
		s.Phase = Preparing
	case b.Status == Pass:
		a.Status, s.Phase = Pass, Keeping
	default:
		a.Status, s.Phase = b.Status, Deciding
	}
}

func (s *State) verify(b StepVerified) {
	step := &s.Steps[s.Step]
	step.Status, step.Commit, step.Tree, step.By = StatusVerified, b.Commit, b.Tree, b.By
	if b.Accepted {
		step.Status = StatusAccepted
	}
	if b.Commit != "" {
		s.Head = b.Commit
	}
	s.Committing, s.Phase, s.Conversation = nil, Choosing, ""
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

// TaskHash tells a changed task from the same one.
func TaskHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Summary is the state in a few words.
func (s *State) Summary() Summary {
	sum := Summary{
		ID: s.ID, Started: s.Started, Updated: s.Updated, PID: s.PID,
		Dir: s.Place.Dir, Root: s.Place.Root, Branch: s.Place.Branch,
		Steps: len(s.Steps), Phase: s.Phase, Commit: s.Head, Events: s.Last,
	}
	if s.Plan != nil {
		sum.Task, sum.TaskHash, sum.Folder = s.Plan.Task.Path, TaskHash(s.Plan.Task.Text), s.Plan.Task.Folder
		sum.Pipeline = s.Plan.Pipeline
	}
	if s.Step < len(s.Steps) {
		sum.Step, sum.StepNo = s.Steps[s.Step].Name, s.Step+1
		if a := s.attempt(); a != nil {
			sum.Attempt = a.Number
		}
	}
	if s.Outcome != nil {
		sum.Ended, sum.Reason = s.Outcome.Ended, s.Outcome.Reason
	}
	return sum
}
