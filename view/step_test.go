package view_test

import (
	"testing"
	"time"

	"mulligan"
	"mulligan/view"
)

// A6: what a step has spent of its limits: its own turns, judges too, counted anew when the task
// is run again; a turn that is given again is the same one, and what is delivered at the end is
// the session's.
func TestStepBudget(t *testing.T) {
	m, n := view.NewModel(), int64(0)
	say := func(bodies ...mulligan.Body) {
		for _, b := range bodies {
			n++
			m.Apply(mulligan.Event{Number: n, Time: time.Unix(n, 0), Body: b})
		}
	}
	used := mulligan.Usage{InputTokens: 900, OutputTokens: 100, CostUSD: 0.25}
	turn := func(n int) []mulligan.Body {
		return []mulligan.Body{mulligan.TurnStarted{Turn: n}, mulligan.TurnStarted{Turn: n, Again: true}, mulligan.TurnEnded{Turn: n, Result: mulligan.Result{Ending: mulligan.Finished, Usage: used}}}
	}
	asked := mulligan.AgentHookEnded{Event: "Stop", Reply: mulligan.AgentHookReply{
		Decision: mulligan.Allow, Runs: []mulligan.AgentHookRun{{Name: "a", Decision: mulligan.Allow, Judge: &used}, {Name: "b", Decision: mulligan.Allow}},
	}}
	plan := &mulligan.Plan{Steps: []mulligan.Step{{Name: "one"}, {Name: "two", Limits: mulligan.Budget{Turns: 9, Tokens: 50_000, CostUSD: 2}}}}
	budget := func(want string) {
		t.Helper()
		if got := m.Snapshot(time.Unix(n, 0)).Steps[1].Budget(); got != want {
			t.Errorf("the budget of the step is %q, want %q", got, want)
		}
	}
	say(mulligan.SessionStarted{Plan: plan}, mulligan.StepStarted{Step: "one"})
	say(turn(1)...)
	say(mulligan.StepVerified{Step: "one", By: []string{"x"}}, mulligan.StepStarted{Step: "two", Index: 1})
	budget("0 of 9 turns, 0 of 50.0k tokens, $0.00 of $2.00")
	say(turn(2)...)
	say(asked, mulligan.Waited{Free: true, Usage: used})
	say(turn(3)...)
	budget("3 of 9 turns, 4.0k of 50.0k tokens, $1.00 of $2.00")
	say(mulligan.SessionEnding{})
	say(turn(4)...)
	budget("3 of 9 turns, 4.0k of 50.0k tokens, $1.00 of $2.00")
	if s := m.Snapshot(time.Unix(n, 0)); s.Judged != 1 || s.Usage.InputTokens != 6*900 || s.Steps[0].Budget() != "" {
		t.Errorf("%d judged, %+v, step one %q", s.Judged, s.Usage, s.Steps[0].Budget())
	}
	say(mulligan.SessionEnded{}, mulligan.SessionResumed{Again: true, From: 1}, mulligan.StepStarted{Step: "two", Index: 1})
	say(turn(5)...)
	budget("1 of 9 turns, 1.0k of 50.0k tokens, $0.25 of $2.00")
}
