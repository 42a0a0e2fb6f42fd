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

// withTimeLeft returns the open questions with the time that each has left.
func withTimeLeft(open []Question, people mulligan.People, over bool, now time.Time) []Question {
	open = slices.Clone(open)
	for i := range open {
		q := &open[i]
		q.Forever = people.Ask || over
		if !q.Forever {
			q.Left = max(0, q.Asked.Add(people.AskTimeout).Sub(now))
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
