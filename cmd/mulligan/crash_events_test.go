package main

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"mulligan"
)

// A teller writes a session's events in words that no kill changes.
type teller func(io.Writer, iter.Seq2[mulligan.Event, error]) error

// tell writes a session's events as they would read without any kill. It leaves out times, and
// events that only a resume or a repeated start adds. on_task_complete hooks run beside the rest,
// so it writes them by themselves.
func tell(w io.Writer, events iter.Seq2[mulligan.Event, error]) error {
	t := telling{w: w}
	number := int64(0)
	for e, err := range events {
		if err != nil {
			return err
		}
		if number++; e.Number != number {
			return fmt.Errorf("event %d is numbered %d", number, e.Number)
		}
		t.event(e.Body)
	}
	for _, line := range t.beside {
		fmt.Fprintln(w, "beside: "+line)
	}
	t.claims.write(w)
	return nil
}

type telling struct {
	w      io.Writer
	last   string
	beside []string
	// said is what the agent has said in the turn, in all its takings: one that is given
	// again says again what it had come to.
	said    map[string]bool
	again   bool
	started string // the hook that has begun and not ended
	claims  claimTally
}

func (t *telling) event(body mulligan.Body) {
	if turn, ok := body.(mulligan.TurnStarted); ok {
		if t.again = turn.Again; !t.again {
			t.said = map[string]bool{}
		}
	}
	line := t.claims.follow(body)
	if line == "" {
		line = story(body)
	}
	if line == "" || t.repeated(body, line) {
		return
	}
	if runsBeside(body) {
		if !slices.Contains(t.beside, line) {
			t.beside = append(t.beside, line)
		}
		return
	}
	if line == t.last || line == t.started {
		return
	}
	t.last = line
	switch body.(type) {
	case mulligan.HookStarted, mulligan.AgentHookStarted:
		t.started = line
	case mulligan.HookEnded, mulligan.AgentHookEnded:
		t.started = ""
	}
	fmt.Fprintln(t.w, line)
}

// repeated reports whether the agent has said it in an earlier taking of the turn.
func (t *telling) repeated(body mulligan.Body, line string) bool {
	switch body.(type) {
	case mulligan.TaskAdded, mulligan.TaskChanged, mulligan.TaskCompleted, mulligan.NoteAdded,
		mulligan.Summarized, mulligan.Claimed, mulligan.Asked, mulligan.Answered:
	default:
		return false
	}
	before := t.again && t.said[line]
	if t.said != nil {
		t.said[line] = true
	}
	return before
}

// runsBeside reports whether an event may come sooner or later than in another run.
func runsBeside(body mulligan.Body) bool {
	switch body.(type) {
	case mulligan.NotifyStarted, mulligan.NotifyEnded:
		return true
	}
	return moment(body) == mulligan.OnTaskComplete
}

func moment(body mulligan.Body) mulligan.Moment {
	switch b := body.(type) {
	case mulligan.HookStarted:
		return b.Moment
	case mulligan.HookEnded:
		return b.Moment
	}
	return ""
}

// story returns an event in one line, or "" if a kill may add such an event.
func story(body mulligan.Body) string {
	kind := body.Kind()
	switch b := body.(type) {
	case mulligan.SessionStarted:
		b.Place.Base = "" // has a time in it where work was carried
		return fmt.Sprintf("%s %s %s %+v", kind, b.Plan.Task.Path, b.Plan.Pipeline, b.Place)
	case mulligan.SessionResumed:
		if !b.Again {
			return ""
		}
		return fmt.Sprintf("%s again from step %d", kind, b.From)
	case mulligan.SessionInterrupted, mulligan.Waited:
		return ""
	case mulligan.Noted:
		if strings.HasPrefix(b.Text, "what the killed turn had begun ") || strings.HasPrefix(b.Text, "what the interrupted turn had begun ") || strings.HasPrefix(b.Text, "what has changed in the workspace since ") {
			return ""
		}
	case mulligan.GuardSeen, mulligan.GuardClaimed, mulligan.GuardRuled:
		return "" // a turn that is given again claims again: see claimTally
	case mulligan.SessionEnded:
		return ended(kind, b.Outcome)
	case mulligan.AttemptStarted:
		return fmt.Sprintf("%s %s %d, iteration %d, %s, tree %s", kind, b.Step, b.Attempt, b.Iteration, b.Strategy, b.Snapshot.ID)
	case mulligan.TurnStarted:
		if b.Again {
			return ""
		}
		return fmt.Sprintf("%s %d %s %s %q in %q, gives %d, tree %s", kind, b.Turn, b.Purpose, b.Agent, b.Prompt, b.Conversation, len(b.Drains), b.Before.ID)
	case mulligan.TurnEnded:
		return fmt.Sprintf("%s %d %s %s %q, tree %s", kind, b.Turn, b.Result.Ending, b.Result.Reason, b.Result.Message, b.Tree.ID)
	case mulligan.GateStarted:
		return fmt.Sprintf("%s %d try %d %s, fresh %v", kind, b.Index, b.Try, b.Gate, b.Fresh)
	case mulligan.GateEnded:
		text := ""
		if b.Verdict.Finding != nil {
			text = b.Verdict.Finding.Text
		}
		return fmt.Sprintf("%s %d try %d %s %s %q", kind, b.Index, b.Try, b.Verdict.Status, b.Verdict.Summary, text)
	case mulligan.BaselineChecked:
		return fmt.Sprintf("%s %d %s %s", kind, b.Index, b.Verdict.Status, b.Verdict.Summary)
	case mulligan.StepCommitting:
		return fmt.Sprintf("%s %s %s", kind, b.Step, b.Commit.Tree.ID)
	case mulligan.StepVerified:
		return fmt.Sprintf("%s %s %d by %v, committed %v, tree %s", kind, b.Step, b.Attempt, b.By, b.Commit != "", b.Tree.ID)
	case mulligan.StepSkipped:
		return fmt.Sprintf("%s %s %s, tree %s", kind, b.Step, b.Reason, b.Tree.ID)
	case mulligan.StepFailed:
		return fmt.Sprintf("%s %s %s", kind, b.Step, b.Reason)
	}
	return moreStory(body)
}

// moreStory is story for events of hooks, of the agent's tools and of people.
func moreStory(body mulligan.Body) string {
	kind := body.Kind()
	switch b := body.(type) {
	case mulligan.HookStarted:
		if b.Moment == mulligan.OnTaskComplete {
			b.Iteration = 0 // it may be the one after: the hook runs beside the rest
		}
		return fmt.Sprintf("%s %s %d %s, iteration %d, task %d", kind, b.Moment, b.Index, b.Name, b.Iteration, b.Task)
	case mulligan.HookEnded:
		if b.Moment == mulligan.OnTaskComplete {
			b.Iteration = 0
		}
		return fmt.Sprintf("%s %s %d %s, iteration %d, task %d: %s %q, piped %v", kind, b.Moment, b.Index, b.Name, b.Iteration, b.Task, b.Result.Exit, b.Result.Text, b.Piped)
	case mulligan.AgentHookStarted:
		return fmt.Sprintf("%s %s %v, retry %d, try %d", kind, b.Event, b.Hooks, b.Retry, b.Try)
	case mulligan.AgentHookEnded:
		text := fmt.Sprintf("%s %s, retry %d, try %d: %s %q %q %q, tree %s", kind, b.Event, b.Retry, b.Try, b.Reply.Decision, b.Reply.Reason, b.Reply.Feedback, b.Reply.Context, b.Tree.ID)
		for _, r := range b.Reply.Runs {
			text += fmt.Sprintf("; %s %s %s", r.Name, r.Decision, r.Exit)
		}
		return text
	case mulligan.NotifyStarted:
		return fmt.Sprintf("%s %+v by %v", kind, b.Notice, b.Ways)
	case mulligan.NotifyEnded:
		return fmt.Sprintf("%s %+v", kind, b.Results)
	case mulligan.Asked:
		return fmt.Sprintf("%s %d %q %q", kind, b.Question.ID, b.Question.Text, b.Question.Options)
	case mulligan.Answered:
		return fmt.Sprintf("%s %d %q by %s", kind, b.ID, b.Text, b.By)
	case mulligan.Told:
		return fmt.Sprintf("%s %q", kind, b.Text) // its id is another in every run
	case mulligan.TaskAdded:
		b.Request = "" // another in every run
		return kind + " " + short(b)
	case mulligan.IterationKept:
		return fmt.Sprintf("%s %d %s, committed %v, tree %s", kind, b.Iteration, b.Checks, b.Commit != "", b.Tree.ID)
	case mulligan.SessionEnding:
		b.Outcome.Undelivered = nil // hooks that run beside the rest may not have ended
		return ended(kind, b.Outcome)
	case mulligan.DeliveryKept:
		return fmt.Sprintf("%s passed %v %q, committed %v, tree %s", kind, b.Passed, b.Note, b.Commit != "", b.Tree.ID)
	}
	return kind + " " + short(body)
}

func ended(kind string, o mulligan.Outcome) string {
	if o.Ended == mulligan.Interrupted {
		return ""
	}
	text := fmt.Sprintf("%s %s %q after %d turns, at %q, tree %s", kind, o.Ended, o.Reason, o.Turns, o.Step, o.Tree.ID)
	text += fmt.Sprintf(", %d iterations, tasks %+v, notes %q, undelivered %q, committed %v", o.Iterations, o.Tasks, o.Notes, o.Undelivered, o.Commit != "")
	if h := o.Handover; h != nil {
		text += fmt.Sprintf(", uncommitted %q, left %v, onto %q, merges %v, conflicts %q, forwarded %v %q", h.Uncommitted, h.Left != "", h.Onto, h.Merges, h.Conflicts, h.Forwarded, h.Stays)
	}
	for _, q := range o.Questions {
		text += fmt.Sprintf("; %q answered %q by %q", q.Text, q.Answer, q.By)
	}
	for _, s := range o.Steps {
		text += fmt.Sprintf("; %s %s in %d by %v, committed %v, %d turns and %d of judges", s.Step, s.Status, s.Attempts, s.By, s.Commit != "", s.Turns, s.Judged)
	}
	return text
}
