package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/view"
)

// Apply takes in the session's next event. It is tolerant: what an event refers to may be missing, and a kind that
// this version does not know is passed over.
func (t *Timeline) Apply(e mulligan.Event) {
	if _, resumed := e.Body.(mulligan.SessionResumed); !resumed {
		t.touch(e.Time)
	}
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		*t = Timeline{}
		t.current(e)
	case mulligan.SessionResumed:
		t.resume(e)
	case mulligan.SessionEnding:
		t.ending = true
		t.cutAttempt(e, b.Outcome)
	case mulligan.SessionEnded:
		t.endSession(e, b.Outcome)
	case mulligan.SessionInterrupted:
		t.say(e, Entry{Kind: Noted, Text: "stopped by " + b.By, Verdict: Cut})
	case mulligan.AttemptStarted:
		t.startAttempt(e, b)
	case mulligan.AttemptEnded:
		t.endAttempt(b)
	case mulligan.TurnStarted:
		t.startTurn(e, b)
	case mulligan.TurnEnded:
		t.endTurn(e, b)
	case mulligan.Waited:
		t.wait(e, b)
	case mulligan.GateStarted:
		t.begin(e, b.Index, Segment{Kind: Check, Name: b.Gate, Turn: t.turn, Index: b.Index, Try: b.Try})
	case mulligan.GateEnded:
		t.endGate(e, b)
	case mulligan.Panicked:
		t.say(e, Entry{Kind: Noted, Text: "mulligan broke: " + b.Text, Verdict: Broken})
	default:
		t.applyBeside(e)
	}
	t.trimGaps()
}

// applyBeside takes in an event of what happens around the turns and the checks.
func (t *Timeline) applyBeside(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.BaselineStarted:
		t.begin(e, 0, Segment{Kind: Baseline, Name: "checks before the first attempt"})
	case mulligan.BaselineChecked:
		t.say(e, Entry{Kind: Saw, Who: b.Verdict.Gate, Text: view.Join(" ", "before the first attempt:", baselineWords(b.Verdict)), Verdict: VerdictOf(b.Verdict.Status), Index: b.Index, Took: b.Verdict.Duration})
	case mulligan.BaselineEnded:
		t.end(e.Time, Baseline, 0, Done, "")
	case mulligan.HookStarted:
		if t.ending {
			t.startEnding(e)
		}
		t.begin(e, b.Run, Segment{Kind: Hook, Name: string(b.Moment) + " " + b.Name, Turn: t.turn, Index: b.Run})
	case mulligan.HookEnded:
		t.endHook(e, b)
	case mulligan.AgentHookStarted:
		t.begin(e, 0, Segment{Kind: kindOfHooks(b.Event), Name: b.Event + " " + strings.Join(b.Hooks, ", "), Turn: t.turn, Try: b.Try})
	case mulligan.AgentHookEnded:
		t.endAgentHooks(e, b)
	case mulligan.StopDecided:
		t.say(e, Entry{Kind: Decided, Who: strings.Join(b.Hooks, ", "), Text: view.Join(": ", b.Choice+" at the limit of hook retries, by "+b.By, b.Note), Turn: t.turn})
	case mulligan.StepCommitting:
		t.begin(e, 0, Segment{Kind: Commit, Name: "commit"})
	case mulligan.StepVerified:
		t.verifyStep(e, b)
	case mulligan.IterationKept:
		t.end(e.Time, Commit, 0, Done, b.Commit)
		t.current(e).Commit = view.Line(b.Commit)
	case mulligan.StepFailed:
		t.say(e, Entry{Kind: Decided, Text: b.Reason, Verdict: Failed})
	case mulligan.StepSkipped:
		t.say(e, Entry{Kind: Decided, Text: view.Join(": ", "the step is skipped", b.Reason)})
	case mulligan.Decided:
		t.decide(e, b)
	case mulligan.DeliveryKept:
		v := Failed
		if b.Passed {
			v = Passed
		}
		t.say(e, Entry{Kind: Decided, Text: view.Join(": ", "the final delivery "+string(v), b.Note), Verdict: v})
	case mulligan.Noted:
		t.say(e, Entry{Kind: Noted, Text: b.Text})
	case mulligan.Asked:
		t.begin(e, b.Question.ID, Segment{Kind: Question, Name: b.Question.Text, Turn: t.turn, Index: b.Question.ID})
		t.say(e, Entry{Kind: Asked, Who: b.Question.Asker, Text: b.Question.Text, Turn: t.turn, Index: b.Question.ID})
	case mulligan.Answered:
		t.end(e.Time, Question, b.ID, Done, b.Text)
		t.say(e, Entry{Kind: Answered, Who: b.By, Text: b.Text, Turn: t.turn, Index: b.ID, Took: b.Waited})
	case mulligan.Told:
		t.say(e, Entry{Kind: Told, Who: "person", Text: b.Text, Turn: t.turn})
	case mulligan.PauseAsked:
		t.say(e, Entry{Kind: Decided, Who: "person", Text: "pause after the running turn's checks"})
	case mulligan.Claimed:
		t.say(e, Entry{Kind: Claimed, Text: view.Join(": ", "the session is complete", b.Text), Turn: t.turn})
	case mulligan.GuardRuled:
		t.rule(e, b)
	}
}

// touch moves the end of the row under way to an event in it.
func (t *Timeline) touch(at time.Time) {
	if len(t.rows) > 0 {
		row := &t.rows[len(t.rows)-1]
		if at.After(row.End) {
			row.End = at
		}
	}
	if at.After(t.last) {
		t.last = at
	}
}

// resume records the gap between the last event of the process before and the first one of this.
func (t *Timeline) resume(e mulligan.Event) {
	why := "killed"
	if t.outcome != nil {
		why, _, _ = view.EndingWords(t.outcome.Ended, false)
	}
	t.cutOpen(t.last)
	t.moveCutToEnd()
	gap := Gap{From: t.last, To: e.Time, Why: view.Line(why), Event: e.Number}
	if row := t.current(e); row.Verdict == Running {
		gap.Before = row.Iteration
		if len(row.away) < maxGaps && e.Time.After(row.End) {
			row.away = append(row.away, stretch{row.End, e.Time})
		}
	}
	t.gaps = append(t.gaps, gap)
	t.outcome, t.ending, t.cut = nil, false, 0
	t.touch(e.Time)
}

// moveCutToEnd makes the attempt that the session's end found running the row under way again: a final delivery may
// have come between.
func (t *Timeline) moveCutToEnd() {
	i := slices.IndexFunc(t.rows, func(r Row) bool { return t.cut > 0 && r.Iteration == t.cut })
	if i < 0 {
		return
	}
	row := t.rows[i]
	row.Verdict, row.Reason = Running, ""
	t.rows = append(slices.Delete(t.rows, i, i+1), row)
}

func (t *Timeline) trimGaps() {
	if more := len(t.gaps) - maxGaps; more > 0 {
		t.gaps = append(t.gaps[:0], t.gaps[more:]...)
	}
}

func (t *Timeline) endSession(e mulligan.Event, o mulligan.Outcome) {
	t.cutOpen(e.Time)
	t.cutAttempt(e, o)
	t.outcome, t.ending = &o, false
}

// cutAttempt notes that the session ends in the middle of an attempt, if it does.
func (t *Timeline) cutAttempt(e mulligan.Event, o mulligan.Outcome) {
	row := t.current(e)
	switch {
	case row.Verdict != Running:
		return
	case row.Iteration == 0:
		row.Verdict = Done
		return
	}
	t.cut, row.Verdict = row.Iteration, Cut
	if o.Ended == mulligan.GateBroken || o.Ended == mulligan.AgentUnavailable {
		row.Verdict, row.Reason = Broken, view.Line(o.Reason)
	}
}

func (t *Timeline) startAttempt(e mulligan.Event, b mulligan.AttemptStarted) {
	if len(t.rows) > 0 {
		if row := &t.rows[len(t.rows)-1]; row.Verdict == Running {
			row.Verdict = Cut
		}
	}
	t.cutOpen(e.Time)
	t.addRow(Row{
		Step: view.Line(b.Step), Attempt: b.Attempt, Iteration: b.Iteration, Strategy: view.Line(b.Strategy),
		Start: e.Time, Event: e.Number, Verdict: Running,
	})
	if n := len(t.gaps); n > 0 && t.gaps[n-1].Before == 0 {
		t.gaps[n-1].Before = b.Iteration
	}
}

func (t *Timeline) endAttempt(b mulligan.AttemptEnded) {
	if len(t.rows) == 0 {
		return
	}
	row := &t.rows[len(t.rows)-1]
	row.Reason = view.Line(b.Reason)
	switch {
	case !b.Counted:
		row.Verdict = Broken
	default:
		row.Verdict = VerdictOf(b.Status)
	}
}

func (t *Timeline) verifyStep(e mulligan.Event, b mulligan.StepVerified) {
	t.end(e.Time, Commit, 0, Done, b.Commit)
	row := t.current(e)
	row.Verdict, row.Commit = Passed, view.Line(b.Commit)
	words := "verified by " + strings.Join(b.By, ", ")
	if b.Accepted || len(b.By) == 0 {
		row.Verdict, words = Accepted, view.Join(": ", "accepted, not verified", strings.Join(b.Waived, "; "))
	}
	t.say(e, Entry{Kind: Decided, Text: words, Verdict: row.Verdict})
}

func (t *Timeline) decide(e mulligan.Event, b mulligan.Decided) {
	words := "the step is given up"
	if b.Retry {
		words = "next: " + cmp.Or(b.Strategy, mulligan.StrategyRetry)
	}
	t.say(e, Entry{Kind: Decided, Who: b.By, Text: view.Join(": ", words, b.Reason)})
}

// startEnding opens the row of the final delivery and of what follows it.
func (t *Timeline) startEnding(e mulligan.Event) {
	if row := t.current(e); row.Title != "end" {
		t.addRow(Row{Title: "end", Start: e.Time, Event: e.Number, Verdict: Running})
	}
}

// rule adds what the guard made of claims.
func (t *Timeline) rule(e mulligan.Event, b mulligan.GuardRuled) {
	for _, item := range b.Items {
		v := Failed
		switch {
		case item.Broken:
			v = Broken
		case item.Status == mulligan.ItemPassed:
			v = Passed
		}
		t.say(e, Entry{Kind: Claimed, Who: item.By, Text: view.Join(": ", item.Content, item.Reason), Verdict: v, Turn: t.turn})
	}
}
