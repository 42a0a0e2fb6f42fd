package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
)

// TestRateLimitGoesOn (A3): a turn that met a rate limit in a conversation of its own goes on in
// that conversation; where the agent lost it, in a fresh one. The attempt after it does not
// depend on which.
func TestRateLimitGoesOn(t *testing.T) {
	limited := mulligan.Result{Ending: mulligan.RateLimited, Conversation: "begun"}
	lost := mulligan.Result{Ending: mulligan.RateLimited}
	done := mulligan.Result{Ending: mulligan.Finished, Conversation: "begun"}
	for name, test := range map[string]struct {
		results []mulligan.Result
		want    []string // the conversations that turns were given in
	}{
		"begun":        {[]mulligan.Result{limited, done}, []string{"", "begun"}},
		"twice":        {[]mulligan.Result{limited, limited, done}, []string{"", "begun", "begun"}},
		"lost":         {[]mulligan.Result{limited, lost, done}, []string{"", "begun", ""}},
		"forgotten":    {[]mulligan.Result{limited, {Ending: mulligan.Crashed}, done}, []string{"", "begun", ""}},
		"cannot":       {[]mulligan.Result{lost, done}, []string{"", ""}},
		"continued":    {[]mulligan.Result{done, limited, done}, []string{"", "begun", "begun"}},
		"continued, 2": {[]mulligan.Result{done, lost, done}, []string{"", "begun", "begun"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				if test.results[0].Ending == mulligan.Finished {
					w = newWorld(mulligan.Fail, mulligan.Pass)
				}
				w.results = test.results
				o := w.run(t, t.Context(), planOf(1, "one"))
				var got []string
				for _, turn := range w.turns {
					got = append(got, turn.Conversation)
				}
				equal(t, "conversations", got, test.want)
				if o.Ended != mulligan.Verified || o.Iterations != w.examined {
					t.Errorf("%+v", o)
				}
			})
		})
	}
}

// TestRateLimitTakenUp (A3, J2): a turn that another process takes up begins anew, for the tree
// is put back to what it found; one of a conversation with earlier turns stays in that.
func TestRateLimitTakenUp(t *testing.T) {
	for _, fails := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(mulligan.Pass)
			done := mulligan.Result{Ending: mulligan.Finished, Conversation: "earlier"}
			limited := mulligan.Result{Ending: mulligan.RateLimited, Conversation: "begun", Until: time.Now().Add(time.Hour)}
			w.results, w.verdicts = []mulligan.Result{limited, done}, []mulligan.Status{mulligan.Pass}
			want := []string{"", ""}
			if fails == 1 {
				limited.Conversation = "earlier"
				w.results, w.verdicts = []mulligan.Result{done, limited, done}, []mulligan.Status{mulligan.Fail, mulligan.Pass}
				want = []string{"", "earlier", "earlier"}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if o := w.run(t, ctx, planOf(1, "one")); o.Ended != mulligan.Interrupted {
				t.Fatalf("%+v", o)
			}
			s := w.session()
			if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
				t.Fatal(err)
			}
			if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
				t.Fatalf("%+v, %v", o, err)
			}
			var got []string
			for _, turn := range w.turns {
				got = append(got, turn.Conversation)
			}
			equal(t, "conversations", got, want)
			if len(w.restored) != 1 {
				t.Errorf("the tree was put back %d times", len(w.restored))
			}
		})
	}
}
