package retry

import (
	"testing"

	"mulligan"
)

// P2: retry: N is at most N+1 attempts that reach their gates.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		retry            int
		history          []mulligan.Status // "" is an attempt without a verdict
		strategy, reason string
	}{
		{0, []mulligan.Status{mulligan.Fail}, mulligan.AbortRecommended, `step "s" failed after 0 retries`},
		{1, []mulligan.Status{mulligan.Fail}, "retry", "retry 1 of 1"},
		{3, []mulligan.Status{"fail", "fail", "fail"}, "retry", "retry 3 of 3"},
		{3, []mulligan.Status{"fail", "fail", "fail", "fail"}, mulligan.AbortRecommended, `step "s" failed after 3 retries`},
		{1, []mulligan.Status{"fail", ""}, "retry", "retry 1 of 1"},
		{0, []mulligan.Status{""}, "retry", "no attempt has reached a verdict yet"},
	} {
		var history []mulligan.AttemptState
		for _, s := range c.history {
			history = append(history, mulligan.AttemptState{Status: s})
		}
		got := Adaptive{}.Recommend(mulligan.RetryCase{Step: mulligan.Step{Name: "s", Retry: c.retry}, Attempts: history})
		if got.Strategy != c.strategy || got.Reason != c.reason {
			t.Errorf("retry %d after %q: got %+v, want %s, %s", c.retry, c.history, got, c.strategy, c.reason)
		}
	}
}
