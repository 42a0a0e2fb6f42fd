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
	if s.ofSession(e) || s.ofAttempt(e) || s.ofHooks(e) || s.ofBoard(e) || s.ofPeople(e) {
		return nil
	}
	return fmt.Errorf("session %s: event %d is of a kind that this mulligan does not know (%s): it was written by a newer one", e.Session, e.Number, e.Body.Kind())
}

// ofSession applies what happens to the session and its steps, and says whether that was it.
func (s *State) ofSession(e Event) bool {
	switch b := e.Body.(type) {
	case SessionStarted:
		s.start(e, b)
	case SessionResumed:
		s.resume(b)
	case SessionEnding:
		s.Ending, s.Hook = &EndingState{Outcome: b.Outcome, Was: s.standing()}, 0
	case SessionEnded:
		s.unend()
		s.Outcome = &b.Outcome
	case SessionInterrupted: // the outcome that follows says it all
	case StepStarted:
		s.Step, s.Phase, s.Conversation, s.Decision, s.Hook = b.Index, Preparing, "", Decision{}, 0
		s.Steps[b.Index].Status = StatusRunning
	case StepCommitting:
		s.Committing = &b.Commit
	case StepVerified:
		s.verify(b)
	case StepFailed:
		s.Steps[s.Step].Status = StatusFailed
	case IterationKept:
		s.keep(b.Tree, b.Commit)
		s.Phase = Preparing
	case DeliveryKept:
		s.keepDelivery(b)
	case Noted:
		s.Notes = append(s.Notes, b.Text)
	default:
		return false
	}
	return true
}

// ofAttempt does the same for what happens in an attempt.
func (s *State) ofAttempt(e Event) bool {
	switch b := e.Body.(type) {
	case AttemptStarted:
		s.beginAttempt(b)
	case TurnStarted:
		s.beginTurn(b)
	case TurnEnded:
		s.endTurn(b)
	case GateStarted:
		s.beginGate(b)
	case GateEnded:
		s.endGate(b)
	case AttemptEnded:
		s.endAttempt(b)
	case Decided:
		s.decide(b)
	case Waited:
		s.wait(b)
	default:
		return false
	}
	return true
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
	case TurnEnded:
		if s.turn() == nil {
			return fmt.Errorf("no turn has begun")
		}
		return s.needsAttempt()
	case GateEnded, AttemptEnded:
		return s.needsAttempt()
	case AttemptStarted, Waited, StepVerified, StepFailed, IterationKept:
		if s.Step >= len(s.Steps) {
			return fmt.Errorf("no step has begun")
		}
	}
	return s.fitsMore(e)
}

func (s *State) needsAttempt() error {
	if s.attempt() == nil && s.Ending == nil {
		return fmt.Errorf("no attempt has begun")
	}
	return nil
}

// fitsMore is for what others than the loop bring about.
func (s *State) fitsMore(e Event) error {
	switch b := e.Body.(type) {
	case TurnStarted:
		if b.Purpose == ForDelivery && s.Ending == nil {
			return fmt.Errorf("the session does not end")
		}
	case TaskAdded:
		if b.Task.ID != len(s.Board.Tasks)+1 {
			return fmt.Errorf("task %d cannot come after task %d", b.Task.ID, len(s.Board.Tasks))
		}
	case TaskChanged:
		return s.hasTask(b.Task.ID)
	case TaskCompleted:
		return s.hasTask(b.Task.ID)
	case Asked:
		if q := s.question(b.Question.ID); b.Question.ID != len(s.Questions)+1 && (q == nil || q.By != "") {
			return fmt.Errorf("question %d cannot come after question %d", b.Question.ID, len(s.Questions))
		}
	case Answered:
		if s.question(b.ID) == nil {
			return fmt.Errorf("no question %d", b.ID)
		}
	case DeliveryKept:
		if s.Ending == nil {
			return fmt.Errorf("the session does not end")
		}
	}
	return nil
}

func (s *State) hasTask(id int) error {
	if s.Board.Task(id) == nil {
		return fmt.Errorf("no task %d", id)
	}
	return nil
}

func (s *State) start(e Event, b SessionStarted) {
	s.ID, s.Started = e.Session, e.Time
	s.Version, s.PID, s.Plan, s.Place = b.Version, b.PID, b.Plan, b.Place
	s.Phase, s.Head = Starting, b.Place.Base
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
	s.Version, s.PID, s.Outcome, s.Pausing = b.Version, b.PID, nil, ""
	if e := s.Ending; e != nil && e.Outcome.Ended == Interrupted { // killed while it closed in order: it goes on instead
		if e.CutShort = b.CutShort && !b.Again; !e.CutShort {
			s.unend()
		}
	}
	if !b.Again {
		return
	}
	s.unend()
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
				s.Steps[i].Spent, s.Steps[i].SpentBefore = was.Spent, was.Spent
			}
		}
	}
	s.Step, s.Phase, s.InFlight, s.Examined, s.Committing = b.From, Choosing, nil, nil, nil
	s.Conversation, s.Decision = "", Decision{}
	s.Aside, s.Round, s.Failure, s.Claim, s.Hook = nil, nil, nil, nil, 0
	s.SpentBefore, s.WorkedBefore, s.IterationsBefore, s.WaitedFor = s.Spent, s.Worked, s.Iteration, 0
}

// unend takes the session back to where it was when it began to end.
func (s *State) unend() {
	if s.Ending != nil {
		s.stand(s.Ending.Was)
		s.Ending = nil
	}
}

// recount makes the counters those that go on: as they were, but for the one that ended
// the session, which would end it again at once.
func (s *State) recount() {
	switch {
	case s.Outcome != nil && s.Outcome.Ended == AgentUnavailable:
		s.FailedRow = 0
	case s.Outcome != nil && s.Outcome.Ended == GateBroken:
		s.GateTry, s.StopTry = 0, 0
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
		Steps: len(s.Steps), Phase: s.Phase, Commit: s.Head, Events: s.Last, Iteration: s.Iteration,
	}
	if s.Plan != nil {
		sum.Task, sum.TaskHash, sum.Folder = s.Plan.Task.Path, TaskHash(s.Plan.Task.Text), s.Plan.Task.Folder
		sum.Pipeline, sum.Name = s.Plan.Pipeline, s.Plan.Name()
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
