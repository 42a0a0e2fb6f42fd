package timeline

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/view"
)

func (t *Timeline) startTurn(e mulligan.Event, b mulligan.TurnStarted) {
	if b.Purpose == mulligan.ForDelivery {
		t.startEnding(e)
	}
	t.turn = b.Turn
	t.current(e).Agent = view.Line(b.Agent)
	t.begin(e, 0, Segment{Kind: Turn, Name: b.Agent, Turn: b.Turn})
	said := Entry{Kind: Prompted, Who: b.Agent, Turn: b.Turn, Text: view.Join(": ", view.PurposeWords(b.Purpose), firstWords(b.Prompt))}
	switch {
	case b.Again:
		said.Text = "the same turn again"
	case b.Purpose == mulligan.ForHook:
		said.Kind, said.Text = SentBack, fmt.Sprintf("hook retry %d of %d: %s", b.Retry, b.Of, b.Reason)
	}
	t.say(e, said)
}

// firstWords returns the first line of a prompt that has words.
func firstWords(prompt string) string {
	for line := range strings.Lines(prompt) {
		if line = strings.Trim(line, "# \t\r\n"); line != "" {
			return line
		}
	}
	return ""
}

func (t *Timeline) endTurn(e mulligan.Event, b mulligan.TurnEnded) {
	for _, kind := range []Kind{RateLimit, Question} {
		t.endAll(e, kind)
	}
	v, words := Done, string(b.Result.Ending)
	if b.Result.Ending != mulligan.Finished {
		v, words = Broken, view.Join(": ", string(b.Result.Ending), b.Result.Reason)
	}
	t.endOrAdd(e, 0, Segment{Kind: Turn, Name: t.current(e).Agent, Turn: b.Turn, Verdict: v, Words: words}, b.Duration)
	text := lastWords(b.Result.Message)
	if v == Broken || text == "" {
		text = view.Join(". ", words, text)
	}
	t.say(e, Entry{Kind: Worked, Who: t.current(e).Agent, Text: text, Verdict: v, Turn: b.Turn, Took: b.Duration, Usage: b.Result.Usage})
}

// lastWords returns the last paragraph of an agent's message, which sums it up.
func lastWords(message string) string {
	message = strings.TrimSpace(message[max(0, len(message)-maxCleaned):])
	parts := strings.Split(message, "\n\n")
	return strings.TrimSpace(parts[len(parts)-1])
}

// endAll closes all open segments of a kind.
func (t *Timeline) endAll(e mulligan.Event, kind Kind) {
	for {
		found := false
		for _, o := range t.open {
			if o.key.kind == kind {
				found = t.end(e.Time, kind, o.key.id, Done, "")
				break
			}
		}
		if !found {
			return
		}
	}
}

// wait adds a pause, whose end is known when it begins.
func (t *Timeline) wait(e mulligan.Event, b mulligan.Waited) {
	kind := Wait
	if b.Free {
		kind = RateLimit
	}
	t.endAll(e, kind)
	before := len(t.open)
	t.begin(e, int(e.Number), Segment{Kind: kind, Name: b.Reason, Turn: t.turn})
	if len(t.open) == before {
		return
	}
	o := t.open[len(t.open)-1]
	s := &t.rows[o.row].Segments[o.segment]
	s.End = e.Time.Add(max(0, b.For))
	if !b.Until.IsZero() && b.Until.After(e.Time) {
		s.End = b.Until
	}
}

func (t *Timeline) endGate(e mulligan.Event, b mulligan.GateEnded) {
	t.endAll(e, Wait)
	v, words := VerdictOf(b.Verdict.Status), view.Summary(b.Verdict)
	t.endOrAdd(e, b.Index, Segment{Kind: Check, Name: b.Verdict.Gate, Verdict: v, Words: words, Turn: t.turn, Index: b.Index, Try: b.Try}, b.Verdict.Duration)
	t.say(e, Entry{Kind: Saw, Who: b.Verdict.Gate, Text: words, Verdict: v, Turn: t.turn, Index: b.Index, Try: b.Try, Took: b.Verdict.Duration})
}

// baselineWords returns what a check found before the first attempt.
func baselineWords(v mulligan.Verdict) string {
	if words := view.Summary(v); words != "" {
		return words
	}
	return string(VerdictOf(v.Status))
}

func (t *Timeline) endHook(e mulligan.Event, b mulligan.HookEnded) {
	v := Passed
	if !b.Result.OK {
		v = Failed
	}
	name := string(b.Moment) + " " + b.Name
	t.endOrAdd(e, b.Run, Segment{Kind: Hook, Name: name, Verdict: v, Words: b.Result.Exit, Turn: t.turn, Index: b.Run}, b.Duration)
	if v == Failed || b.Piped {
		text := b.Result.Exit
		if b.Piped {
			text = view.Join(", ", text, "the agent gets what it printed")
		}
		t.say(e, Entry{Kind: Saw, Who: name, Text: text, Verdict: v, Turn: t.turn, Index: b.Run, Took: b.Duration})
	}
}

// kindOfHooks returns the kind of a segment in which hooks of an agent's moment run.
func kindOfHooks(event string) Kind {
	if event == mulligan.EventStop {
		return StopHook
	}
	return Hook
}

func (t *Timeline) endAgentHooks(e mulligan.Event, b mulligan.AgentHookEnded) {
	v := Passed
	switch b.Reply.Decision {
	case mulligan.Block, mulligan.Halt:
		v = Failed
	case mulligan.HookBroken:
		v = Broken
	}
	if b.Inside { // many of them lie in a turn
		if v != Passed {
			t.say(e, Entry{Kind: Saw, Who: b.Event, Text: b.Reply.Reason, Verdict: v, Turn: t.turn})
		}
		return
	}
	t.endOrAdd(e, 0, Segment{Kind: kindOfHooks(b.Event), Name: b.Event, Verdict: v, Words: b.Reply.Reason, Turn: t.turn, Try: b.Try}, 0)
	if v != Passed || b.Event == mulligan.EventStop {
		t.say(e, Entry{Kind: Saw, Who: b.Event + " hook " + strings.Join(nameRuns(b.Reply), ", "), Text: b.Reply.Reason, Verdict: v, Turn: t.turn, Try: b.Try})
	}
}

func nameRuns(r mulligan.AgentHookReply) []string {
	if blocking := r.Blocking(); len(blocking) > 0 {
		return blocking
	}
	var names []string
	for _, run := range r.Runs {
		names = append(names, run.Name)
	}
	return names
}
