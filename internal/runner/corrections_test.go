package runner

import (
	"slices"
	"testing"

	"mulligan"
)

// A plan of an older version says nothing of retries. That is no change, unless the config does.
func TestPlanOfAnOlderVersion(t *testing.T) {
	usual, changed := mulligan.RetryPlan{Window: 10, Threshold: 0.2}, mulligan.RetryPlan{Window: 10, Threshold: 0.2, MaxRetries: 3}
	for _, c := range []struct {
		old, now *mulligan.RetryPlan
		want     []string
	}{
		{nil, &usual, nil},
		{&usual, &usual, nil},
		{&usual, &changed, []string{`retry.max_retries: "0" → "3"`}},
		{nil, &changed, []string{`retry.high_failure_threshold: "0.2" is new`, `retry.max_retries: "3" is new`, `retry.window: "10" is new`}},
	} {
		got, err := describePlanChanges(&mulligan.Plan{Retry: c.old}, &mulligan.Plan{Retry: c.now})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v to %+v: got %q, %v; want %q", c.old, c.now, got, err, c.want)
		}
	}
}
