// Package retry decides how a step continues after an attempt that did not pass.
// Policies are pure functions of the history; the limits are the loop's.
package retry

import (
	"fmt"

	"mulligan"
)

// Plain is the strategy that changes nothing: the same conversation, with the
// evidence fed back.
const Plain = "retry"

// Budget retries until the step's retries are used up: `retry: N` is at most
// N+1 attempts. Attempts without a verdict were the agent's failures, not the
// work's, and use up nothing.
type Budget struct{}

var _ mulligan.Policy = Budget{}

// Decide returns a retry if the step has one left.
func (Budget) Decide(step mulligan.Step, history []mulligan.AttemptState) mulligan.Decision {
	used := mulligan.StepState{Attempts: history}.Used()
	if used > step.Retry {
		return mulligan.Decision{Reason: fmt.Sprintf("step %q failed after %d retries", step.Name, step.Retry)}
	}
	reason := fmt.Sprintf("retry %d of %d", used, step.Retry)
	if used == 0 {
		reason = "no attempt has reached a verdict yet"
	}
	return mulligan.Decision{Retry: true, Strategy: Plain, Reason: reason}
}
