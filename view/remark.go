package view

import (
	"fmt"
	"strings"

	"mulligan"
)

// Tone is how good the news is.
type Tone string

const (
	Usual Tone = ""
	Good  Tone = "good"
	Bad   Tone = "bad"
	Warn  Tone = "warn"
	Quiet Tone = "quiet"
)

// A Remark is an event in a few words: a line of a log, or between the lines of a screen's output.
type Remark struct {
	Tone Tone
	What string
	Text []string // what there is to say about it; empty ones are passed over
	// Under are lines that belong to it.
	Under []string
}

func (r Remark) String() string {
	text := r.What
	for _, t := range r.Text {
		if t != "" {
			text += "  " + t
		}
	}
	return text
}

// Remarks are what to say about an event that happens beside the turns and the gates. The
// snapshot is the session's after it.
func Remarks(body mulligan.Body, s Snapshot) []Remark {
	switch b := body.(type) {
	case mulligan.TurnStarted:
		if back := SentBackBy(b); back != nil {
			return []Remark{{Tone: Warn, What: back.String()}}
		}
	case mulligan.AgentHookStarted:
		return remarkOnceMore(b)
	case mulligan.AgentHookEnded:
		return remarkAgentHooks(b)
	}
	if r, ok := remarkOf(body, s); ok {
		return []Remark{r}
	}
	return nil
}

func remarkOf(body mulligan.Body, s Snapshot) (Remark, bool) {
	switch b := body.(type) {
	case mulligan.StopDecided:
		return remarkStop(b, s), true
	case mulligan.HookEnded:
		return remarkHook(b), true
	case mulligan.RoundEnded:
		return remarkRound(b), s.Loop != nil
	case mulligan.Panicked:
		return Remark{Tone: Bad, What: "mulligan broke", Text: []string{Line(b.Text)}}, true
	case mulligan.IterationKept:
		return remarkKept(b, s), true
	case mulligan.SessionEnding:
		return remarkEnding(b, s), s.Loop != nil || s.Pending > 0
	case mulligan.DeliveryKept:
		return remarkDelivery(b), true
	}
	if r, ok := remarkBoard(body); ok {
		return r, true
	}
	return remarkPeople(body)
}

func remarkHook(b mulligan.HookEnded) Remark {
	r := Remark{Tone: Quiet, What: fmt.Sprintf(`hook "%s" ok`, Line(b.Name)), Text: []string{Duration(b.Duration), Line(string(b.Moment))}}
	if !b.Result.OK {
		r.Tone, r.What = Bad, fmt.Sprintf(`hook "%s" failed`, Line(b.Name))
		r.Text = append(r.Text, Line(b.Result.Exit))
	}
	if b.Task > 0 {
		r.Text = append(r.Text, fmt.Sprintf("task %d", b.Task))
	}
	if b.Piped {
		r.Text = append(r.Text, "piped to the agent")
	}
	return r
}

func remarkRound(b mulligan.RoundEnded) Remark {
	switch b.Status {
	case mulligan.Pass:
		return Remark{Tone: Good, What: "round passed", Text: []string{Line(b.Reason)}}
	case mulligan.Fail:
		return Remark{Tone: Bad, What: "round failed", Text: []string{Line(b.Reason)}}
	}
	return Remark{Tone: Warn, What: "round broken", Text: []string{Line(b.Reason)}}
}

func remarkKept(b mulligan.IterationKept, s Snapshot) Remark {
	what, checks := fmt.Sprintf("iteration %d kept", b.Iteration), "checks "+Line(b.Checks)
	if b.Checks == "none" || b.Checks == "" {
		checks = "nothing checked it"
	}
	tone := Usual
	if b.Checks == "passed" {
		tone = Good
	}
	switch {
	case b.Commit != "":
		return Remark{Tone: tone, What: what, Text: []string{"commit " + Commit(Line(b.Commit)), checks}}
	case s.Commits:
		return Remark{Tone: tone, What: what, Text: []string{"nothing to commit", checks}}
	}
	return Remark{Tone: tone, What: what, Text: []string{checks}}
}

func remarkEnding(b mulligan.SessionEnding, s Snapshot) Remark {
	r := Remark{Tone: Usual, What: "ending", Text: []string{strings.ReplaceAll(Line(string(b.Outcome.Ended)), "_", " "), Line(b.Outcome.Reason)}}
	if s.Pending > 0 {
		r.Text = append(r.Text, Count(s.Pending, "text")+" still pending")
	}
	return r
}

func remarkDelivery(b mulligan.DeliveryKept) Remark {
	var commit string
	if b.Commit != "" {
		commit = "commit " + Commit(Line(b.Commit))
	}
	if b.Passed {
		return Remark{Tone: Good, What: "final delivery kept", Text: []string{commit, Line(b.Note)}}
	}
	return Remark{Tone: Warn, What: "final delivery did not pass", Text: []string{commit, Line(b.Note)}}
}

func remarkBoard(body mulligan.Body) (Remark, bool) {
	task := func(tone Tone, t mulligan.TaskItem, what string) (Remark, bool) {
		return Remark{Tone: tone, What: fmt.Sprintf("task %d %s", t.ID, what), Text: []string{Line(t.Content), About(t)}}, true
	}
	switch b := body.(type) {
	case mulligan.TaskAdded:
		return task(Usual, b.Task, "added")
	case mulligan.TaskChanged:
		tone := Usual
		if b.Task.Status == mulligan.Blocked {
			tone = Warn
		}
		return task(tone, b.Task, StatusWords(b.Task.Status))
	case mulligan.TaskCompleted:
		return Remark{Tone: Good, What: fmt.Sprintf("task %d completed", b.Task.ID), Text: []string{Line(b.Task.Content)}}, true
	case mulligan.NoteAdded:
		what := Line(b.Note.Type)
		if what == "note" || what == "" {
			what = "agent's note"
		}
		return Remark{Tone: Usual, What: what, Text: []string{Line(b.Note.Text)}}, true
	case mulligan.Summarized:
		return Remark{Tone: Usual, What: "summary", Text: []string{Line(b.Text)}}, true
	case mulligan.Claimed:
		return Remark{Tone: Usual, What: "the agent says it is complete", Text: []string{Line(b.Text)}}, true
	}
	return Remark{}, false
}

func remarkPeople(body mulligan.Body) (Remark, bool) {
	switch b := body.(type) {
	case mulligan.Asked:
		q := b.Question
		r := Remark{Tone: Warn, What: fmt.Sprintf("question %d", q.ID), Text: []string{Line(q.Text)}}
		if len(q.Options) > 0 {
			r.Text = append(r.Text, "["+strings.Join(cleanLines(q.Options), " | ")+"]")
		}
		return r, true
	case mulligan.Answered:
		if b.By == mulligan.ByDefault {
			return Remark{Tone: Warn, What: fmt.Sprintf("nobody answered question %d", b.ID), Text: []string{Taken(b.Text)}}, true
		}
		return Remark{Tone: Good, What: fmt.Sprintf("question %d answered", b.ID), Text: []string{Line(b.Text)}}, true
	case mulligan.Told:
		return Remark{Tone: Usual, What: "told", Text: []string{Line(b.Text)}}, true
	case mulligan.PauseAsked:
		return Remark{Tone: Warn, What: "pausing", Text: []string{"asked by " + Line(b.By), "when the running turn's checks are through"}}, true
	}
	return Remark{}, false
}
