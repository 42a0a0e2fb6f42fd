package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/loop"
	"mulligan/state"
)

// hook is one that prints its name.
func hook(name string, pipe bool) mulligan.HookSpec {
	return mulligan.HookSpec{Name: name, Command: name, Script: name, Pipe: pipe}
}

func hooked(p *mulligan.Plan, m mulligan.Moment, hooks ...mulligan.HookSpec) *mulligan.Plan {
	if p.Hooks == nil {
		p.Hooks = map[mulligan.Moment][]mulligan.HookSpec{}
	}
	p.Hooks[m] = append(p.Hooks[m], hooks...)
	return p
}

func loopOf(iterations int) *mulligan.Plan {
	p := planOf(0, "spec")
	p.Loop = &mulligan.Loop{Iterations: iterations}
	return p
}

func (w *world) prompts() []string {
	var list []string
	for _, t := range w.turns {
		list = append(list, t.Prompt)
	}
	return list
}

func (w *world) ran() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for _, c := range w.hooks {
		list = append(list, string(c.Moment)+" "+c.Hook.Name)
	}
	return list
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// TestTurnBeginsAfterHooks: what a pre_iteration hook writes is there before the turn, and no change of the agent's.
func TestTurnBeginsAfterHooks(t *testing.T) {
	w := newWorld(mulligan.Pass)
	w.onHook = func(context.Context, mulligan.HookCall) { w.tree = 40 }
	w.run(t, t.Context(), hooked(planOf(1, "one"), mulligan.PreIteration, hook("writes", false)))
	var before []string
	for e, err := range w.journal.Read(t.Context(), id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		switch b := e.Body.(type) {
		case mulligan.AttemptStarted:
			before = append(before, b.Snapshot.ID)
		case mulligan.TurnStarted:
			before = append(before, b.Before.ID)
		}
	}
	equal(t, "trees before the attempt and before its turn", before, []string{"tree-0", "tree-40"})
}

// TestPromptOrder (H3, H4, H5, H6): pending, then pre_iteration's, then the prompt; what does
// not pipe reaches nobody; what is left is delivered at the end, before session_end.
func TestPromptOrder(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	p := planOf(1, "one")
	hooked(p, mulligan.SessionStart, hook("start", true))
	hooked(p, mulligan.PreIteration, hook("pre", true))
	hooked(p, mulligan.PostIteration, hook("post", true), hook("silent", false))
	hooked(p, mulligan.SessionEnd, hook("end", true))
	o := w.run(t, t.Context(), p)
	if o.Ended != mulligan.Verified || len(o.Undelivered) > 0 {
		t.Errorf("the outcome is %+v", o)
	}
	equal(t, "prompts", w.prompts(), []string{"start|pre\n\ndo one", "post|pre\n\nfeedback: evidence 1", "over, verified: post"})
	equal(t, "hooks", w.ran(), []string{
		"session_start start", "pre_iteration pre", "post_iteration post", "post_iteration silent",
		"pre_iteration pre", "post_iteration post", "post_iteration silent", "session_end end",
	})
	if w.examined != 3 {
		t.Errorf("the check ran %d times, and once more after the delivery would be 3", w.examined)
	}
}

// TestNothingPending (H6): no delivery without something to deliver.
func TestNothingPending(t *testing.T) {
	w := newWorld(mulligan.Pass)
	w.run(t, t.Context(), hooked(planOf(0, "one"), mulligan.SessionEnd, hook("end", false)))
	if len(w.turns) != 1 || w.examined != 1 || len(w.ran()) != 1 {
		t.Errorf("%d turns, %d examinations, hooks %q", len(w.turns), w.examined, w.ran())
	}
}

// TestDeliveryFails (H6): a verified session is put back to what was verified.
func TestDeliveryFails(t *testing.T) {
	w := newWorld(mulligan.Pass, mulligan.Fail)
	o := w.run(t, t.Context(), hooked(planOf(0, "one"), mulligan.PostIteration, hook("post", true)))
	if o.Ended != mulligan.Verified || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "put back") {
		t.Errorf("the outcome is %+v", o)
	}
	if len(w.restored) != 1 || w.restored[0].ID != "tree-1" || len(w.commits) != 1 {
		t.Errorf("restored %v, commits %v", w.restored, w.commits)
	}
}

// TestWhen (H1): hooks that are for a failure, for a success.
func TestWhen(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	bad, good := hook("bad", false), hook("good", false)
	bad.When, good.When = mulligan.OnFailure, mulligan.OnSuccess
	p := hooked(planOf(1, "one"), mulligan.PostIteration, bad, good)
	w.run(t, t.Context(), hooked(p, mulligan.SessionEnd, bad, good))
	equal(t, "hooks", w.ran(), []string{"post_iteration bad", "post_iteration good", "session_end good"})
}

// TestDeliverNow (H1): one more turn in the same conversation, the checks again, once.
func TestDeliverNow(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	now := hook("lint", true)
	now.Now = true
	o := w.run(t, t.Context(), hooked(planOf(0, "one"), mulligan.PostIteration, now))
	if o.Ended != mulligan.Verified || w.examined != 2 {
		t.Errorf("%v after %d examinations", o.Ended, w.examined)
	}
	equal(t, "prompts", w.prompts(), []string{"do one", "now: lint"})
	if w.turns[1].Conversation != "talk" || w.turns[1].Iteration != 1 || w.turns[1].Purpose != mulligan.ForNow {
		t.Errorf("the second turn is %+v", w.turns[1])
	}
}

// TestOnError (H7): hooks, one recovery turn, a failed iteration that counts, and waits that grow.
func TestOnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		w.results = []mulligan.Result{{Ending: mulligan.Crashed, Reason: "exit status 1"}}
		began := time.Now()
		p := hooked(loopOf(5), mulligan.OnError, hook("doctor", true))
		hooked(p, mulligan.PostIteration, hook("post", true))
		o := w.run(t, t.Context(), p)
		if o.Ended != mulligan.AgentUnavailable || o.Iterations != 3 {
			t.Errorf("the outcome is %+v", o)
		}
		equal(t, "hooks", w.ran(), []string{"on_error doctor", "on_error doctor", "on_error doctor"})
		if len(w.turns) != 6 || w.turns[1].Prompt != "recover from exit status 1: doctor" || w.examined != 0 {
			t.Errorf("%d examinations, prompts %q", w.examined, w.prompts())
		}
		if w.hooks[0].Error != "crashed: exit status 1" || w.hooks[0].Iteration != 1 {
			t.Errorf("the hook was given %+v", w.hooks[0])
		}
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("waited %v between the failures, and 1 s and 2 s would be right", waited)
		}
	})
}

// TestPanic (H7): a fault of mulligan's own is a failed iteration, not the end of the night.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		w.onTurn = func(n int) {
			if n == 1 {
				panic("a bug")
			}
		}
		o := w.run(t, t.Context(), hooked(planOf(0, "one"), mulligan.OnError, hook("doctor", false)))
		if o.Ended != mulligan.Verified || len(w.ran()) != 1 || w.hooks[0].Error != "crashed: mulligan panicked: a bug" {
			t.Errorf("%v, hooks %+v", o.Ended, w.hooks)
		}
	})
}

// TestInterrupted (P10, H6): what is pending is delivered, session_end runs, and the resumed
// session redoes the attempt, without session_start, and ends with session_end.
func TestInterruptedDelivers(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	p := hooked(planOf(1, "one"), mulligan.PostIteration, hook("post", true))
	hooked(p, mulligan.SessionStart, hook("start", false))
	hooked(p, mulligan.SessionEnd, hook("end", false))
	ctx, cancel := context.WithCancelCause(t.Context())
	w.onHook = func(_ context.Context, c mulligan.HookCall) {
		if c.Moment == mulligan.PostIteration {
			cancel(nil)
		}
	}
	o := w.run(t, ctx, p)
	if o.Ended != mulligan.Interrupted {
		t.Fatalf("the outcome is %+v", o)
	}
	equal(t, "hooks", w.ran(), []string{"session_start start", "post_iteration post", "session_end end"})
	w.onHook = nil
	s := w.session()
	if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
		t.Fatalf("%v, %v", o.Ended, err)
	}
	equal(t, "prompts", w.prompts(), []string{"do one", "post\n\nfeedback: evidence 1", "over, verified: post"})
	equal(t, "hooks", w.ran()[3:], []string{"post_iteration post", "post_iteration post", "session_end end"})
}

// TestTaskHooks (H4): on_task_complete runs while the agent works, and is waited for before
// the next prompt.
func TestTaskHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Fail, mulligan.Pass)
		s := w.session()
		task := mulligan.TaskItem{ID: 1, Content: "it", Status: mulligan.Remaining}
		w.onTurn = func(n int) {
			if n != 1 {
				return
			}
			err := s.Do(context.Background(), func(*state.State) ([]mulligan.Body, error) {
				done := task
				done.Status = mulligan.Completed
				return []mulligan.Body{mulligan.TaskAdded{Task: task}, mulligan.TaskCompleted{Task: done}}, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		w.onHook = func(ctx context.Context, c mulligan.HookCall) {
			if c.Moment == mulligan.OnTaskComplete {
				time.Sleep(time.Minute) // longer than the turn and the check
			}
		}
		p := hooked(planOf(1, "one"), mulligan.OnTaskComplete, hook("first", true), hook("second", true))
		hooked(p, mulligan.PostIteration, hook("post", true))
		if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
			t.Fatal(err)
		}
		if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
			t.Fatalf("%v, %v", o.Ended, err)
		}
		if got := w.turns[1].Prompt; got != "post|first|second\n\nfeedback: evidence 1" {
			t.Errorf("the second prompt is %q", got)
		}
		i := slices.IndexFunc(w.hooks, func(c mulligan.HookCall) bool { return c.Moment == mulligan.OnTaskComplete })
		if i < 0 || w.hooks[i].Task.Content != "it" {
			t.Errorf("the hooks are %+v", w.hooks)
		}
	})
}

// TestLoop (L1, L3, L6): fresh conversations, a commit of every iteration, and an end only by
// a claim that the checks verify.
func TestLoop(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	s := w.session()
	w.onTurn = func(n int) {
		if n != 1 && n != 3 {
			return
		}
		claim := func(st *state.State) ([]mulligan.Body, error) {
			return []mulligan.Body{mulligan.Claimed{Turn: st.Turn}}, nil
		}
		if err := s.Do(context.Background(), claim); err != nil {
			t.Error(err)
		}
	}
	p := loopOf(9)
	p.Steps[0].Checks = append(p.Steps[0].Checks, mulligan.CheckSpec{Name: "e2e", Final: true})
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context())
	if err != nil || o.Ended != mulligan.Verified || o.Iterations != 3 {
		t.Fatalf("%+v, %v", o, err)
	}
	// The first claim's check failed; the second iteration passed without one; the third
	// claim had to pass both.
	if w.examined != 4 {
		t.Errorf("%d examinations", w.examined)
	}
	var checks []string
	for i, c := range w.commits {
		_, after, _ := strings.Cut(c.Message, "Mulligan-Checks: ")
		first, _, _ := strings.Cut(after, "\n")
		checks = append(checks, first)
		if w.turns[i].Conversation != "" {
			t.Errorf("iteration %d goes on with a conversation", i+1)
		}
	}
	equal(t, "checks of the commits", checks, []string{"failed", "passed", "passed"})
}

// TestLoopLimit (L3): without a verified claim the iterations end it.
func TestLoopLimit(t *testing.T) {
	w := newWorld(mulligan.Pass)
	o := w.run(t, t.Context(), loopOf(3))
	if o.Ended != mulligan.LimitReached || len(w.turns) != 3 {
		t.Errorf("%+v after %d turns", o, len(w.turns))
	}
}

// TestPause (L4): after the running turn's gates; resumed, it goes on.
func TestPause(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	s := w.session()
	w.onTurn = func(int) {
		s.Do(context.Background(), func(*state.State) ([]mulligan.Body, error) {
			return []mulligan.Body{mulligan.PauseAsked{By: "test"}, mulligan.Told{Text: "hurry"}}, nil
		})
	}
	if err := s.Start(id, hooked(planOf(1, "one"), mulligan.SessionEnd, hook("end", false)), mulligan.Place{Dir: "/workspace"}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context())
	if err != nil || o.Ended != mulligan.Waiting || w.examined != 1 || len(w.ran()) != 0 {
		t.Fatalf("%+v, %v, hooks %q", o, err, w.ran())
	}
	w.onTurn = nil
	s = w.session()
	if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
		t.Fatalf("%v, %v", o.Ended, err)
	}
	equal(t, "prompts", w.prompts(), []string{"do one", "hurry\n\nfeedback: evidence 1"})
}

// TestAsk (J6): who is waited for, how long, and what is taken then.
func TestAsk(t *testing.T) {
	tests := map[string]struct {
		people   mulligan.People
		attended bool
		answerAt time.Duration
		want     string
		by       string
		waited   time.Duration
		ended    mulligan.Ended
	}{
		"nobody":          {want: loop.Nobody, by: mulligan.ByDefault},
		"nobody in time":  {people: mulligan.People{AskTimeout: time.Minute}, attended: true, want: loop.Nobody, by: mulligan.ByDefault, waited: time.Minute},
		"somebody":        {people: mulligan.People{AskTimeout: time.Minute}, attended: true, answerAt: time.Second, want: "blue", by: mulligan.ByPerson, waited: time.Second},
		"for ever":        {people: mulligan.People{Ask: true}, answerAt: 24 * time.Hour, want: "blue", by: mulligan.ByPerson, waited: 24 * time.Hour},
		"nobody, so stop": {people: mulligan.People{OnQuestion: "stop"}, ended: mulligan.Waiting},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				s := w.session()
				s.Attended = func() bool { return test.attended }
				w.onTurn = func(int) {
					if test.answerAt > 0 {
						go func() {
							time.Sleep(test.answerAt)
							s.Do(context.Background(), func(st *state.State) ([]mulligan.Body, error) {
								a, err := st.AnswerTo(0, "blue", time.Now())
								return []mulligan.Body{a}, err
							})
						}()
					}
					q, err := s.Ask(context.Background(), mulligan.Question{Text: "which colour?", Asker: "agent"})
					if test.ended != "" {
						if !errors.Is(err, mulligan.ErrOver) {
							t.Errorf("the asker got %v", err)
						}
						return
					}
					if err != nil || q.Answer != test.want || q.By != test.by || q.Waited != test.waited {
						t.Errorf("%+v, %v", q, err)
					}
				}
				p := planOf(0, "one")
				p.People = test.people
				if err := s.Start(id, p, mulligan.Place{Dir: "/workspace"}); err != nil {
					t.Fatal(err)
				}
				o, err := s.Run(t.Context())
				want := mulligan.Verified
				if test.ended != "" {
					want = test.ended
				}
				if err != nil || o.Ended != want || len(o.Questions) != 1 || o.Worked != 0 {
					t.Errorf("%+v, %v", o, err)
				}
			})
		})
	}
}

// TestTellIsDelivered (L4): also where no further attempt comes.
func TestTellIsDelivered(t *testing.T) {
	w := newWorld(mulligan.Pass)
	s := w.session()
	w.onTurn = func(n int) {
		if n == 1 {
			s.Do(context.Background(), func(*state.State) ([]mulligan.Body, error) {
				return []mulligan.Body{mulligan.Told{Text: "mind the docs"}}, nil
			})
		}
	}
	if err := s.Start(id, planOf(0, "one"), mulligan.Place{Dir: "/workspace"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "prompts", w.prompts(), []string{"do one", "over, verified: mind the docs"})
}

// TestFoldIsTheState: what a session came to is what its journal tells.
func TestFoldIsTheState(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass, mulligan.Fail)
	p := hooked(loopOf(3), mulligan.PostIteration, hook("post", true))
	hooked(p, mulligan.PreIteration, hook("pre", true))
	s := w.session()
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	told, errTold := json.Marshal(w.state(t))
	is, errIs := json.Marshal(s.State())
	if errTold != nil || errIs != nil || string(told) != string(is) {
		t.Errorf("the journal tells (%v)\n%s\nthe session is (%v)\n%s", errTold, told, errIs, is)
	}
}
