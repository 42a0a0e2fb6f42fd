package view

import (
	"slices"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

const keptSettled = 10

// A Question is one that waits for a person.
type Question struct {
	mulligan.Question
	Left    time.Duration // until its default is taken
	Forever bool          // it waits as long as it takes
	until   time.Time     // when its default is taken
}

// addTimeLeft returns the open questions with the time that each has left.
func addTimeLeft(open []Question, now time.Time) []Question {
	open = slices.Clone(open)
	for i, q := range open {
		if !q.Forever {
			open[i].Left = max(0, q.until.Sub(now))
		}
	}
	return open
}

// TakenWords returns what was taken as the answer to a question that nobody answered. A question without a
// default is answered by words for the agent, which a view does not show.
func TakenWords(q mulligan.Question) string {
	if q.Default == "" {
		return "the agent takes the way that it thinks safest"
	}
	return "taken: " + Line(q.Answer)
}

// hookLimit asks what is to be done about Stop hooks that block at their limit.
const hookLimit = "hook limit"

// AskerWords says who asks: "from the agent".
func AskerWords(q mulligan.Question) string {
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
		return "gives the agent up to " + text.Count(max(1, s.HookRetries), "more turn")
	case mulligan.LimitAbort:
		return "ends the session"
	case mulligan.LimitIgnore:
		return "lets the agent stop: the work is accepted, not verified"
	}
	return ""
}

// DefaultWords is what is taken when nobody answers.
func DefaultWords(q mulligan.Question) string {
	if q.Asker == hookLimit && q.Default == mulligan.LimitFail {
		return "the attempt has failed"
	}
	return Line(q.Default)
}
