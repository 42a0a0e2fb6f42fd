package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/loop"
)

// An abandoner is an agent that ends its turn while something is still done for it.
type abandoner struct {
	*world
	s        *loop.Session
	late     time.Duration
	examined time.Time
}

func (a *abandoner) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	time.AfterFunc(a.late, a.s.HoldTurn())
	return a.world.Turn(ctx, t)
}

func (a *abandoner) Examine(ctx context.Context, w mulligan.Work) mulligan.Verdict {
	a.examined = time.Now()
	return a.world.Examine(ctx, w)
}

// TestTurnWaitsForWhatItHeld: a check that validates a claim does not run beside the session's own. What
// does not end is not waited for for ever.
func TestTurnWaitsForWhatItHeld(t *testing.T) {
	for late, want := range map[time.Duration]time.Duration{time.Second: time.Second, time.Hour: 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			a := &abandoner{world: newWorld(mulligan.Pass), late: late}
			a.s = a.session()
			a.s.Agent = func(string) (mulligan.Agent, error) { return a, nil }
			a.s.Gates = func(mulligan.Step) ([]mulligan.Gate, error) { return []mulligan.Gate{a}, nil }
			began := time.Now()
			if err := a.s.Start(id, planOf(0, "make"), mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
				t.Fatal(err)
			}
			if o, err := a.s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
				t.Fatalf("ended %+v, %v", o, err)
			}
			if got := a.examined.Sub(began); got != want {
				t.Errorf("the work was looked at after %s, want %s", got, want)
			}
		})
	}
}
