package loop_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/state"
)

// delivering is a plan whose session has something to deliver when it ends.
func delivering(final time.Duration, most int) *mulligan.Plan {
	p := hooked(stopping(planOf(0, "one"), most), mulligan.PostIteration, hook("post", true))
	hooked(p, mulligan.SessionEnd, hook("end", false))
	p.Limits.FinalTimeout = final
	return p
}

// slowly makes each turn after the first take as long as it is told, or until it is ended.
type slowly struct {
	*world
	each time.Duration
}

func (s slowly) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	if t.Number > 1 {
		s.Sleep(ctx, s.each)
	}
	return s.world.Turn(ctx, t)
}

// TestDeliveryTurnsTogether (H6): however often a Stop hook sends the agent back in the final
// delivery, all its turns and waits together have final_timeout. Then it is not done: the verified tree is put back.
func TestDeliveryTurnsTogether(t *testing.T) {
	for name, test := range map[string]struct {
		each, ran, after time.Duration // a turn of the delivery, its hooks, the wait that they want
		turns            int
		note             string
	}{
		"between two turns": {each: 4 * time.Minute, ran: 6 * time.Minute, turns: 2, note: "the final delivery is out of time (limits.final_timeout is 10m0s), and a Stop hook still blocks: no"},
		"in a turn":         {each: 4 * time.Minute, turns: 4, note: "did not end well (timed_out: longer than limits.final_timeout (10m0s))"},
		"in a later turn":   {each: 4 * time.Minute, after: 3 * time.Minute, turns: 3, note: "did not end well (timed_out"},
		"in a wait":         {each: 4 * time.Minute, after: 7 * time.Minute, turns: 2, note: "and a Stop hook still blocks: no"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				no := block("no")
				no.Retry.After, no.Runs[0].Duration = test.after, test.ran
				s := w.session()
				s.Agent = func(string) (mulligan.Agent, error) { return slowly{w, test.each}, nil }
				s.AgentHooks = &stopHooks{replies: []mulligan.AgentHookReply{allow, no}}
				if err := s.Start(id, delivering(10*time.Minute, 99), mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				o, err := s.Run(t.Context())
				if err != nil || o.Ended != mulligan.Verified || len(w.turns) != test.turns {
					t.Fatalf("%+v, %v, after %d turns", o, err, len(w.turns))
				}
				if took := time.Since(began); took > 10*time.Minute {
					t.Errorf("the delivery took %v", took)
				}
				if len(o.Notes) != 1 || !strings.Contains(o.Notes[0], test.note) || !strings.Contains(o.Notes[0], "put back") {
					t.Errorf("the notes are %q", o.Notes)
				}
				equal(t, "hooks", w.ran(), []string{"post_iteration post", "session_end end"})
			})
		})
	}
}

// TestDeliveryTimeSurvives (H6, J2): what the delivery has taken before a crash counts after it.
func TestDeliveryTimeSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		truth := w.journal
		h := &stopHooks{replies: []mulligan.AgentHookReply{allow, block("no")}}
		s := w.session()
		s.Agent = func(string) (mulligan.Agent, error) { return slowly{w, 4 * time.Minute}, nil }
		s.AgentHooks = h
		w.onTurn = func(n int) {
			if n == 3 {
				s.Journal = &killed{truth, 0}
			}
		}
		if err := s.Start(id, delivering(10*time.Minute, 99), mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context()); err == nil {
			t.Fatal("it was not killed")
		}
		w.onTurn = nil
		if took := w.state(t).Final.Took; took != 4*time.Minute {
			t.Fatalf("the delivery has taken %v", took)
		}
		began := time.Now()
		s = w.session()
		s.Agent = func(string) (mulligan.Agent, error) { return slowly{w, time.Hour}, nil }
		s.AgentHooks = h
		if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
			t.Fatal(err)
		}
		if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified || time.Since(began) != 6*time.Minute {
			t.Errorf("%+v, %v, after %v", o, err, time.Since(began))
		}
	})
}

// TestStopHooksOfTheDeliveryAreBounded (H6): by the same time as its turns.
func TestStopHooksOfTheDeliveryAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		began := time.Now()
		o := w.stopped(t, delivering(10*time.Minute, 9), &slowHooks{stopHooks{replies: []mulligan.AgentHookReply{allow}}})
		if o.Ended != mulligan.Verified || time.Since(began) != 10*time.Minute {
			t.Errorf("%+v after %v", o, time.Since(began))
		}
		if len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "the final delivery is out of time (limits.final_timeout is 10m0s); the verified tree was put back") {
			t.Errorf("the notes are %q", o.Notes)
		}
		// The next process continues from the verified tree, not from the tree that the delivery left.
		var st state.State
		for e, err := range w.journal.Read(t.Context(), id, 1) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Body.Kind() == (mulligan.SessionEnded{}).Kind() {
				break
			}
			if err := st.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		if len(w.restored) != 1 || st.Tree != w.restored[0] {
			t.Errorf("the session continues from %v, want %v", st.Tree, w.restored)
		}
	})
}

// slowHooks take for ever after the first run.
type slowHooks struct{ stopHooks }

func (h *slowHooks) Run(ctx context.Context, c mulligan.AgentHookCall) mulligan.AgentHookReply {
	if c.Event == mulligan.EventStop && len(h.calls) > 0 {
		<-ctx.Done()
	}
	return h.stopHooks.Run(ctx, c)
}

// TestNobodyHoldsUpTheDelivery (H6): not even with --ask does a question wait for longer.
func TestNobodyHoldsUpTheDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		p := delivering(10*time.Minute, 0)
		p.AgentHooks.OnLimit, p.People.Ask = "ask", true
		began := time.Now()
		o := w.stopped(t, p, &stopHooks{replies: []mulligan.AgentHookReply{allow, block("no")}})
		if o.Ended != mulligan.Verified || time.Since(began) != 10*time.Minute || len(o.Questions) != 1 || o.Questions[0].By != mulligan.ByDefault {
			t.Errorf("%+v after %v", o, time.Since(began))
		}
	})
}

// TestAnswerInTheDelivery (H6): what a question took is the delivery's time too.
func TestAnswerInTheDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		p := delivering(10*time.Minute, 0)
		p.AgentHooks.OnLimit, p.People.Ask = "ask", true
		s := w.session()
		s.Agent = func(string) (mulligan.Agent, error) {
			if len(w.turns) < 2 {
				return w, nil
			}
			return slowly{w, time.Hour}, nil
		}
		s.AgentHooks = &stopHooks{replies: []mulligan.AgentHookReply{allow, block("no")}}
		if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		go func() {
			time.Sleep(6 * time.Minute)
			err := s.Do(context.Background(), func(st *state.State) ([]mulligan.Body, error) {
				a, err := st.AnswerTo(0, mulligan.LimitContinue, time.Now())
				return []mulligan.Body{a}, err
			})
			if err != nil {
				t.Error(err)
			}
		}()
		o, err := s.Run(t.Context())
		if err != nil || o.Ended != mulligan.Verified || len(w.turns) != 3 || time.Since(began) != 10*time.Minute {
			t.Errorf("%+v, %v, after %d turns and %v", o, err, len(w.turns), time.Since(began))
		}
	})
}

// TestChecksOfAnInterruptedSession (P10): those after its final delivery are bounded, all of them
// together; those of a session that has ended are not.
func TestChecksOfAnInterruptedSession(t *testing.T) {
	for _, interrupted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(mulligan.Pass)
			p := hooked(planOf(0, "one", "two"), mulligan.PostIteration, hook("post", true))
			p.Limits.FinalTimeout = 10 * time.Minute
			p.Steps[0].Checks = append(p.Steps[0].Checks, mulligan.CheckSpec{Name: "more", Type: "shell"})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := w.session()
			w.onTurn = func(n int) {
				if n != 2 || !interrupted {
					return
				}
				err := s.Do(context.Background(), func(*state.State) ([]mulligan.Body, error) {
					printed := mulligan.HookResult{OK: true, Text: "mind the gap"}
					return []mulligan.Body{mulligan.HookEnded{Moment: mulligan.OnTaskComplete, Name: "gaps", Result: printed, Piped: true}}, nil
				})
				if err != nil {
					t.Error(err)
				}
				cancel()
			}
			s.Gates = func(step mulligan.Step) ([]mulligan.Gate, error) {
				gates := make([]mulligan.Gate, len(step.Checks))
				for i := range gates {
					gates[i] = slowGate{w, step.Name == "delivery"}
				}
				return gates, nil
			}
			if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			o, err := s.Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(began)
			if interrupted && (o.Ended != mulligan.Interrupted || took != 10*time.Minute || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "the checks took longer than limits.final_timeout (10m0s)")) {
				t.Errorf("%+v after %v", o, took)
			}
			if !interrupted && (o.Ended != mulligan.Verified || took != 18*time.Minute || len(o.Notes) != 0) {
				t.Errorf("%+v after %v", o, took)
			}
		})
	}
}

// slowGate takes six minutes after the final delivery, or until it is ended.
type slowGate struct {
	w    *world
	slow bool
}

func (g slowGate) Examine(ctx context.Context, work mulligan.Work) mulligan.Verdict {
	if g.slow {
		g.w.Sleep(ctx, 6*time.Minute)
	}
	return g.w.Examine(ctx, work)
}

// TestDeliverySubject (H6): the final delivery's commit is told from the step's, whatever
// git.message is.
func TestDeliverySubject(t *testing.T) {
	for message, want := range map[string]string{
		"mulligan({{step}}): {{summary}}": "mulligan(one): final delivery",
		"wip {{step}}":                    "wip one (final delivery)",
		"wip":                             "wip (final delivery)",
	} {
		w := newWorld(mulligan.Pass)
		p := hooked(planOf(0, "one"), mulligan.PostIteration, hook("post", true))
		p.Git.Message = message
		w.run(t, t.Context(), p)
		if len(w.commits) != 2 {
			t.Fatalf("%d commits", len(w.commits))
		}
		if subject, _, _ := strings.Cut(w.commits[1].Message, "\n"); subject != want {
			t.Errorf("the subject is %q, want %q", subject, want)
		}
		if w.commits[0].Message == w.commits[1].Message || strings.Contains(w.commits[0].Message, "final delivery") {
			t.Errorf("the step's commit: %q", w.commits[0].Message)
		}
	}
}
