package retry

import (
	"testing"

	"mulligan"
)

// P2: retry: N is at most N+1 attempts that reach their gates.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		retry   int
		history []mulligan.Status // "" is an attempt without a verdict
		want    mulligan.Decision
	}{
		{0, []mulligan.Status{mulligan.Fail}, mulligan.Decision{Reason: `step "s" failed after 0 retries`}},
		{1, []mulligan.Status{mulligan.Fail}, mulligan.Decision{Retry: true, Strategy: "retry", Reason: "retry 1 of 1"}},
		{3, []mulligan.Status{"fail", "fail", "fail"}, mulligan.Decision{Retry: true, Strategy: "retry", Reason: "retry 3 of 3"}},
		{3, []mulligan.Status{"fail", "fail", "fail", "fail"}, mulligan.Decision{Reason: `step "s" failed after 3 retries`}},
		{1, []mulligan.Status{"fail", ""}, mulligan.Decision{Retry: true, Strategy: "retry", Reason: "retry 1 of 1"}},
		{0, []mulligan.Status{""}, mulligan.Decision{Retry: true, Strategy: "retry", Reason: "no attempt has reached a verdict yet"}},
	} {
		var history []mulligan.AttemptState
		for _, s := range c.history {
			history = append(history, mulligan.AttemptState{Status: s})
		}
		if got := (Budget{}).Decide(mulligan.Step{Name: "s", Retry: c.retry}, history); got != c.want {
			t.Errorf("retry %d after %q: got %+v, want %+v", c.retry, c.history, got, c.want)
		}
	}
}
