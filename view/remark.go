package view

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// A Remark is an event in a few words: a line of a log, or between the lines of a screen's output.
type Remark struct {
	Tone Tone
	What string
	Text []string // details; empty ones are passed over
	// Under are lines that belong to it.
	Under []string
}

func (r Remark) String() string {
	return Join("  ", append([]string{r.What}, r.Text...)...)
}

// newRemark returns a list of one remark. It cleans the details, and leaves what to the caller.
func newRemark(tone Tone, what string, details ...string) []Remark {
	return []Remark{{Tone: tone, What: what, Text: cleanValue(details)}}
}

// Remarks returns what there is to say about an event that happens beside the turns and the gates. The
// snapshot is the session's after the event.
func Remarks(body mulligan.Body, s Snapshot) []Remark {
	switch b := body.(type) {
	case mulligan.TurnStarted:
		if back := SentBackBy(b); back != nil {
			return newRemark(Warn, back.String())
		}
	case mulligan.AgentHookStarted:
		if b.Try > 1 {
			return newRemark(Usual, nameHooks(b.Event, b.Hooks)+" once more")
		}
	case mulligan.AgentHookEnded:
		return remarkAgentHooks(b)
	case mulligan.StopDecided:
		return remarkStop(b, s)
	case mulligan.Decided:
		return remarkDecision(b)
	case mulligan.StepSkipped:
		return newRemark(Warn, "skipped", b.Reason, "its changes are put back, and `mulligan take --list` has them")
	case mulligan.HookEnded:
		return remarkHook(b)
	case mulligan.RoundEnded:
		if s.Loop != nil {
			return remarkRound(b)
		}
	case mulligan.Panicked:
		return newRemark(Bad, "mulligan broke", b.Text)
	case mulligan.IterationKept:
		return remarkKept(b, s)
	case mulligan.SessionEnding:
		return remarkEnding(b, s)
	case mulligan.DeliveryKept:
		if b.Passed {
			return newRemark(Good, "final delivery kept", commitWords(b.Commit), b.Note)
		}
		return newRemark(Warn, "final delivery did not pass", commitWords(b.Commit), b.Note)
	case mulligan.TaskAdded:
		return remarkTask(Usual, b.Task, "added")
	case mulligan.TaskChanged:
		if b.Task.Status == mulligan.Blocked {
			return remarkTask(Warn, b.Task, StatusWords(b.Task.Status))
		}
		return remarkTask(Usual, b.Task, StatusWords(b.Task.Status))
	case mulligan.TaskCompleted:
		return newRemark(Good, fmt.Sprintf("task %d completed", b.Task.ID), b.Task.Content)
	case mulligan.NoteAdded:
		if kind := Line(b.Note.Type); kind != "note" && kind != "" {
			return newRemark(Usual, kind, b.Note.Text)
		}
		return newRemark(Usual, "agent's note", b.Note.Text)
	case mulligan.Summarized:
		return newRemark(Usual, "summary", b.Text)
	case mulligan.Claimed:
		return newRemark(Usual, "the agent says it is complete", b.Text)
	case mulligan.GuardOpened, mulligan.GuardSeen, mulligan.GuardClaimed, mulligan.GuardRuled, mulligan.GuardDecided:
		return remarkGuard(body)
	case mulligan.Asked:
		return remarkQuestion(b.Question)
	case mulligan.Answered:
		return remarkAnswer(b, s)
	case mulligan.Told:
		return newRemark(Usual, "told", b.Text)
	case mulligan.NotifyEnded:
		return remarkNotices(b)
	case mulligan.PauseAsked:
		return newRemark(Warn, "pausing", "asked by "+Line(b.By), "when the running turn's checks are through")
	}
	return nil
}

func remarkHook(b mulligan.HookEnded) []Remark {
	tone, ended, exit := Quiet, "ok", ""
	if !b.Result.OK {
		tone, ended, exit = Bad, "failed", b.Result.Exit
	}
	var task, piped string
	if b.Task > 0 {
		task = fmt.Sprintf("task %d", b.Task)
	}
	if b.Piped {
		piped = "piped to the agent"
	}
	return newRemark(tone, fmt.Sprintf(`hook "%s" %s`, Line(b.Name), ended), Duration(b.Duration), string(b.Moment), exit, task, piped)
}

func remarkRound(b mulligan.RoundEnded) []Remark {
	switch b.Status {
	case mulligan.Pass:
		return newRemark(Good, "round passed", b.Reason)
	case mulligan.Fail:
		return newRemark(Bad, "round failed", b.Reason)
	default:
		return newRemark(Warn, "round broken", b.Reason)
	}
}

// remarkKept tells what an iteration left behind.
func remarkKept(b mulligan.IterationKept, s Snapshot) []Remark {
	tone, commit, checks := Usual, commitWords(b.Commit), "checks "+Line(b.Checks)
	switch b.Checks {
	case "passed":
		tone = Good
	case "none", "":
		checks = "nothing checked it"
	}
	if commit == "" && s.Commits {
		commit = "nothing to commit"
	}
	return newRemark(tone, fmt.Sprintf("iteration %d kept", b.Iteration), commit, checks)
}

func remarkEnding(b mulligan.SessionEnding, s Snapshot) []Remark {
	ended := strings.ReplaceAll(string(b.Outcome.Ended), "_", " ")
	pending := ""
	if s.Pending > 0 {
		pending = text.Count(s.Pending, "text") + " still pending"
	} else if s.Loop == nil {
		return nil
	}
	return newRemark(Usual, "ending", ended, b.Outcome.Reason, pending)
}

// commitWords returns a commit as remarks name it, "" if there is none.
func commitWords(id string) string {
	if id == "" {
		return ""
	}
	return "commit " + Commit(Line(id))
}

func remarkTask(tone Tone, t mulligan.TaskItem, what string) []Remark {
	return newRemark(tone, fmt.Sprintf("task %d %s", t.ID, what), t.Content, TaskDetails(t))
}

// questionLines is how many lines of a question are shown under its first.
const questionLines = 40

func remarkQuestion(q mulligan.Question) []Remark {
	options := ""
	if len(q.Options) > 0 {
		options = "[" + strings.Join(cleanValue(q.Options), " | ") + "]"
	}
	first, rest := QuestionLines(q)
	r := newRemark(Warn, fmt.Sprintf("question %d", q.ID), first)
	r[0].Text, r[0].Under = append(r[0].Text, options), rest
	return r
}

// QuestionLines returns the first line of a question, and the lines under it, bounded.
func QuestionLines(q mulligan.Question) (first string, under []string) {
	first, rest, _ := strings.Cut(q.Text, "\n")
	if rest == "" {
		return Line(first), nil
	}
	under = strings.Split(Text(rest), "\n")
	if more := len(under) - questionLines; more > 0 {
		under = append(under[:questionLines], "… "+text.Count(more, "more line"))
	}
	return Line(first), under
}

func remarkAnswer(b mulligan.Answered, s Snapshot) []Remark {
	if b.By != mulligan.ByDefault {
		return newRemark(Good, fmt.Sprintf("question %d answered", b.ID), b.Text)
	}
	q := mulligan.Question{Answer: b.Text, Default: b.Text}
	for _, settled := range s.Settled {
		if settled.ID == b.ID {
			q = settled
		}
	}
	return newRemark(Warn, fmt.Sprintf("nobody answered question %d", b.ID), TakenWords(q))
}

// remarkNotices tells which ways a notice took, and which failed.
func remarkNotices(b mulligan.NotifyEnded) []Remark {
	var remarks []Remark
	for _, r := range b.Results {
		if r.OK {
			remarks = append(remarks, newRemark(Quiet, "notified by "+Line(r.Way))...)
		} else {
			remarks = append(remarks, newRemark(Warn, "no notification by "+Line(r.Way), r.Note)...)
		}
	}
	return remarks
}
