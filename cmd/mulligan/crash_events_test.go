package main

import (
	"fmt"
	"io"
	"iter"

	"mulligan"
)

// tell writes a session's events as they would read had nobody been killed: what says that
// the session was taken up, or something begun once more, is left out, and so are times.
func tell(w io.Writer, events iter.Seq2[mulligan.Event, error]) error {
	last, number := "", int64(0)
	for e, err := range events {
		if err != nil {
			return err
		}
		if number++; e.Number != number {
			return fmt.Errorf("event %d is numbered %d", number, e.Number)
		}
		line := story(e.Body)
		if line == "" || line == last {
			continue
		}
		last = line
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// story is an event in one line; "" where it is one that a kill may add.
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
	case mulligan.SessionEnded:
		return ended(kind, b.Outcome)
	case mulligan.AttemptStarted:
		return fmt.Sprintf("%s %s %d, iteration %d, %s, tree %s", kind, b.Step, b.Attempt, b.Iteration, b.Strategy, b.Snapshot.ID)
	case mulligan.TurnStarted:
		if b.Again {
			return ""
		}
		return fmt.Sprintf("%s %d %s %q in %q, tree %s", kind, b.Turn, b.Agent, b.Prompt, b.Conversation, b.Before.ID)
	case mulligan.TurnEnded:
		return fmt.Sprintf("%s %d %s %s %q, tree %s", kind, b.Turn, b.Result.Ending, b.Result.Reason, b.Result.Message, b.Tree.ID)
	case mulligan.GateStarted:
		return fmt.Sprintf("%s %d try %d %s, tree %s", kind, b.Index, b.Try, b.Gate, b.Before.ID)
	case mulligan.GateEnded:
		text := ""
		if b.Verdict.Finding != nil {
			text = b.Verdict.Finding.Text
		}
		return fmt.Sprintf("%s %d try %d %s %s %q", kind, b.Index, b.Try, b.Verdict.Status, b.Verdict.Summary, text)
	case mulligan.StepCommitting:
		return fmt.Sprintf("%s %s %s", kind, b.Step, b.Commit.Tree.ID)
	case mulligan.StepVerified:
		return fmt.Sprintf("%s %s %d by %v, committed %v, tree %s", kind, b.Step, b.Attempt, b.By, b.Commit != "", b.Tree.ID)
	case mulligan.StepFailed:
		return fmt.Sprintf("%s %s %s", kind, b.Step, b.Reason)
	}
	return kind + " " + short(body)
}

func ended(kind string, o mulligan.Outcome) string {
	if o.Ended == mulligan.Interrupted {
		return ""
	}
	text := fmt.Sprintf("%s %s %q after %d turns, at %q, tree %s", kind, o.Ended, o.Reason, o.Turns, o.Step, o.Tree.ID)
	for _, s := range o.Steps {
		text += fmt.Sprintf("; %s %s in %d by %v, committed %v", s.Step, s.Status, s.Attempts, s.By, s.Commit != "")
	}
	return text
}
