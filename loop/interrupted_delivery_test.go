package loop_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"mulligan"
	"mulligan/loop"
)

// gatekeepers are Stop hooks that let the agent go as long as open says so.
type gatekeepers struct{ open func() bool }

func (g gatekeepers) Run(_ context.Context, c mulligan.AgentHookCall) mulligan.AgentHookReply {
	if c.Event == mulligan.EventStop && !g.open() {
		return block("no")
	}
	return allow
}

func (b *bench) delivered() bool {
	return slices.ContainsFunc(b.turns, func(turn mulligan.Turn) bool { return turn.Purpose == mulligan.ForDelivery })
}

// stoppedAt runs a step with Stop hooks that is interrupted, and resumed where it was. early: something
// was delivered before that.
func stoppedAt(t *testing.T, n int, open func(*bench) bool) (b *bench, o mulligan.Outcome, early, long bool) {
	t.Helper()
	b, _ = newBench(story{})
	p := planOf(0, "one")
	stopping(p, 1)
	p.AgentHooks.OnLimit = mulligan.LimitFail
	hooked(p, mulligan.PostIteration, hook("a", true), hook("b", true))
	run := func(ctx context.Context, begin func(*loop.Session) error) mulligan.Outcome {
		s := b.session()
		s.AgentHooks = gatekeepers{func() bool { return open(b) }}
		if err := begin(s); err != nil {
			t.Fatal(err)
		}
		o, err := s.Run(ctx)
		if err != nil {
			t.Fatalf("interrupted at %d: %v", n, err)
		}
		return o
	}
	ctx := cutAt(t.Context(), n)
	o = run(ctx, func(s *loop.Session) error {
		return s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"})
	})
	if o.Ended == mulligan.Interrupted {
		early = b.delivered()
		o = run(t.Context(), func(s *loop.Session) error { return s.Resume(b.state(t), mulligan.SessionResumed{}) })
	}
	return b, o, early, ctx.left <= 0
}

// TestInterruptedStopHookStands (S6, P10): a Stop hook that blocked at its limit has failed the round,
// and an interruption whose delivery changes files is no way around it.
func TestInterruptedStopHookStands(t *testing.T) {
	never := func(*bench) bool { return false }
	for n, more := 1, true; more; n++ {
		synctest.Test(t, func(t *testing.T) {
			b, o, _, long := stoppedAt(t, n, never)
			if more = long; o.Ended != mulligan.GaveUp {
				t.Errorf("interrupted at %d: %+v\n%s", n, o, b.told(t))
			}
		})
	}
}

// TestInterruptedDeliveryMeetsStopHooks (S1, P10): what the delivery of an interrupted session changed is
// not kept as verified where the Stop hooks block it.
func TestInterruptedDeliveryMeetsStopHooks(t *testing.T) {
	before := func(b *bench) bool { return !b.delivered() }
	for n, more := 1, true; more; n++ {
		synctest.Test(t, func(t *testing.T) {
			b, o, early, long := stoppedAt(t, n, before)
			if more = long; early && o.Ended != mulligan.GaveUp {
				t.Errorf("interrupted at %d: %+v\n%s", n, o, b.told(t))
			}
		})
	}
}

// A messy gate is interrupted in the middle of writing a file, and passes when it is asked again.
type messy struct {
	b   *bench
	end func()
}

func (g *messy) Examine(ctx context.Context, _ mulligan.Work) mulligan.Verdict {
	v := mulligan.Verdict{Status: mulligan.Pass, Gate: "tests"}
	if end := g.end; end != nil {
		g.end = nil
		g.b.files = append(g.b.files, "half")
		end()
		<-ctx.Done()
		v.Status = mulligan.Broken
	}
	return v
}

// TestInterruptedCheckIsPutAside (P10): what an interrupted check had half written is in no commit,
// whether the delivery after it came to its end or was killed.
func TestInterruptedCheckIsPutAside(t *testing.T) {
	for kill := range 8 {
		synctest.Test(t, func(t *testing.T) {
			b, _ := newBench(story{})
			ctx := cutAt(t.Context(), never)
			gate := &messy{b: b, end: func() {
				ctx.left = 0
				ctx.end(&loop.Interruption{By: "SIGINT"})
			}}
			run := func(ctx context.Context, begin func(*loop.Session) error, j mulligan.Journal) {
				s := b.session()
				s.Journal = j
				s.Gates = func(step mulligan.Step) ([]mulligan.Gate, error) {
					return slices.Repeat([]mulligan.Gate{gate}, len(step.Checks)), nil
				}
				if err := begin(s); err != nil {
					t.Fatal(err)
				}
				_, _ = s.Run(ctx) // killed or not: what is kept is looked at below
			}
			run(ctx, func(s *loop.Session) error {
				return s.Start(id, planOf(0, "one"), mulligan.Place{Dir: "/workspace", Base: "base"})
			}, &mortal{killed{b.journal, kill}, ctx})
			run(t.Context(), func(s *loop.Session) error { return s.Resume(b.state(t), mulligan.SessionResumed{}) }, b.journal)
			for at := b.head; at != "base"; at = b.history[at].Parent {
				if slices.Contains(b.kept[b.history[at].Tree.ID], "half") {
					t.Errorf("killed %d after: half a check is in %q\n%s", kill, at, b.told(t))
				}
			}
			if b.head == "base" {
				t.Errorf("killed %d after: nothing was committed\n%s", kill, b.told(t))
			}
		})
	}
}

// lastCommit interrupts the session in the commit of its last step.
type lastCommit struct {
	*bench
	end func()
}

func (w lastCommit) Commit(ctx context.Context, c mulligan.Commit) (string, error) {
	if len(w.history) == 1 {
		w.end()
	}
	return w.bench.Commit(ctx, c)
}

// TestInterruptedInTheLastCommit (P10, H4, H6): the session is verified then, and ends as such: what is
// pending is delivered, and the hooks of completed tasks are waited for.
func TestInterruptedInTheLastCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, p := newBench(story{})
		ctx, end := context.WithCancelCause(t.Context())
		s := b.session()
		s.Workspace = lastCommit{b, func() { end(&loop.Interruption{By: "SIGINT"}) }}
		if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
			t.Fatal(err)
		}
		o, err := s.Run(ctx)
		if err != nil || o.Ended != mulligan.Verified || !b.delivered() || len(o.Undelivered) > 0 {
			t.Errorf("%+v, %v, delivered %v\n%s", o, err, b.delivered(), b.told(t))
		}
	})
}
