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

// addTimeLeft returns a copy of the open questions with the time that each has left.
func addTimeLeft(open []Question, now time.Time) []Question {
	open = slices.Clone(open)
	for i, q := range open {
		if !q.Forever {
			open[i].Left = max(0, q.until.Sub(now))
		}
	}
	return open
}

// TakenWords returns what was taken as the answer to a question that no person answered. The answer to a
// question without a default is meant for the agent, and not shown.
func TakenWords(q mulligan.Question) string {
	if q.Default == "" {
		return "the agent takes the way that it thinks safest"
	}
	return "taken: " + Line(q.Answer)
}

// AskerWords returns who asks: "from the agent".
func AskerWords(q mulligan.Question) string {
	switch q.Asker {
	case "":
		return ""
	case mulligan.AskerHookLimit:
		return "at the hook limit"
	}
	return "from the " + Line(q.Asker)
}

// Meaning returns what an option of a session's own question does, or of one for a permission; "" for an
// agent's question, whose options only the agent can explain.
func (s Snapshot) Meaning(q mulligan.Question, option string) string {
	if q.Scope != "" && option == mulligan.AnswerAlways {
		return Line(q.Scope) + ", for the rest of the session"
	}
	if q.Asker != mulligan.AskerHookLimit {
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

// DefaultWords returns what is taken if no person answers.
func DefaultWords(q mulligan.Question) string {
	if q.Asker == mulligan.AskerHookLimit && q.Default == mulligan.LimitFail {
		return "the attempt has failed"
	}
	return Line(q.Default)
}
