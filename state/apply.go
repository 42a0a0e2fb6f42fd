package state

import (
	"errors"
	"fmt"

	"mulligan"
)

// Apply moves the state on by one event; nothing else changes it. Events come in order: a missing
// one is a *GapError, and one that cannot follow what is there is an error too. After an error the
// state is as it was.
func (s *State) Apply(e mulligan.Event) error {
	if e.Number != s.Last+1 {
		return &mulligan.GapError{Session: e.Session, Want: s.Last + 1, Got: e.Number}
	}
	if err := s.validate(e.Body); err != nil {
		return fmt.Errorf("session %s: event %d (%s): %w", e.Session, e.Number, e.Body.Kind(), err)
	}
	if !s.dispatch(e) {
		return fmt.Errorf("session %s: event %d is of a kind that this mulligan does not know (%s): it was written by a newer one", e.Session, e.Number, e.Body.Kind())
	}
	s.Last, s.Updated = e.Number, e.Time
	return nil
}

// dispatch reports whether the event is of a kind that it knows. If it is not, nothing changes.
func (s *State) dispatch(e mulligan.Event) bool {
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		s.applySessionStarted(e, b)
	case mulligan.SessionResumed:
		s.applySessionResumed(b)
	case mulligan.SessionInterrupted: // the outcome that follows has it all
	case mulligan.SessionEnding:
		s.beginEnding(b)
	case mulligan.SessionEnded:
		s.leaveEnding()
		s.Outcome = &b.Outcome
	case mulligan.Noted:
		s.Notes = append(s.Notes, b.Text)
		if b.KeeperLost {
			s.KeepersLost++
		}
		s.Warm = s.Warm || b.Warm

	case mulligan.NotifyStarted:
		s.applyNotifyStarted(b)
	case mulligan.NotifyEnded:
		s.applyNotifyEnded(b)

	case mulligan.StepStarted:
		s.applyStepStarted(b)
	case mulligan.StepCommitting:
		s.Committing = &b.Commit
	case mulligan.StepVerified:
		s.applyStepVerified(b)
	case mulligan.StepFailed:
		s.Steps[s.Step].Status = mulligan.StatusFailed
	case mulligan.StepSkipped:
		s.applyStepSkipped(b)
	case mulligan.IterationKept:
		s.applyIterationKept(b)
	case mulligan.DeliveryKept:
		s.applyDeliveryKept(b)

	case mulligan.AttemptStarted:
		s.applyAttemptStarted(b)
	case mulligan.AttemptEnded:
		s.applyAttemptEnded(b)
	case mulligan.TurnStarted:
		s.applyTurnStarted(b)
	case mulligan.TurnEnded:
		s.applyTurnEnded(b)
	case mulligan.GateStarted:
		s.applyGateStarted(b)
	case mulligan.GateEnded:
		s.applyGateEnded(b)
	case mulligan.BaselineStarted:
		s.StepState().Baseline = &mulligan.BaselineState{Tree: b.Tree}
	case mulligan.BaselineChecked:
		s.applyBaselineChecked(b)
	case mulligan.BaselineEnded:
		s.applyBaselineEnded()
	case mulligan.RoundEnded:
		s.Round, s.Phase = &b, mulligan.Closing
	case mulligan.RetryRecommended:
		s.Recommended = &b.Recommendation
	case mulligan.Decided:
		s.applyDecided(b)
	case mulligan.Waited:
		s.applyWaited(b)
	case mulligan.Panicked:
		s.keepUndelivered()
		s.InFlight, s.Examination.InFlight = nil, false
		s.failTurn(mulligan.Result{Ending: mulligan.Crashed, Reason: b.Text})

	case mulligan.HookStarted:
		s.Hooks.Runs = b.Run
	case mulligan.HookEnded:
		s.applyHookEnded(e, b)
	case mulligan.AgentHookStarted:
		s.Hooks.Runs += len(b.Hooks)
	case mulligan.AgentHookEnded:
		s.applyAgentHookEnded(b)
	case mulligan.StopDecided:
		s.applyStopDecided(b)

	case mulligan.TaskAdded:
		s.Board.Tasks = append(s.Board.Tasks, b.Task)
		s.applyRequest(b)
		s.withdrawClaim(b.Task)
	case mulligan.TaskChanged:
		*s.Board.Task(b.Task.ID) = b.Task
		s.withdrawClaim(b.Task)
	case mulligan.TaskCompleted:
		s.applyTaskCompleted(b.Task)
	case mulligan.NoteAdded:
		s.Board.Notes = append(s.Board.Notes, b.Note)
	case mulligan.Summarized:
		s.applySummarized(b.IterationSummary)
	case mulligan.Claimed:
		s.applyClaimed(b)

	case mulligan.Asked:
		s.applyAsked(e, b)
	case mulligan.Answered:
		s.applyAnswered(e, b)
	case mulligan.Told:
		s.applyTold(e, b)
	case mulligan.PauseAsked:
		s.Pausing = "by " + b.By

	case mulligan.GuardOpened:
		s.applyGuardOpened(e, b)
	case mulligan.GuardSeen:
		s.applyGuardSeen(e, b)
	case mulligan.GuardClaimed:
		s.applyGuardClaimed(e, b)
	case mulligan.GuardRuled:
		s.applyGuardRuled(e, b)
	case mulligan.GuardDecided:
		s.applyGuardDecided(e, b)
	default:
		return false
	}
	return true
}

var (
	errNoStep    = errors.New("no step has begun")
	errNotEnding = errors.New("the session does not end")
)

// validate refuses events that no session writes at this place, so that a damaged or made-up
// journal is an error and not a crash.
func (s *State) validate(body mulligan.Body) error {
	if begins(body) != (s.Plan == nil) {
		return errors.New("a session begins with session.started, and the guard of an agent without one with guard.opened, once")
	}
	switch b := body.(type) {
	case mulligan.SessionStarted:
		if b.Plan == nil {
			return errors.New("no plan")
		}
	case mulligan.SessionResumed:
		plan := s.Plan
		if b.Plan != nil {
			plan = b.Plan
		}
		if b.From < 0 || b.From > len(plan.Steps) {
			return fmt.Errorf("no step %d", b.From)
		}
	case mulligan.StepStarted:
		if b.Index < 0 || b.Index >= len(s.Steps) {
			return fmt.Errorf("no step %d", b.Index)
		}
	case mulligan.BaselineChecked, mulligan.BaselineEnded:
		if s.Step >= len(s.Steps) || s.Steps[s.Step].Baseline == nil {
			return errNoStep
		}
	case mulligan.BaselineStarted, mulligan.AttemptStarted, mulligan.Waited, mulligan.RetryRecommended, mulligan.Decided, mulligan.StepVerified, mulligan.StepFailed, mulligan.StepSkipped, mulligan.IterationKept:
		if s.Step >= len(s.Steps) {
			return errNoStep
		}
	case mulligan.TurnStarted:
		if b.Purpose == mulligan.ForDelivery && s.Final == nil {
			return errNotEnding
		}
	case mulligan.TurnEnded:
		if s.InFlight == nil {
			return errors.New("no turn has begun")
		}
		return s.validateAttempt(s.StopHooks.Base == mulligan.ForDelivery)
	case mulligan.GateEnded:
		return s.validateAttempt(s.Final != nil)
	case mulligan.AttemptEnded:
		return s.validateAttempt(false)
	case mulligan.DeliveryKept:
		if s.Final == nil {
			return errNotEnding
		}
	case mulligan.TaskAdded:
		if b.Task.ID != len(s.Board.Tasks)+1 {
			return fmt.Errorf("task %d cannot come after task %d", b.Task.ID, len(s.Board.Tasks))
		}
	case mulligan.TaskChanged:
		return s.validateTask(b.Task)
	case mulligan.TaskCompleted:
		return s.validateTask(b.Task)
	case mulligan.Asked:
		if q := s.Question(b.Question.ID); b.Question.ID != len(s.Questions)+1 && (q == nil || q.By != "") {
			return fmt.Errorf("question %d cannot come after question %d", b.Question.ID, len(s.Questions))
		}
	case mulligan.Answered:
		if s.Question(b.ID) == nil {
			return fmt.Errorf("no question %d", b.ID)
		}
	case mulligan.GuardRuled, mulligan.GuardDecided:
		return s.validateGuard(body)
	}
	return nil
}

// begins reports whether a body is that of a first event.
func begins(body mulligan.Body) bool {
	switch body.(type) {
	case mulligan.SessionStarted, mulligan.GuardOpened:
		return true
	default:
		return false
	}
}

// validateAttempt refuses what belongs to an attempt, or to the final delivery, where there is none.
func (s *State) validateAttempt(ofDelivery bool) error {
	switch {
	case ofDelivery && s.Final == nil:
		return errNotEnding
	case !ofDelivery && s.CurrentAttempt() == nil:
		return errors.New("no attempt has begun")
	}
	return nil
}

func (s *State) validateTask(t mulligan.TaskItem) error {
	if s.Board.Task(t.ID) == nil {
		return fmt.Errorf("no task %d", t.ID)
	}
	return nil
}
