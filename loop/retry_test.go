package loop_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/loop"
)

// advice is a policy that recommends what its function returns. All failures have the same fingerprint.
type advice struct {
	recommend func(c mulligan.RetryCase) mulligan.Recommendation
}

func (a advice) Recommend(c mulligan.RetryCase) mulligan.Recommendation { return a.recommend(c) }

func (a advice) Fingerprint(mulligan.AttemptState) string { return "f" }

// decisions returns the decisions of a session's journal.
func decisions(t *testing.T, w *world) (list []mulligan.Decided) {
	t.Helper()
	for e, err := range w.journal.Read(context.Background(), id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := e.Body.(mulligan.Decided); ok {
			list = append(list, d)
		}
	}
	return list
}

// runAdvised runs a session of one step with two retries under a policy.
func runAdvised(t *testing.T, w *world, set func(*loop.Session, *mulligan.Plan), recommend func(mulligan.RetryCase) mulligan.Recommendation) mulligan.Outcome {
	t.Helper()
	s := w.session()
	s.Policy = advice{recommend}
	p := planOf(2, "one")
	p.Retry = &mulligan.RetryPlan{Window: 7}
	if set != nil {
		set(s, p)
	}
	if err := s.Start(id, p, mulligan.Place{Dir: "/w", Root: "/w"}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// R9: a fault inside the decision is noted, and the step is tried again as it is, within its budget.
func TestPolicyThatPanics(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Fail, mulligan.Fail, mulligan.Fail)
	o := runAdvised(t, w, nil, func(mulligan.RetryCase) mulligan.Recommendation { panic("no idea") })
	if o.Ended != mulligan.GaveUp || len(decisions(t, w)) != 3 {
		t.Errorf("got %+v after %d decisions, want gave_up after 3", o, len(decisions(t, w)))
	}
	for _, d := range decisions(t, w)[:2] {
		if !d.Retry || d.Strategy != mulligan.StrategyRetry || d.Recommended.Rule != mulligan.RuleFault {
			t.Errorf("got %+v, want a plain retry because of a fault", d)
		}
	}
	if notes := w.state(t).Notes; len(notes) != 1 || !strings.Contains(notes[0], "no idea") {
		t.Errorf("noted %q, want the fault, once", notes)
	}
}

// R9: what is wrong with the history is said once, and the policy gets no figures.
func TestPastWithAProblem(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Fail, mulligan.Fail)
	var asked []mulligan.PastQuestion
	runAdvised(t, w, func(s *loop.Session, _ *mulligan.Plan) {
		s.Pasts = func(_ context.Context, q mulligan.PastQuestion) mulligan.Past {
			asked = append(asked, q)
			return mulligan.Past{Problem: "history is damaged"}
		}
	}, func(c mulligan.RetryCase) mulligan.Recommendation {
		if c.Past.Problem == "" {
			t.Error("the policy does not know of the problem")
		}
		return mulligan.Recommendation{Strategy: mulligan.StrategyRetry}
	})
	want := mulligan.PastQuestion{Root: "/w", Pipeline: "default", Step: "one", Window: 7, Session: id}
	if len(asked) == 0 || asked[0] != want {
		t.Errorf("asked %+v, want %+v", asked, want)
	}
	n := 0
	for _, note := range w.state(t).Notes {
		if strings.Contains(note, "history is damaged") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("noted %d times: %q", n, w.state(t).Notes)
	}
}

// R3: without a person's yes a rollback is not made, even if the policy insists.
func TestRollbackNeedsAYes(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Fail, mulligan.Fail)
	runAdvised(t, w, nil, func(mulligan.RetryCase) mulligan.Recommendation {
		return mulligan.Recommendation{Strategy: mulligan.StrategyRollback}
	})
	list := decisions(t, w)
	if len(list) == 0 || list[0].Strategy != mulligan.StrategyRetry || !slices.Equal(list[0].Ruled, []string{mulligan.StrategyRollback}) {
		t.Errorf("got %+v, want plain retries, and rollback ruled out", list)
	}
}

// R5: stuck needs both: the same failure so often, and every rung tried.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		same      int
		exhausted bool
		limit     int
		want      string
	}{
		{3, true, 3, "stuck: the same failure came 3 times in a row, and every strategy was tried"},
		{2, true, 3, `step "one" failed after 2 retries`},
		{3, false, 3, `step "one" failed after 2 retries`},
		{3, true, 0, `step "one" failed after 2 retries`},
	} {
		w := newWorld(mulligan.Fail, mulligan.Fail, mulligan.Fail)
		o := runAdvised(t, w, func(_ *loop.Session, p *mulligan.Plan) { p.Limits.SameFailure = c.limit },
			func(mulligan.RetryCase) mulligan.Recommendation {
				return mulligan.Recommendation{Strategy: mulligan.StrategyRetry, Same: c.same, Exhausted: c.exhausted}
			})
		if o.Ended != mulligan.GaveUp || o.Reason != c.want {
			t.Errorf("%+v: got %s, %s", c, o.Ended, o.Reason)
		}
	}
}
