package cli

import (
	"strings"
	"testing"

	"mulligan"
	"mulligan/retry"
)

// explainEvents returns the text of `explain` for a session with these events.
func explainEvents(t *testing.T, step string, bodies ...mulligan.Body) string {
	t.Helper()
	x := explanation{Session: "s1", Rule: retry.OrderRule}
	for _, b := range bodies {
		x.apply(mulligan.Event{Body: b})
	}
	if step != "" {
		if err := x.keepStep(step); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	x.print(&out)
	return out.String()
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// R6: the figures behind each decision, what was recommended and who chose what.
func TestExplain(t *testing.T) {
	plan := &mulligan.Plan{Steps: []mulligan.Step{{Name: "tests", Retry: 3}}, Retry: &mulligan.RetryPlan{
		Window: 10, Threshold: 0.2, Strategies: map[string][]string{"tests": {"rollback", "incremental"}},
	}}
	past := mulligan.Past{Sessions: 10, Reached: 9, Failed: 4, Strategies: []mulligan.StrategyPast{
		{Name: "retry", Tried: 20, Worked: 2}, {Name: "incremental", Tried: 5, Worked: 4}, {Name: "fresh-start", Tried: 1},
	}}
	attempts := []mulligan.AttemptState{{Number: 1, Status: mulligan.Fail, Fingerprint: "f1"}}
	recommend := func(ruled ...string) mulligan.Recommendation {
		return retry.Adaptive{}.Recommend(mulligan.RetryCase{Plan: plan, Step: plan.Steps[0], Attempts: attempts, Past: past, Ruled: ruled})
	}
	first, second := recommend(), recommend("rollback")
	ended := mulligan.AttemptEnded{Step: "tests", Attempt: 1, Status: mulligan.Fail, Reason: "check \"go test\" failed", Counted: true, Fingerprint: "f1"}
	got := explainEvents(t, "tests",
		mulligan.SessionStarted{Plan: plan}, ended,
		mulligan.RetryRecommended{Step: "tests", Attempt: 1, Recommendation: first},
		mulligan.Decided{
			Decision: mulligan.Decision{Retry: true, Strategy: "incremental", Reason: second.Reason}, By: "default",
			Recommended: &second, Ruled: []string{"rollback"},
		},
		mulligan.AttemptEnded{Step: "tests", Attempt: 2, Status: mulligan.Fail, Counted: true, Fingerprint: "f1"},
		mulligan.RetryRecommended{Step: "tests", Attempt: 2, Recommendation: second},
	)
	wantText(t, got, `session s1

step tests, attempt 1
  failed       check "go test" failed
  the same     no, it is the first such failure (f1)
  retries      0 retries used, of 3 retries at most
  rate         4 of 10 sessions = 40 %, threshold 20 %: above it
  order        → 1 rollback     never tried here
                 2 incremental  tried 5 times here, worked 4 times
                 3 fresh-start  tried once here, worked never, too few to count
  recommended  rollback, by the step's list: the step failed in 4 of the last 10 sessions (40 %, above 20 %): strategy 1 of its list
  order        → 1 incremental  tried 5 times here, worked 4 times
                 2 fresh-start  tried once here, worked never, too few to count
  recommended  incremental, by the step's list: the step failed in 4 of the last 10 sessions (40 %, above 20 %): strategy 2 of its list
  chosen       incremental, as recommended: nobody answered; nobody agreed to rollback

step tests, attempt 2
  the same     no, it is the first such failure (f1)
  retries      0 retries used, of 3 retries at most
  rate         4 of 10 sessions = 40 %, threshold 20 %: above it
  order        → 1 incremental  tried 5 times here, worked 4 times
                 2 fresh-start  tried once here, worked never, too few to count
  recommended  incremental, by the step's list: the step failed in 4 of the last 10 sessions (40 %, above 20 %): strategy 2 of its list
  chosen       nothing yet

the order: `+retry.OrderRule+"\n")
}

// Sessions of versions that kept no figures, and those in which nothing failed.
func TestExplainWithoutFigures(t *testing.T) {
	plan := &mulligan.Plan{Steps: []mulligan.Step{{Name: "a"}, {Name: "b"}}}
	wantText(t, explainEvents(t, "", mulligan.SessionStarted{Plan: plan}), "session s1\nno attempt has failed so that the next one had to be decided about\n")
	got := explainEvents(t, "b", mulligan.SessionStarted{Plan: plan},
		mulligan.AttemptEnded{Step: "a", Attempt: 1, Status: mulligan.Fail, Reason: "x", Counted: true},
		mulligan.Decided{Decision: mulligan.Decision{Retry: true, Strategy: "retry", Reason: "retry 1 of 1"}, By: "policy"},
		mulligan.AttemptEnded{Step: "b", Attempt: 1, Status: mulligan.Fail, Reason: "check\x1b[31m failed", Counted: true},
		mulligan.Decided{Decision: mulligan.Decision{Reason: "no retries are left"}, By: "limit"},
	)
	wantText(t, got, `session s1

step b, attempt 1
  failed       check failed
  figures      none: the version of mulligan that decided this kept none
  chosen       no other attempt, by a limit of the plan: no retries are left
`)
}
