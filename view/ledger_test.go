package view_test

import (
	"slices"
	"testing"
	"time"

	"mulligan"
	"mulligan/view"
)

// A6: what was spent, and what of it is only an estimate.
func TestLedger(t *testing.T) {
	for _, c := range []struct {
		turns  int
		judged int
		worked time.Duration
		u      mulligan.Usage
		want   string
	}{
		{},
		{turns: 1, want: "1 turn"},
		{turns: 2, judged: 1, worked: time.Second, want: "2 turns and 1 of judges, 1.0s of turns and checks"},
		{judged: 1, want: "1 turn of judges"},
		{turns: 3, worked: 90 * time.Second, want: "3 turns, 1m30s of turns and checks"},
		{
			turns: 2, u: mulligan.Usage{InputTokens: 24_600, OutputTokens: 1_680, CachedTokens: 20_000, CostUSD: 0.12},
			want: "2 turns, 24.6k tokens in (20.0k cached), 1.7k out, $0.12",
		},
		{turns: 1, u: mulligan.Usage{CostUSD: 0.0042, Estimated: true}, want: "1 turn, ≈$0.0042"},
	} {
		if got := view.Ledger(c.turns, c.judged, c.worked, c.u); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// The turns of a session add up, what was cached included.
func TestUsageAddsUp(t *testing.T) {
	m := view.NewModel()
	for n := 1; n <= 2; n++ {
		m.Apply(mulligan.Event{Body: mulligan.TurnEnded{Turn: n, Result: mulligan.Result{
			Ending: mulligan.Finished, Usage: mulligan.Usage{InputTokens: 10, OutputTokens: 2, CachedTokens: 5, Turns: 3, CostUSD: 0.5},
		}}})
	}
	want := mulligan.Usage{InputTokens: 20, OutputTokens: 4, CachedTokens: 10, Turns: 6, CostUSD: 1}
	if got := m.Snapshot(time.Now()).Usage; got != want {
		t.Errorf("got %+v", got)
	}
}

// A9: an agent that has permissions is shown with them, once.
func TestAgents(t *testing.T) {
	m := view.NewModel()
	m.Apply(mulligan.Event{Body: mulligan.SessionStarted{Plan: &mulligan.Plan{
		Steps: []mulligan.Step{{Name: "a", Agent: "big"}, {Name: "b", Agent: "local"}, {Name: "c", Agent: "codex"}, {Name: "d", Agent: "big"}},
		Agents: map[string]mulligan.AgentSpec{
			"big":   {Name: "big", Type: "claude", Model: "some\x1bmodel", Permissions: "edits"},
			"local": {Name: "local", Type: "program"},
			"codex": {Name: "codex", Type: "codex", Permissions: "full"},
		},
	}}})
	got := m.Snapshot(time.Now()).Agents
	if len(got) != 2 || got[1] != "codex: Codex, permissions full" || slices.ContainsFunc([]byte(got[0]), func(b byte) bool { return b == 0x1b }) {
		t.Errorf("got %q", got)
	}
}
