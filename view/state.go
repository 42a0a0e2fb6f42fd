package view

import (
	"slices"
	"time"

	"mulligan"
	"mulligan/state"
)

// This file alone reads the fields of state.State. Everything that the session itself knows is
// taken from there; the tracker in model.go adds what only a viewer needs.

// applyToState gives the session's state its next event, whatever the event's number. If the event does
// not fit, because the viewer has missed others or because this version does not know its kind, the
// state first gets the events that are missing; if the event does not fit then either, the state skips
// it.
func applyToState(s *state.State, e mulligan.Event) {
	if b, ok := e.Body.(mulligan.SessionStarted); ok {
		*s = state.State{}
		if b.Plan == nil {
			b.Plan = &mulligan.Plan{}
			e.Body = b
		}
	}
	apply := func(e mulligan.Event) bool {
		s.Last = e.Number - 1
		return s.Apply(e) == nil
	}
	if apply(e) {
		return
	}
	for _, body := range missingBefore(s, e.Body) {
		apply(mulligan.Event{Session: e.Session, Number: e.Number, Body: body})
	}
	apply(e)
	s.Last, s.Updated = e.Number, e.Time
}

// missingBefore returns the events that the state must have had for a body to fit.
func missingBefore(s *state.State, body mulligan.Body) []mulligan.Body {
	var missing []mulligan.Body
	if s.Plan == nil {
		missing = append(missing, mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: make([]mulligan.Step, 1)}})
	}
	turn, isTurn := body.(mulligan.TurnEnded)
	switch body.(type) {
	case mulligan.TurnEnded, mulligan.GateEnded, mulligan.AttemptEnded:
		if s.Final == nil && (s.Step >= len(s.Steps) || len(s.Steps[s.Step].Attempts) == 0) {
			missing = append(missing, mulligan.AttemptStarted{Iteration: s.Iteration})
		}
	}
	if isTurn && s.Final != nil {
		missing = append(missing, mulligan.TurnStarted{Turn: turn.Turn, Purpose: mulligan.ForDelivery})
	} else if isTurn {
		missing = append(missing, mulligan.TurnStarted{Turn: turn.Turn})
	}
	return missing
}

// outlineState returns the parts of a snapshot that remarks look at. It cleans no text, since it is made
// for every event.
func outlineState(s *state.State) Snapshot {
	o := Snapshot{Current: currentStep(s), Iteration: s.Iteration, Pending: len(s.Waiting()), Ending: endingOf(s)}
	if s.Plan == nil {
		return o
	}
	o.Commits, o.HookRetries = s.Plan.Git.Commit, s.Plan.AgentHooks.MaxRetries
	if loop := s.Plan.Loop; loop != nil {
		o.Loop = &Loop{Iterations: loop.Iterations, Before: s.IterationsBefore}
	}
	return o
}

// currentStep returns the index of the step that is under way, or was last; -1 before the first.
func currentStep(s *state.State) int {
	if s.Step < len(s.Steps) && s.Steps[s.Step].Status != mulligan.StatusOpen {
		return s.Step
	}
	return -1
}

// isStepRunning reports whether the current step is under way.
func isStepRunning(s *state.State) bool {
	i := currentStep(s)
	return i >= 0 && s.Steps[i].Status == mulligan.StatusRunning
}

// endingOf returns what a session that ends will have come to, or nil if it does not end, or resumes
// after its process was killed in the middle of its end.
func endingOf(s *state.State) *mulligan.Outcome {
	if s.Final == nil || s.Phase == mulligan.Abandoning {
		return nil
	}
	return &s.Final.Outcome
}

// describeStart returns the parts of a snapshot that stay as they are until the task is run again. They
// are not made for every snapshot, since cleaning takes its time.
func describeStart(s *state.State) Snapshot {
	snap := describePlan(s.Plan)
	snap.Session, snap.Place = Line(s.ID), cleanValue(s.Place)
	return snap
}

// describeState returns a snapshot of what the state knows, fit for a terminal, given the parts that
// do not change with every event.
func describeState(s *state.State, start Snapshot, tasks Tasks) Snapshot {
	snap := outlineState(s)
	snap.Session, snap.Place, snap.Agents = start.Session, start.Place, start.Agents
	snap.Place.Base = Line(s.Place.Base) // a session_start hook may have moved it
	snap.Task, snap.Folder, snap.InFolder, snap.Pipeline = start.Task, start.Folder, start.InFolder, start.Pipeline
	snap.Flags, snap.FromStdin = start.Flags, start.FromStdin
	snap.Started, snap.PID, snap.Phase = s.Started, s.PID, s.Phase
	snap.Usage, snap.Judged = s.Spent.Usage, s.Spent.Judged
	snap.Tasks, snap.Claimed = tasks, s.Claim != nil
	if n := len(s.Board.Summaries); n > 0 {
		snap.Summary = Line(s.Board.Summaries[n-1].Text)
	}
	snap.Steps = describeSteps(s, start.Steps)
	snap.Questions, snap.Settled = describeQuestions(s)
	if snap.Ending != nil {
		snap.Ending = cleanValue(snap.Ending)
	}
	if s.Outcome != nil {
		snap.Outcome = cleanValue(addAnswers(*s.Outcome, s.Questions))
	}
	return snap
}

// describeSteps returns the steps without their checks and times, which the tracker has.
func describeSteps(s *state.State, planned []Step) []Step {
	steps := make([]Step, len(s.Steps))
	for i, step := range s.Steps {
		steps[i] = describeStep(step, planned[i])
	}
	return steps
}

// describeStep adds to a step of the plan what has become of it, but for its checks.
func describeStep(s mulligan.StepState, step Step) Step {
	step.Status, step.Earlier, step.Spent = describeStatus(s), s.Earlier, s.Spending()
	step.Commit = cleanValue(s.Commit)
	waived := s.Waived
	if n := len(s.Attempts); n > 0 {
		last := s.Attempts[n-1]
		step.Attempt, step.Strategy = last.Number, cleanValue(last.Strategy)
		if !s.Done() {
			waived = last.Waived
		}
	}
	step.Waived = slices.DeleteFunc(cleanValue(waived), func(note string) bool { return note == "" })
	return step
}

// describeStatus returns how far a step is. One that no gate has verified is accepted.
func describeStatus(s mulligan.StepState) StepStatus {
	switch {
	case s.Status == mulligan.StatusOpen:
		return Open
	case s.Status == mulligan.StatusVerified && len(s.By) == 0:
		return Accepted
	}
	return StepStatus(s.Status)
}

// describeQuestions returns the open questions, and those that were answered last in the order of
// their answers.
func describeQuestions(s *state.State) (open []Question, settled []mulligan.Question) {
	for _, q := range s.Questions {
		if q.By == "" {
			people := s.Plan.People
			open = append(open, Question{Question: cleanValue(q), Forever: people.Ask || s.Outcome != nil, until: q.Asked.Add(people.AskTimeout)})
		} else {
			settled = append(settled, q)
		}
	}
	slices.SortStableFunc(settled, func(a, b mulligan.Question) int { return a.Answered.Compare(b.Answered) })
	return open, cleanValue(settled[max(0, len(settled)-keptSettled):])
}

// addAnswers returns an outcome with the answers that came after it was recorded.
func addAnswers(out mulligan.Outcome, questions []mulligan.Question) *mulligan.Outcome {
	out.Questions = slices.Clone(out.Questions)
	for i, q := range out.Questions {
		if q.ID >= 1 && q.ID <= len(questions) && questions[q.ID-1].By != "" {
			out.Questions[i] = questions[q.ID-1]
		}
	}
	return &out
}

// findQuestion returns the question with an id as a list, empty if there is none.
func findQuestion(s *state.State, id int) []mulligan.Question {
	if id < 1 || id > len(s.Questions) {
		return nil
	}
	return s.Questions[id-1 : id]
}

// lastEventTime returns the time of the last event.
func lastEventTime(s *state.State) time.Time { return s.Updated }

// planOf returns the session's plan, or nil before it has one.
func planOf(s *state.State) *mulligan.Plan { return s.Plan }

// guardOf returns what the guard knows of the items that agents claim.
func guardOf(s *state.State) *state.Guard { return &s.Guard }

// boardOf returns the agent's tasks and notes.
func boardOf(s *state.State) *mulligan.Board { return &s.Board }

// Place returns the step that a session is at, and the number of its attempt. The step is "" if the
// session is at none.
func Place(s *state.State) (step string, attempt int) {
	if s.Plan == nil || s.Step >= len(s.Plan.Steps) {
		return "", 0
	}
	step = s.Plan.Steps[s.Step].Name
	if s.Step < len(s.Steps) {
		if list := s.Steps[s.Step].Attempts; len(list) > 0 {
			attempt = list[len(list)-1].Number
		}
	}
	return step, attempt
}

// gaugeState returns how much a session has used of its limits.
func gaugeState(s *state.State, running *Activity) []Gauge {
	if s.Plan == nil {
		return nil
	}
	return gaugeLimits(s.Plan.Limits, s.Account, running)
}

// A Change is what a session has made of the files that it found, as two trees of its workspace.
type Change struct {
	Place    mulligan.Place
	From, To mulligan.Tree
}

// Change returns what the session has changed up to its last turn's end, and false if no turn has ended.
func (m *Model) Change() (Change, bool) {
	from, to := m.state.Began, m.state.AttemptProgress().Tree
	return Change{m.state.Place, from, to}, from.ID != "" && to.ID != ""
}
