package state

import (
	"slices"

	"mulligan"
)

// maxSummaries is how many summaries the board keeps: prompts give the newest, the journal has all.
const maxSummaries = 20

func (s *State) applySummarized(sum mulligan.IterationSummary) {
	b := &s.Board
	if n := len(b.Summaries); n > 0 && b.Summaries[n-1].Iteration == sum.Iteration {
		b.Summaries[n-1] = sum
		return
	}
	b.Summaries = append(b.Summaries, sum)
	if len(b.Summaries) > maxSummaries {
		b.Summaries = b.Summaries[1:]
	}
}

// applyTaskCompleted closes a task, and makes its hooks due.
func (s *State) applyTaskCompleted(t mulligan.TaskItem) {
	*s.Board.Task(t.ID) = t
	if a := s.CurrentAttempt(); a != nil {
		a.CompletedTask = true
	}
	for i := range s.Plan.Hooks[mulligan.OnTaskComplete] {
		s.Hooks.Due = append(s.Hooks.Due, mulligan.DueHook{Index: i, Task: t})
	}
}

func (s *State) applyClaimed(b mulligan.Claimed) {
	s.Claim = &b
	if a := s.CurrentAttempt(); a != nil {
		a.Claimed = true
	}
}

// withdrawClaim takes a claim back when a task is open after it: a session is not complete with one.
func (s *State) withdrawClaim(t mulligan.TaskItem) {
	if !t.Status.Open() {
		return
	}
	s.Claim = nil
	if a := s.CurrentAttempt(); a != nil {
		a.Claimed = false
	}
}

// An AddingRequest is a request of a person, and the tasks that it has added.
type AddingRequest struct {
	ID    string
	Tasks []int
}

// TasksOfRequest returns the ids of the tasks that a request has added. A request without an id is never known.
func (s *State) TasksOfRequest(id string) []int {
	for _, r := range s.Requests {
		if r.ID == id && id != "" {
			return r.Tasks
		}
	}
	return nil
}

// applyRequest keeps which request has added a task. The tasks of one request are added together.
func (s *State) applyRequest(b mulligan.TaskAdded) {
	if b.Request == "" {
		return
	}
	if last := len(s.Requests) - 1; last >= 0 && s.Requests[last].ID == b.Request {
		s.Requests[last].Tasks = append(s.Requests[last].Tasks, b.Task.ID)
		return
	}
	s.Requests = append(s.Requests, AddingRequest{ID: b.Request, Tasks: []int{b.Task.ID}})
}

// WasTold reports whether the session has the message of that ID. A message without one is never known.
func (s *State) WasTold(id string) bool {
	return id != "" && slices.ContainsFunc(s.Told, func(t mulligan.Told) bool { return t.ID == id })
}

// applyTold keeps a message for the agent, once.
func (s *State) applyTold(e mulligan.Event, b mulligan.Told) {
	if s.WasTold(b.ID) {
		return
	}
	s.Told = append(s.Told, b)
	s.Pending = append(s.Pending, mulligan.Piece{Event: e.Number, Text: b.Text})
}

func (s *State) applyAsked(e mulligan.Event, b mulligan.Asked) {
	b.Question.Asked = e.Time
	if q := s.Question(b.Question.ID); q != nil {
		*q = b.Question // asked again, by a turn that is given again
		return
	}
	s.Questions = append(s.Questions, b.Question)
}

func (s *State) applyAnswered(e mulligan.Event, b mulligan.Answered) {
	q := s.Question(b.ID)
	q.Answer, q.By, q.Answered, q.Waited = b.Text, b.By, e.Time, b.Waited
	if q.Asker == mulligan.AskerHookLimit {
		s.countDeliveryTime(b.Waited)
	}
	if turn := s.AttemptProgress().InFlight; turn != nil && turn.Turn == q.Turn {
		s.countTime(-b.Waited) // the turn has only waited
	}
	if q.Asker != mulligan.AskerAgent || q.By != mulligan.ByPerson {
		return
	}
	answer := mulligan.Piece{Event: e.Number, Question: q.ID, Asked: q.Text, Text: b.Text}
	if b.Heard {
		answer.Turn = q.Turn
	}
	s.Pending = append(s.Pending, answer)
}
