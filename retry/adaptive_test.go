package retry

import (
	"strings"
	"testing"

	"mulligan"
)

// makeAttempts returns attempts that failed, one for each word: FINGERPRINT or FINGERPRINT/STRATEGY, "-"
// for a failure without a fingerprint, "crash" for an attempt without a verdict.
func makeAttempts(words string) []mulligan.AttemptState {
	var list []mulligan.AttemptState
	for i, word := range strings.Fields(words) {
		print, strategy, _ := strings.Cut(word, "/")
		a := mulligan.AttemptState{Number: i + 1, Status: mulligan.Fail, Fingerprint: print, Strategy: strategy}
		switch print {
		case "-":
			a.Fingerprint = ""
		case "crash":
			a.Fingerprint, a.Status = "", ""
		}
		list = append(list, a)
	}
	return list
}

// makeCase returns a case of step "tests" with 3 retries.
func makeCase(attempts string, past mulligan.Past, retry mulligan.RetryPlan) mulligan.RetryCase {
	retry.Threshold = DefaultThreshold
	return mulligan.RetryCase{
		Plan: &mulligan.Plan{Retry: &retry}, Step: mulligan.Step{Name: "tests", Retry: 3},
		Attempts: makeAttempts(attempts), Past: past,
	}
}

func withList(names ...string) mulligan.RetryPlan {
	return mulligan.RetryPlan{Strategies: map[string][]string{"tests": names}}
}

// R1: a rate above the threshold is high, one at it is not, and without sessions there is none.
func TestFailureRate(t *testing.T) {
	for _, c := range []struct {
		name     string
		past     mulligan.Past
		reached  bool
		strategy string
	}{
		{"no history", mulligan.Past{}, false, "retry"},
		{"at the threshold", mulligan.Past{Sessions: 10, Reached: 10, Failed: 2}, false, "retry"},
		{"above it", mulligan.Past{Sessions: 10, Reached: 10, Failed: 3}, false, "incremental"},
		{"a short window at it", mulligan.Past{Sessions: 5, Reached: 5, Failed: 1}, false, "retry"},
		{"a short window above it", mulligan.Past{Sessions: 4, Reached: 4, Failed: 1}, false, "incremental"},
		{"one session", mulligan.Past{Sessions: 1, Reached: 1, Failed: 1}, false, "incremental"},
		{"over all sessions", mulligan.Past{Sessions: 10, Reached: 4, Failed: 2}, false, "retry"},
		{"over those that reached it", mulligan.Past{Sessions: 10, Reached: 4, Failed: 2}, true, "incremental"},
		{"none reached it", mulligan.Past{Sessions: 10}, true, "retry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := withList("incremental", "fresh-start")
			plan.Reached = c.reached
			if got := (Adaptive{}).Recommend(makeCase("a", c.past, plan)); got.Strategy != c.strategy {
				t.Errorf("got %+v, want %s", got, c.strategy)
			}
		})
	}
}

// R2, R5, R7: the order of decision.
func TestRecommend(t *testing.T) {
	high := mulligan.Past{Sessions: 10, Reached: 10, Failed: 4}
	two := withList("incremental", "simplify-tests")
	escalate := map[string]mulligan.StrategySpec{"escalate": {Agent: "big"}}
	define := two
	define.Define = escalate
	disabled := define
	disabled.Disabled = []string{"incremental", "fresh-start"}
	for _, c := range []struct {
		name, attempts         string
		past                   mulligan.Past
		retry                  mulligan.RetryPlan
		ruled                  []string
		strategy, rule, reason string
	}{
		{"the first failure", "a", mulligan.Past{}, mulligan.RetryPlan{}, nil, "retry", "ladder", "retry 1 of 3"},
		{"a crash", "crash", high, two, nil, "retry", "plain", "no attempt has reached a verdict yet"},
		{"a crash after a failure", "a crash", high, two, nil, "retry", "plain", "retry 1 of 3"},
		{"a crash beyond the budget", "a a a a crash", high, two, nil, "retry", "plain", "retry 4 of 3"},

		{"list, attempt 1", "a", high, two, nil, "incremental", "list", `the step failed in 4 of the last 10 sessions (40 %, above 20 %): strategy 1 of its list`},
		{"list, attempt 2", "a b", high, two, nil, "simplify-tests", "list", `the step failed in 4 of the last 10 sessions (40 %, above 20 %): strategy 2 of its list`},
		{"list, attempt 3", "a b c", high, two, nil, "simplify-tests", "list", `the step failed in 4 of the last 10 sessions (40 %, above 20 %): the last strategy of its list`},
		{"list, attempt 4", "a b c d", high, two, nil, mulligan.AbortRecommended, "budget", `step "tests" failed after 3 retries`},
		{"list, the same, attempt 2", "a a", high, two, nil, "simplify-tests", "list", "strategy 2 of its list"},
		{"list, the same, attempt 3", "a a a", high, two, nil, "fresh-start", "list", "its list is used up"},
		{"list, the same at last", "a b b", high, define, nil, "fresh-start", "list", "its list is used up"},
		{"list, no fingerprint", "- - -", high, two, nil, "simplify-tests", "list", "the last strategy of its list"},

		{"list, low rate, differently", "a b c", mulligan.Past{}, two, nil, "retry", "plain", "retry 3 of 3"},
		{"list, low rate, the same twice", "a a", mulligan.Past{}, two, nil, "incremental", "list", "the same failure came twice in a row: strategy 1 of its list"},
		{"list, low rate, the same three times", "a a a", mulligan.Past{}, two, nil, "simplify-tests", "list", "the same failure came 3 times in a row: strategy 2 of its list"},
		{"list of one, low rate", "a a a", mulligan.Past{}, withList("incremental"), nil, "fresh-start", "list", "the same failure came 3 times in a row: its list is used up"},

		{"ladder, the same twice", "a a", high, mulligan.RetryPlan{}, nil, "retry", "ladder", "retry 2 of 3"},
		{"ladder, the same three times", "a a a", high, mulligan.RetryPlan{}, nil, "fresh-start", "ladder", "the same failure came 3 times in a row"},
		{"ladder, a crash between", "a crash a a", mulligan.Past{}, mulligan.RetryPlan{}, nil, "fresh-start", "ladder", "the same failure came 3 times in a row"},
		{"ladder, differently", "a b c", mulligan.Past{}, mulligan.RetryPlan{}, nil, "retry", "ladder", "retry 3 of 3"},
		{"ladder, progress at last", "a a b", mulligan.Past{}, mulligan.RetryPlan{}, nil, "retry", "ladder", "retry 3 of 3"},
		{"ladder, no fingerprint", "- - -", mulligan.Past{}, mulligan.RetryPlan{}, nil, "retry", "ladder", "retry 3 of 3"},
		{"ladder without fresh-start", "a a a", mulligan.Past{}, mulligan.RetryPlan{Define: escalate, Disabled: []string{"fresh-start"}}, nil, "escalate", "ladder", ""},
		{"ladder of retries", "a a a", mulligan.Past{}, mulligan.RetryPlan{Disabled: []string{"fresh-start"}}, nil, "retry", "ladder", ""},

		{"never_retry", "a", high, mulligan.RetryPlan{Never: []string{"tests"}}, nil, mulligan.AbortRecommended, "never_retry", `step "tests" is never tried again (never_retry)`},
		{"never_retry of another", "a", high, mulligan.RetryPlan{Never: []string{"plan"}}, nil, "retry", "ladder", ""},
		{"disabled, attempt 1", "a", high, disabled, nil, "simplify-tests", "list", "strategy 1 of its list"},
		{"disabled, what follows", "a a", high, disabled, nil, "escalate", "list", "its list is used up"},
		{"all disabled", "a", high, mulligan.RetryPlan{Strategies: two.Strategies, Disabled: two.Strategies["tests"]}, nil, "retry", "ladder", ""},
		{"ruled", "a b", high, withList("incremental", "rollback", "fresh-start"), []string{"rollback"}, "fresh-start", "list", "strategy 3 of its list"},
		{"one past session", "a", mulligan.Past{Sessions: 1, Reached: 1, Failed: 1}, two, nil, "incremental", "list", `the step failed in the last session (100 %, above 20 %): strategy 1 of its list`},
		{"ruled, the list's last", "a b c", high, withList("incremental", "rollback"), []string{"rollback"}, "incremental", "list", ""},
		{"ruled, the list's only one", "a", high, withList("rollback"), []string{"rollback"}, "fresh-start", "list", "its list is used up"},
		{"ruled, and nothing left", "a", high, mulligan.RetryPlan{Strategies: map[string][]string{"tests": {"rollback"}}, Disabled: []string{"fresh-start"}}, []string{"rollback"}, "retry", "list", "no strategy of its list can be taken"},
		{"rollback as any other", "a", high, withList("rollback"), nil, "rollback", "list", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rc := makeCase(c.attempts, c.past, c.retry)
			rc.Ruled = c.ruled
			got := Adaptive{}.Recommend(rc)
			if got.Strategy != c.strategy || got.Rule != c.rule || !strings.HasSuffix(got.Reason, c.reason) {
				t.Errorf("got %+v, want %s by %s, %s", got, c.strategy, c.rule, c.reason)
			}
		})
	}
}

// R5: the ladder's last rung repeats, and in a loop there is no budget.
func TestLadderOfALoop(t *testing.T) {
	c := makeCase("a a a a a", mulligan.Past{}, mulligan.RetryPlan{Define: map[string]mulligan.StrategySpec{"escalate": {Model: "big"}}})
	c.Plan.Loop, c.Step.Retry = &mulligan.Loop{}, 0
	for n, want := range []string{"retry", "retry", "fresh-start", "escalate", "escalate"} {
		one := c
		one.Attempts = c.Attempts[:n+1]
		if got := (Adaptive{}).Recommend(one); got.Strategy != want || got.Same != n+1 {
			t.Errorf("the same failure %d times: got %+v, want %s", n+1, got, want)
		}
	}
	c.Plan.Retry.Define = nil
	if got := (Adaptive{}).Recommend(c); got.Strategy != "fresh-start" {
		t.Errorf("without escalate: got %+v, want fresh-start again", got)
	}
}

// A plan of an older version has no word about retries: the defaults hold.
func TestRecommendWithoutPlan(t *testing.T) {
	c := makeCase("a", mulligan.Past{Sessions: 10, Failed: 2}, mulligan.RetryPlan{})
	c.Plan.Retry = nil
	if got := (Adaptive{}).Recommend(c); got.Strategy != "retry" || got.Threshold != DefaultThreshold || got.Rate != 0.2 {
		t.Errorf("got %+v, want retry with the default threshold", got)
	}
}

// limits.same_failure stops only when every strategy of the order was tried on the same failure.
func TestExhausted(t *testing.T) {
	for _, c := range []struct {
		attempts string
		list     []string
		want     bool
	}{
		{"a a/retry", nil, false},
		{"a a/retry a/retry", nil, false},
		{"a a/retry a/retry a/fresh-start", nil, true},
		{"b/fresh-start a/retry a/retry a/retry", nil, false}, // that was another failure
		{"a a/incremental a/fresh-start", []string{"incremental"}, true},
		{"a a/fresh-start", []string{"incremental"}, false},
		{"a a/rollback a/fresh-start", []string{"rollback"}, true},
	} {
		rc := makeCase(c.attempts, mulligan.Past{}, withList(c.list...))
		rc.Step.Retry = 9
		if got := (Adaptive{}).Recommend(rc); got.Exhausted != c.want {
			t.Errorf("%s with the list %v: got %+v, want exhausted: %t", c.attempts, c.list, got, c.want)
		}
	}
}
