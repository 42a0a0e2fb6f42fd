package view

import (
	"slices"
	"time"

	"mulligan"
)

const keptSettled = 10

// A Question is one that waits for a person.
type Question struct {
	mulligan.Question
	Left    time.Duration // until its default is taken
	Forever bool          // it waits as long as it takes
}

// applyPeople takes what people and the session have to say to each other.
func (m *Model) applyPeople(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.Asked:
		q := cleanQuestion(b.Question)
		if q.Asked.IsZero() {
			q.Asked = e.Time
		}
		again := func(was Question) bool { return was.ID == q.ID } // by a turn that is given again
		m.snap.Questions = append(slices.DeleteFunc(m.snap.Questions, again), Question{Question: q})
	case mulligan.Answered:
		m.answered(b, e.Time)
	case mulligan.Told:
		m.pend(e.Number)
	case mulligan.PauseAsked:
		m.snap.Pausing = Line(b.By)
	}
}

// answered settles a question; one whose default was taken can still be answered by a person.
func (m *Model) answered(b mulligan.Answered, at time.Time) {
	q, found := m.settle(b.ID)
	if !found {
		return
	}
	q.Answer, q.By, q.Answered, q.Waited = Line(b.Text), Line(b.By), at, b.Waited
	m.snap.Settled = append(m.snap.Settled, q)
	m.snap.Settled = m.snap.Settled[max(0, len(m.snap.Settled)-keptSettled):]
	m.amend(q)
}

// amend puts an answer that came after the end into the outcome, which was recorded without.
func (m *Model) amend(q mulligan.Question) {
	if m.snap.Outcome == nil {
		return
	}
	out := *m.snap.Outcome
	out.Questions = slices.Clone(out.Questions)
	for i := range out.Questions {
		if out.Questions[i].ID == q.ID {
			out.Questions[i] = q
		}
	}
	m.snap.Outcome = &out
}

// settle takes a question out of where it is.
func (m *Model) settle(id int) (mulligan.Question, bool) {
	if i := slices.IndexFunc(m.snap.Questions, func(q Question) bool { return q.ID == id }); i >= 0 {
		q := m.snap.Questions[i].Question
		m.snap.Questions = slices.Delete(m.snap.Questions, i, i+1)
		return q, true
	}
	if i := slices.IndexFunc(m.snap.Settled, func(q mulligan.Question) bool { return q.ID == id }); i >= 0 {
		q := m.snap.Settled[i]
		m.snap.Settled = slices.Delete(m.snap.Settled, i, i+1)
		return q, true
	}
	return mulligan.Question{}, false
}

// questions are those that are open, with the time that each has left.
func (m *Model) questions(now time.Time) []Question {
	open := slices.Clone(m.snap.Questions)
	for i := range open {
		q := &open[i]
		q.Forever = m.people.Ask || m.snap.Over()
		if !q.Forever {
			q.Left = max(0, q.Asked.Add(m.people.AskTimeout).Sub(now))
		}
	}
	return open
}

func cleanQuestion(q mulligan.Question) mulligan.Question {
	q.Text, q.Options, q.Default = Text(q.Text), cleanLines(q.Options), Line(q.Default)
	q.Asker, q.Answer, q.By = Line(q.Asker), Line(q.Answer), Line(q.By)
	return q
}

// Taken is what was taken for an answer that nobody gave. What an agent is told then is for the
// agent.
func Taken(answer string) string {
	if answer == mulligan.Nobody {
		return "the agent takes the way that it thinks safest"
	}
	return "taken: " + Line(answer)
}

// hookLimit asks what is to be done about Stop hooks that block at their limit.
const hookLimit = "hook limit"

// Asker says who asks: "from the agent".
func Asker(q mulligan.Question) string {
	switch q.Asker {
	case "":
		return ""
	case hookLimit:
		return "at the hook limit"
	}
	return "from the " + Line(q.Asker)
}

// Meaning is what an option of a session's own question does; "" of an agent's, who knows itself.
func (s Snapshot) Meaning(q mulligan.Question, option string) string {
	if q.Asker != hookLimit {
		return ""
	}
	switch option {
	case mulligan.LimitContinue:
		return "gives the agent up to " + Count(max(1, s.HookRetries), "more turn")
	case mulligan.LimitAbort:
		return "ends the session"
	case mulligan.LimitIgnore:
		return "lets the agent stop: the work is accepted, not verified"
	}
	return ""
}

// Otherwise is what is taken when nobody answers.
func Otherwise(q mulligan.Question) string {
	if q.Asker == hookLimit && q.Default == mulligan.LimitFail {
		return "the attempt has failed"
	}
	return Line(q.Default)
}
