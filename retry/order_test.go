package retry

import (
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mulligan"
)

// R6: what was tried five times is sorted by its success among the places that it holds.
func TestOrderBySuccess(t *testing.T) {
	for _, c := range []struct {
		name, list string
		past       []mulligan.StrategyPast
		want       string
	}{
		{"nothing known", "a b c", nil, "a b c"},
		{"fewer than five", "a b", []mulligan.StrategyPast{{Name: "a", Tried: 5}, {Name: "b", Tried: 4, Worked: 4}}, "a b"},
		{"five", "a b", []mulligan.StrategyPast{{Name: "a", Tried: 5}, {Name: "b", Tried: 5, Worked: 1}}, "b a"},
		{"equal shares", "a b", []mulligan.StrategyPast{{Name: "b", Tried: 6, Worked: 2}, {Name: "a", Tried: 9, Worked: 3}}, "a b"},
		{"shares, not numbers", "a b", []mulligan.StrategyPast{{Name: "a", Tried: 30, Worked: 10}, {Name: "b", Tried: 5, Worked: 2}}, "b a"},
		{"the unknown keep their places", "a b c d", []mulligan.StrategyPast{{Name: "a", Tried: 8, Worked: 1}, {Name: "c", Tried: 8, Worked: 2}, {Name: "d", Tried: 8, Worked: 3}}, "d b c a"},
		{"of another step", "a b", []mulligan.StrategyPast{{Name: "x", Tried: 9, Worked: 9}}, "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rc := makeCase("f", mulligan.Past{Sessions: 10, Reached: 10, Failed: 10, Strategies: c.past}, withList(strings.Fields(c.list)...))
			rc.Plan.Retry.Disabled = []string{"fresh-start"}
			got := Adaptive{}.Recommend(rc)
			if strings.Join(got.Order, " ") != c.want || got.Strategy != strings.Fields(c.want)[0] {
				t.Errorf("got %+v, want the order %s", got, c.want)
			}
		})
	}
}

// R6: the ladder's first rung stays while the rate is not high, and a plain retry does not repeat behind
// what has worked better.
func TestOrderOfTheLadder(t *testing.T) {
	past := mulligan.Past{Sessions: 10, Reached: 10, Failed: 2, Strategies: []mulligan.StrategyPast{
		{Name: "retry", Tried: 20, Worked: 2}, {Name: "fresh-start", Tried: 5, Worked: 4},
	}}
	c := makeCase("a", past, mulligan.RetryPlan{})
	low := Adaptive{}.Recommend(c)
	if want := []string{"retry", "fresh-start"}; low.Strategy != "retry" || !slices.Equal(low.Order, want) {
		t.Errorf("got %+v, want retry of %v", low, want)
	}
	c.Past.Failed = 3
	high := Adaptive{}.Recommend(c)
	if want := []string{"fresh-start"}; high.Strategy != "fresh-start" || !slices.Equal(high.Order, want) {
		t.Errorf("got %+v, want fresh-start of %v", high, want)
	}
	if want := `the step failed in 3 of the last 10 sessions (30 %, above 20 %): first what has worked most often`; high.Reason != want {
		t.Errorf("got the reason %s, want %s", high.Reason, want)
	}
}

// Whatever the case, Recommend answers the same again, never takes what is disabled or ruled out, and
// never retries over the budget.
func TestRecommendHolds(t *testing.T) {
	for seed := range int64(4000) {
		c := randomCase(rand.New(rand.NewSource(seed)))
		got := Adaptive{}.Recommend(c)
		if again := (Adaptive{}).Recommend(c); !reflect.DeepEqual(got, again) {
			t.Fatalf("seed %d: got %+v, then %+v", seed, got, again)
		}
		out := slices.Concat(c.Plan.Retry.Disabled, c.Ruled)
		if got.Strategy != mulligan.StrategyRetry && slices.Contains(out, got.Strategy) {
			t.Fatalf("seed %d: %s is disabled or ruled out: %+v", seed, got.Strategy, got)
		}
		used := mulligan.StepState{Attempts: c.Attempts}.Used()
		examined := c.Attempts[len(c.Attempts)-1].Status != ""
		if examined && used > c.Step.Retry && c.Plan.Loop == nil && got.Strategy != mulligan.AbortRecommended {
			t.Fatalf("seed %d: retries over the budget: %+v", seed, got)
		}
		if got.Strategy == "" || got.Reason == "" || got.Rule == "" || strings.Contains(got.Reason, "\n") {
			t.Fatalf("seed %d: incomplete: %+v", seed, got)
		}
		if len(got.Order) > 0 && got.Order[got.Entry] != got.Strategy {
			t.Fatalf("seed %d: entry %d is not the strategy: %+v", seed, got.Entry, got)
		}
	}
}

func randomCase(r *rand.Rand) mulligan.RetryCase {
	names := []string{"retry", "simplify-prompt", "incremental", "rollback", "fresh-start", "escalate", "mine"}
	some := func(most int) []string {
		var list []string
		for range r.Intn(most + 1) {
			list = append(list, names[r.Intn(len(names))])
		}
		return list
	}
	plan := mulligan.RetryPlan{Threshold: r.Float64(), Reached: r.Intn(2) == 0, Strategies: map[string][]string{}}
	plan.Disabled = removeNames(some(3), []string{"retry"})
	if list := some(4); len(list) > 0 {
		plan.Strategies["tests"] = list
	}
	if r.Intn(2) == 0 {
		plan.Define = map[string]mulligan.StrategySpec{"escalate": {Agent: "big"}}
	}
	past := mulligan.Past{Sessions: r.Intn(11)}
	past.Reached = r.Intn(past.Sessions + 1)
	past.Failed = r.Intn(past.Reached + 1)
	for _, name := range names {
		tried := r.Intn(9)
		past.Strategies = append(past.Strategies, mulligan.StrategyPast{Name: name, Tried: tried, Worked: r.Intn(tried + 1)})
	}
	words := []string{"a", "a", "a", "b", "-", "crash", "a/fresh-start"}
	var attempts []string
	for range 1 + r.Intn(6) {
		attempts = append(attempts, words[r.Intn(len(words))])
	}
	c := makeCase(strings.Join(attempts, " "), past, plan)
	c.Ruled, c.Step.Retry = some(2), r.Intn(5)
	if r.Intn(4) == 0 {
		c.Plan.Loop = &mulligan.Loop{}
	}
	return c
}
