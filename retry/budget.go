// Package retry decides how a step continues after an attempt that did not pass.
// Policies are pure functions of the history; the limits are the loop's.
package retry

import (
	"fmt"

	"mulligan"
	"mulligan/internal/text"
)

// Budget retries until the step's retries are used up: `retry: N` is at most
// N+1 attempts. Attempts without a verdict were the agent's failures, not the
// work's, and use up nothing.
type Budget struct{}

var _ mulligan.Policy = Budget{}

// Recommend returns a plain retry if the step has one left.
func (Budget) Recommend(c mulligan.RetryCase) mulligan.Recommendation {
	used := mulligan.StepState{Attempts: c.Attempts}.Used()
	r := mulligan.Recommendation{Strategy: mulligan.StrategyRetry, Rule: mulligan.RulePlain, Used: used, Budget: c.Step.Retry}
	switch {
	case used > c.Step.Retry:
		r.Strategy, r.Rule, r.Reason = mulligan.AbortRecommended, mulligan.RuleBudget, fmt.Sprintf("step %q failed after %s", c.Step.Name, text.Count(c.Step.Retry, "retry"))
	case used == 0:
		r.Reason = "no attempt has reached a verdict yet"
	default:
		r.Reason = fmt.Sprintf("retry %d of %d", used, c.Step.Retry)
	}
	return r
}

// Fingerprint returns "": to Budget no failure is the same as another.
func (Budget) Fingerprint(mulligan.AttemptState) string { return "" }
