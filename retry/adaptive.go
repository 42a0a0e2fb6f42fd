// Package retry decides how a step continues after an attempt that did not pass.
// Policies are pure functions of the history; the limits are the loop's.
package retry

import (
	"fmt"
	"slices"
	"strconv"

	"mulligan"
	"mulligan/internal/text"
)

// Adaptive recommends by how often the step failed in past sessions, by whether the same failure
// repeats, and by what has worked at the step. The first of these that applies decides:
//
//   - an attempt without a verdict was the agent's failure: plain retry, and nothing is used up;
//   - the step is one of never_retry: abort-recommended;
//   - the step's retries are used up: abort-recommended;
//   - the step has a list of strategies. If its failure rate is above the threshold, attempt n that
//     failed is followed by entry n of the list, whose last entry repeats. Otherwise the first failure
//     of its kind is retried as it is, and the second takes the first entry, the third the second …
//     If the same failure comes again after the list's last entry, fresh-start and escalate follow,
//     the last of which repeats;
//   - the ladder, by how often in a row the same failure has come: retry, retry, fresh-start, escalate,
//     of which the last repeats.
//
// An iteration of a loop is held to no budget. Escalate counts only where the plan defines it, and a
// strategy that is disabled or ruled out is left out everywhere; if none is left, it is plain retry.
//
// What has worked counts: the entries of a list that were tried at least 5 times at the step are sorted
// among the places that they hold, the best share of passed attempts first. Entries that were tried less
// keep their places, and equal ones their order. The rungs of the ladder are sorted in the same way, the
// first of them only if the failure rate is above the threshold; plain retries that come last then, behind
// what has worked better, are left out, since the last rung repeats.
type Adaptive struct{}

var _ mulligan.Policy = Adaptive{}

// Fingerprint returns what makes an attempt's failure the same as another's.
func (Adaptive) Fingerprint(a mulligan.AttemptState) string { return Fingerprint(a) }

// Recommend returns the strategy of the next attempt with the figures behind it.
func (Adaptive) Recommend(c mulligan.RetryCase) mulligan.Recommendation {
	d := newDecision(c)
	switch {
	case d.Used == 0 || c.Attempts[len(c.Attempts)-1].Status == "":
		d.recommend(mulligan.RulePlain, mulligan.StrategyRetry, d.explainUnexamined())
	case d.isPipeline() && slices.Contains(d.plan.Never, c.Step.Name):
		d.recommend(mulligan.RuleNever, mulligan.AbortRecommended, fmt.Sprintf("step %q is never tried again (never_retry)", c.Step.Name))
	case c.IsSpent():
		d.recommend(mulligan.RuleBudget, mulligan.AbortRecommended, fmt.Sprintf("step %q failed after %s", c.Step.Name, text.Count(d.Used-1, "retry")))
	case len(d.list) > 0:
		d.recommendFromList()
	default:
		d.climbLadder()
	}
	return d.Recommendation
}

// A decision is a recommendation under way.
type decision struct {
	mulligan.Recommendation
	c    mulligan.RetryCase
	plan mulligan.RetryPlan
	list []string // the step's own, as the plan has it, without what is disabled
	high bool     // the failure rate is above the threshold
}

// DefaultWindow and DefaultThreshold hold where a plan says nothing.
const (
	DefaultWindow    = 10
	DefaultThreshold = 0.2
)

func newDecision(c mulligan.RetryCase) *decision {
	d := &decision{c: c, plan: mulligan.RetryPlan{Window: DefaultWindow, Threshold: DefaultThreshold}}
	if c.Plan != nil && c.Plan.Retry != nil {
		d.plan = *c.Plan.Retry
	}
	d.Used = c.Used()
	if d.isPipeline() {
		d.Budget = c.Step.Retry
		d.list = removeNames(d.plan.Strategies[c.Step.Name], d.plan.Disabled)
	}
	d.Past = c.Past
	if of := d.sessions(); of > 0 {
		d.Rate, d.Threshold = float64(c.Past.Failed)/float64(of), d.plan.Threshold
		d.high = d.Rate > d.Threshold
	}
	d.Same, d.Tried, d.Fingerprint = countSame(c.Attempts)
	return d
}

// isPipeline reports whether the step is one of a pipeline, and not a loop, whose iterations have no
// budget.
func (d *decision) isPipeline() bool { return d.c.Plan == nil || d.c.Plan.Loop == nil }

// sessions returns how many sessions the rate is taken over.
func (d *decision) sessions() int {
	if d.plan.Reached {
		return d.c.Past.Reached
	}
	return d.c.Past.Sessions
}

// countSame returns how many of the last attempts failed in the same way, their strategies, and the
// fingerprint of that failure. Attempts without a verdict do not count, and a failure without a
// fingerprint is the same as no other.
func countSame(attempts []mulligan.AttemptState) (same int, tried []string, fingerprint string) {
	for _, a := range slices.Backward(attempts) {
		switch {
		case a.Status == "":
			continue
		case same == 0:
			fingerprint = a.Fingerprint
		case fingerprint == "" || a.Fingerprint != fingerprint:
			slices.Reverse(tried)
			return same, tried, fingerprint
		}
		same++
		strategy := a.Strategy
		if strategy == "" {
			strategy = mulligan.StrategyRetry
		}
		tried = append(tried, strategy)
	}
	slices.Reverse(tried)
	return same, tried, fingerprint
}

func (d *decision) recommend(rule, strategy, reason string) {
	d.Rule, d.Strategy, d.Reason = rule, strategy, reason
}

func (d *decision) explainUnexamined() string {
	if d.Used == 0 {
		return "no attempt has reached a verdict yet"
	}
	return d.explainRetry()
}

// explainRetry returns the reason of a plain retry.
func (d *decision) explainRetry() string {
	switch {
	case d.isPipeline():
		return fmt.Sprintf("retry %d of %d", d.Used, d.Budget)
	case d.Same > 1:
		return d.explainSame()
	}
	return "not the same failure as before"
}

func (d *decision) explainSame() string {
	if d.Same == 2 {
		return "the same failure came twice in a row"
	}
	return fmt.Sprintf("the same failure came %d times in a row", d.Same)
}

func (d *decision) explainRate() string {
	of := fmt.Sprintf("%d of the last %s", d.c.Past.Failed, text.Count(d.sessions(), "session"))
	if d.sessions() == 1 {
		of = "the last session" // a rate above the threshold of one session is a failure of that session
	}
	if d.plan.Reached {
		of += " that reached it"
	}
	return fmt.Sprintf("the step failed in %s (%s, above %s)", of, FormatPercent(d.Rate), FormatPercent(d.Threshold))
}

// FormatPercent returns a share in the words for people: "33.3 %".
func FormatPercent(share float64) string {
	return strconv.FormatFloat(float64(int64(share*1000+0.5))/10, 'f', -1, 64) + " %"
}
