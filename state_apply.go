package mulligan

import (
	"errors"
	"fmt"
)

// Apply moves the state on by one event; nothing else changes it. Events come in order: a missing
// one is a *GapError, and one that cannot follow what is there is an error too. After an error the
// state is as it was.
func (s *State) Apply(e Event) error {
	if e.Number != s.Last+1 {
		return &GapError{Session: e.Session, Want: s.Last + 1, Got: e.Number}
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
func (s *State) dispatch(e Event) bool {
	switch b := e.Body.(type) {
	case SessionStarted:
		s.applySessionStarted(e, b)
	case SessionResumed:
		s.applySessionResumed(b)
	case SessionInterrupted: // the outcome that follows has it all
	case SessionEnding:
		s.beginEnding(b)
	case SessionEnded:
		s.leaveEnding()
		s.Outcome = &b.Outcome
	case Noted:
		s.Notes = append(s.Notes, b.Text)
		if b.KeeperLost {
			s.KeepersLost++
		}
		s.Warm = s.Warm || b.Warm

	case NotifyStarted:
		s.applyNotifyStarted(b)
	case NotifyEnded:
		s.applyNotifyEnded(b)

	case StepStarted:
		s.applyStepStarted(b)
	case StepCommitting:
		s.Committing = &b.Commit
	case StepVerified:
		s.applyStepVerified(b)
	case StepFailed:
		s.Steps[s.Step].Status = StatusFailed
	case StepSkipped:
		s.applyStepSkipped(b)
	case IterationKept:
		s.applyIterationKept(b)
	case DeliveryKept:
		s.applyDeliveryKept(b)

	case AttemptStarted:
		s.applyAttemptStarted(b)
	case AttemptEnded:
		s.applyAttemptEnded(b)
	case TurnStarted:
		s.applyTurnStarted(b)
	case TurnEnded:
		s.applyTurnEnded(b)
	case GateStarted:
		s.applyGateStarted(b)
	case GateEnded:
		s.applyGateEnded(b)
	case BaselineStarted:
		s.stepState().Baseline = &BaselineState{Tree: b.Tree}
	case BaselineChecked:
		s.applyBaselineChecked(b)
	case BaselineEnded:
		s.applyBaselineEnded()
	case RoundEnded:
		s.Round, s.Phase = &b, Closing
	case RetryRecommended:
		s.Recommended = &b.Recommendation
	case Decided:
		s.applyDecided(b)
	case Waited:
		s.applyWaited(b)
	case Panicked:
		s.keepUndelivered()
		s.InFlight, s.Examination.InFlight = nil, false
		s.failTurn(Result{Ending: Crashed, Reason: b.Text})

	case HookStarted:
		s.Hooks.Runs = b.Run
	case HookEnded:
		s.applyHookEnded(e, b)
	case AgentHookStarted:
		s.Hooks.Runs += len(b.Hooks)
	case AgentHookEnded:
		s.applyAgentHookEnded(b)
	case StopDecided:
		s.applyStopDecided(b)

	case TaskAdded:
		s.Board.Tasks = append(s.Board.Tasks, b.Task)
		s.applyRequest(b)
		s.withdrawClaim(b.Task)
	case TaskChanged:
		*s.Board.Task(b.Task.ID) = b.Task
		s.withdrawClaim(b.Task)
	case TaskCompleted:
		s.applyTaskCompleted(b.Task)
	case NoteAdded:
		s.Board.Notes = append(s.Board.Notes, b.Note)
	case Summarized:
		s.applySummarized(b.IterationSummary)
	case Claimed:
		s.applyClaimed(b)

	case Asked:
		s.applyAsked(e, b)
	case Answered:
		s.applyAnswered(e, b)
	case Told:
		s.applyTold(e, b)
	case PauseAsked:
		s.Pausing = "by " + b.By

	case GuardOpened:
		s.applyGuardOpened(e, b)
	case GuardSeen:
		s.applyGuardSeen(e, b)
	case GuardClaimed:
		s.applyGuardClaimed(e, b)
	case GuardRuled:
		s.applyGuardRuled(e, b)
	case GuardDecided:
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
func (s *State) validate(body Body) error {
	if begins(body) != (s.Plan == nil) {
		return errors.New("a session begins with session.started, and the guard of an agent without one with guard.opened, once")
	}
	switch b := body.(type) {
	case SessionStarted:
		if b.Plan == nil {
			return errors.New("no plan")
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
	case BaselineChecked, BaselineEnded:
		if s.Step >= len(s.Steps) || s.Steps[s.Step].Baseline == nil {
			return errNoStep
		}
	case BaselineStarted, AttemptStarted, Waited, RetryRecommended, Decided, StepVerified, StepFailed, StepSkipped, IterationKept:
		if s.Step >= len(s.Steps) {
			return errNoStep
		}
	case TurnStarted:
		if b.Purpose == ForDelivery && s.Final == nil {
			return errNotEnding
		}
	case TurnEnded:
		if s.InFlight == nil {
			return errors.New("no turn has begun")
		}
		return s.validateAttempt(s.StopHooks.Base == ForDelivery)
	case GateEnded:
		return s.validateAttempt(s.Final != nil)
	case AttemptEnded:
		return s.validateAttempt(false)
	case DeliveryKept:
		if s.Final == nil {
			return errNotEnding
		}
	case TaskAdded:
		if b.Task.ID != len(s.Board.Tasks)+1 {
			return fmt.Errorf("task %d cannot come after task %d", b.Task.ID, len(s.Board.Tasks))
		}
	case TaskChanged:
		return s.validateTask(b.Task)
	case TaskCompleted:
		return s.validateTask(b.Task)
	case Asked:
		if q := s.question(b.Question.ID); b.Question.ID != len(s.Questions)+1 && (q == nil || q.By != "") {
			return fmt.Errorf("question %d cannot come after question %d", b.Question.ID, len(s.Questions))
		}
	case Answered:
		if s.question(b.ID) == nil {
			return fmt.Errorf("no question %d", b.ID)
		}
	case GuardRuled, GuardDecided:
		return s.validateGuard(body)
	}
	return nil
}

// begins reports whether a body is that of a first event.
func begins(body Body) bool {
	switch body.(type) {
	case SessionStarted, GuardOpened:
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
	case !ofDelivery && s.currentAttempt() == nil:
		return errors.New("no attempt has begun")
	}
	return nil
}

func (s *State) validateTask(t TaskItem) error {
	if s.Board.Task(t.ID) == nil {
		return fmt.Errorf("no task %d", t.ID)
	}
	return nil
}
