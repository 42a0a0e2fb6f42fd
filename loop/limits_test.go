package loop_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
)

// TestCostAndTokens (A6): checked between turns, after the last turn's gates; an estimate stops
// nothing; what was spent is said, and nothing is delivered any more.
func TestCostAndTokens(t *testing.T) {
	for name, test := range map[string]struct {
		limits mulligan.Limits
		usage  mulligan.Usage
		turns  int
		limit  string
	}{
		"cost":      {mulligan.Limits{CostUSD: 1}, mulligan.Usage{CostUSD: 0.6}, 2, "cost_usd"},
		"estimated": {mulligan.Limits{CostUSD: 1}, mulligan.Usage{CostUSD: 0.6, Estimated: true}, 4, "iterations"},
		"tokens":    {mulligan.Limits{Tokens: 100}, mulligan.Usage{InputTokens: 30, OutputTokens: 20}, 2, "tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(mulligan.Fail)
			w.results = []mulligan.Result{{Ending: mulligan.Finished, Usage: test.usage}}
			p := hooked(loopOf(3), mulligan.PostIteration, hook("post", true))
			p.Limits = test.limits
			o := w.run(t, t.Context(), p)
			if o.Ended != mulligan.LimitReached || o.Limit != test.limit || len(w.turns) != test.turns {
				t.Errorf("%+v after %d turns", o, len(w.turns))
			}
			if kept := test.limit != "iterations"; kept != (len(o.Undelivered) == 1) {
				t.Errorf("undelivered: %q", o.Undelivered)
			}
		})
	}
	w := newWorld(mulligan.Pass)
	w.results = []mulligan.Result{{Ending: mulligan.Finished, Usage: mulligan.Usage{CostUSD: 9}}}
	p := planOf(0, "one")
	p.Limits.CostUSD = 1
	if o := w.run(t, t.Context(), p); o.Ended != mulligan.Verified {
		t.Errorf("work that passed at the limit is %s", o.Ended)
	}
}

// TestRateLimits (A3): the reset that was given, else a wait that grows; a bound; and none at all.
func TestRateLimits(t *testing.T) {
	for name, test := range map[string]struct {
		until  time.Duration
		limits mulligan.Limits
		turns  int
		waited time.Duration
		ended  mulligan.Ended
	}{
		"until":    {until: time.Hour, turns: 2, waited: time.Hour, ended: mulligan.Verified},
		"unknown":  {turns: 3, waited: 90 * time.Second, ended: mulligan.Verified},
		"too long": {until: time.Hour, limits: mulligan.Limits{Wait: time.Minute}, turns: 1, ended: mulligan.AgentUnavailable},
		"no wait":  {until: time.Hour, limits: mulligan.Limits{NoWait: true}, turns: 1, ended: mulligan.AgentUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				limited := mulligan.Result{Ending: mulligan.RateLimited}
				if test.until > 0 {
					limited.Until = time.Now().Add(test.until)
				}
				w.results = []mulligan.Result{limited, limited, {Ending: mulligan.Finished}}
				if test.turns == 2 {
					w.results = w.results[1:]
				}
				began := time.Now()
				p := planOf(0, "one")
				p.Limits = test.limits
				o := w.run(t, t.Context(), p)
				if o.Ended != test.ended || len(w.turns) != test.turns || time.Since(began) != test.waited || o.Iterations != 1 {
					t.Errorf("%+v after %d turns and %v", o, len(w.turns), time.Since(began))
				}
				if o.Worked != 0 {
					t.Errorf("the wait is counted as work: %v", o.Worked)
				}
			})
		})
	}
}

// TestWaitsAddUp: limits.wait is of all waits together, and `run` counts it anew.
func TestWaitsAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		limited, well := mulligan.Result{Ending: mulligan.RateLimited}, mulligan.Result{Ending: mulligan.Finished}
		w.results = []mulligan.Result{limited, well, limited, limited, well}
		p := planOf(0, "one", "two")
		p.Limits.Wait = 50 * time.Second // each wait is of 30
		o := w.run(t, t.Context(), p)
		if o.Ended != mulligan.AgentUnavailable || len(w.turns) != 3 || !strings.Contains(o.Reason, "with the 30s waited before") {
			t.Fatalf("%+v after %d turns", o, len(w.turns))
		}
		s := w.session()
		if err := s.Resume(w.state(t), mulligan.SessionResumed{Plan: p, Again: true, From: 1}); err != nil {
			t.Fatal(err)
		}
		if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
			t.Errorf("%+v, %v", o, err)
		}
	})
}

// TestRateLimitSurvives (A3, J2): a resumed session waits for the rest of it.
func TestRateLimitSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		until := time.Now().Add(time.Hour)
		w.results = []mulligan.Result{{Ending: mulligan.RateLimited, Until: until}, {Ending: mulligan.Finished}}
		s := w.session()
		if err := s.Start(id, planOf(0, "one"), mulligan.Place{Dir: "/workspace"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		if o, err := s.Run(ctx); err != nil || o.Ended != mulligan.Interrupted {
			t.Fatalf("%+v, %v", o, err)
		}
		s = w.session()
		if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
			t.Fatal(err)
		}
		o, err := s.Run(t.Context())
		if err != nil || o.Ended != mulligan.Verified || !time.Now().Equal(until) {
			t.Errorf("%+v, %v at %v, and %v would be right", o, err, time.Now(), until)
		}
		if w.turns[0].Number != w.turns[1].Number || !strings.HasPrefix(w.turns[1].Prompt, "do one") {
			t.Errorf("the turns are %+v", w.turns)
		}
	})
}

// TestRateLimitBeginsAnew (A3): the agent has not kept the conversation that the turn had begun.
func TestRateLimitBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		w.results = []mulligan.Result{{Ending: mulligan.RateLimited, Conversation: "talk"}, {Ending: mulligan.Crashed}, {Ending: mulligan.Finished}}
		o := w.run(t, t.Context(), planOf(0, "one"))
		var in []string
		for _, turn := range w.turns {
			in = append(in, turn.Conversation)
		}
		if o.Ended != mulligan.Verified || o.Iterations != 1 || !slices.Equal(in, []string{"", "talk", ""}) {
			t.Errorf("%+v after turns in %q", o, in)
		}
	})
}
