package loop_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/loop"
	"mulligan/state"
)

// cheap is what every turn of these tests costs.
var cheap = mulligan.Usage{InputTokens: 30, OutputTokens: 20, CostUSD: 0.5}

// TestStepLimits (A6): a step's limits count its own turns, all attempts together, and end the
// session between turns; the gates of the last turn are heard.
func TestStepLimits(t *testing.T) {
	for name, test := range map[string]struct {
		limits  mulligan.Budget
		session mulligan.Limits
		usage   mulligan.Usage
		turns   int // of step two, whose limits they are
		ended   mulligan.Ended
		limit   string
		of      string
		reason  string
	}{
		"turns":     {mulligan.Budget{Turns: 2}, mulligan.Limits{}, cheap, 2, mulligan.LimitReached, "turns", "two", `step "two": its limit of 2 turns is reached`},
		"one":       {mulligan.Budget{Turns: 1}, mulligan.Limits{}, cheap, 1, mulligan.LimitReached, "turns", "two", `step "two": its limit of 1 turn is reached`},
		"tokens":    {mulligan.Budget{Tokens: 120}, mulligan.Limits{}, cheap, 3, mulligan.LimitReached, "tokens", "two", `step "two": its limit of 120 tokens is reached: 150 were used`},
		"cost":      {mulligan.Budget{CostUSD: 0.75}, mulligan.Limits{}, cheap, 2, mulligan.LimitReached, "cost_usd", "two", `step "two": its limit of $0.75 is reached: $1.00 were spent`},
		"estimated": {mulligan.Budget{CostUSD: 0.75}, mulligan.Limits{}, mulligan.Usage{CostUSD: 0.5, Estimated: true}, 5, mulligan.GaveUp, "", "", `step "two" failed after 4 retries`},
		"none":      {mulligan.Budget{}, mulligan.Limits{}, cheap, 5, mulligan.GaveUp, "", "", `step "two" failed after 4 retries`},
		"session":   {mulligan.Budget{Turns: 4}, mulligan.Limits{Turns: 4}, cheap, 3, mulligan.LimitReached, "turns", "", "the limit of 4 turns is reached"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(mulligan.Pass, mulligan.Fail)
			w.results = []mulligan.Result{{Ending: mulligan.Finished, Usage: test.usage}}
			p := planOf(4, "one", "two")
			p.Limits, p.Steps[1].Limits = test.session, test.limits
			o := w.run(t, t.Context(), p)
			if o.Ended != test.ended || o.Limit != test.limit || o.LimitOf != test.of || o.Reason != test.reason || len(w.turns) != 1+test.turns {
				t.Errorf("%+v after %d turns", o, len(w.turns))
			}
			if o.Step != "two" || o.Evidence == nil || o.Steps[0].Turns != 1 || o.Steps[1].Turns != test.turns || o.Steps[1].Usage.InputTokens != int64(test.turns)*test.usage.InputTokens {
				t.Errorf("the outcome is %+v", o)
			}
		})
	}
	w := newWorld(mulligan.Pass)
	w.results = []mulligan.Result{{Ending: mulligan.Finished, Usage: cheap}}
	p := planOf(0, "one", "two")
	p.Steps[0].Limits, p.Steps[1].Limits = mulligan.Budget{Turns: 1, CostUSD: 0.1}, mulligan.Budget{Tokens: 1}
	if o := w.run(t, t.Context(), p); o.Ended != mulligan.Verified {
		t.Errorf("work that passed at the limit is %s: %s", o.Ended, o.Reason)
	}
}

// TestBudgetWithin (A6): an agent that can hold to it is told the lesser of what the session and
// the step have left.
func TestBudgetWithin(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass, mulligan.Fail)
	w.results = []mulligan.Result{{Ending: mulligan.Finished, Usage: cheap}}
	p := planOf(3, "one", "two", "three")
	p.Limits.CostUSD = 2.25
	p.Steps[0].Limits.CostUSD = 1.25
	p.Steps[1].Limits.CostUSD = 9
	p.Steps[2].Limits.CostUSD = 9
	o := w.run(t, t.Context(), p)
	if o.Limit != "cost_usd" || o.LimitOf != "" {
		t.Errorf("%+v", o)
	}
	var told []string
	for _, turn := range w.turns {
		told = append(told, fmt.Sprintf("%s %.2f", turn.Step, turn.BudgetUSD))
	}
	equal(t, "budgets", told, []string{"one 1.25", "one 0.75", "two 1.25", "two 0.75", "two 0.25"})
}

// TestStepLimitsCountAnew (A6, P9): `run` again begins anew, as the session's limits do; what was
// spent before is in the outcome. A resumed session goes on counting.
func TestStepLimitsCountAnew(t *testing.T) {
	w := newWorld(mulligan.Fail)
	w.results = []mulligan.Result{{Ending: mulligan.Finished, Usage: cheap}}
	p := planOf(9, "one")
	p.Steps[0].Limits = mulligan.Budget{Turns: 2}
	if o := w.run(t, t.Context(), p); o.Limit != "turns" || len(w.turns) != 2 {
		t.Fatalf("%+v after %d turns", o, len(w.turns))
	}
	for _, test := range []struct {
		how   mulligan.SessionResumed
		turns int
	}{{mulligan.SessionResumed{}, 2}, {mulligan.SessionResumed{Again: true}, 4}, {mulligan.SessionResumed{}, 4}} {
		s := w.session()
		if err := s.Resume(w.state(t), test.how); err != nil {
			t.Fatal(err)
		}
		o, err := s.Run(t.Context())
		if err != nil || o.Limit != "turns" || o.LimitOf != "one" || len(w.turns) != test.turns || o.Steps[0].Turns != test.turns {
			t.Errorf("%+v, %v after %d turns", o, err, len(w.turns))
		}
	}
}

// TestStepLimitsKilledAnywhere (J2): the counters of a step are those of the journal, wherever
// the process ends; a turn that is given again is the same turn.
func TestStepLimitsKilledAnywhere(t *testing.T) {
	plan := func() *mulligan.Plan {
		p := stopping(planOf(9, "one", "two"), 1)
		p.Steps[0].Limits, p.Steps[1].Limits = mulligan.Budget{Turns: 3, Tokens: 10_000}, mulligan.Budget{Turns: 6}
		return p
	}
	play := func(w *world) *loop.Session {
		s := w.session()
		s.AgentHooks = judges{}
		s.Gates = func(mulligan.Step) ([]mulligan.Gate, error) {
			return []mulligan.Gate{gateFunc(func(work mulligan.Work) mulligan.Status {
				if work.Step == "two" {
					return mulligan.Fail
				}
				return mulligan.Pass
			})}, nil
		}
		w.results = []mulligan.Result{{Ending: mulligan.Finished, Conversation: "talk", Usage: cheap}}
		return s
	}
	want := newWorld()
	s := play(want)
	if err := s.Start(id, plan(), mulligan.Place{Base: "base"}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Run(t.Context()); err != nil || o.LimitOf != "two" || o.Steps[0].Turns != 1 || o.Steps[0].Judged != 1 || o.Steps[1].Turns != 3 || o.Steps[1].Judged != 3 {
		t.Fatalf("%+v, %v", o, err)
	}
	for points := 1; ; points++ {
		w := newWorld()
		truth := w.journal
		w.journal = &killed{truth, points}
		s := play(w)
		err := s.Start(id, plan(), mulligan.Place{Base: "base"})
		if err == nil {
			err = s.Announce(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Run(t.Context()); err == nil {
			if points < 8 {
				t.Fatalf("only %d appends", points)
			}
			return
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		w.journal = truth
		s = play(w)
		if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, should := w.state(t), want.state(t)
		for i := range got.Steps {
			if !reflect.DeepEqual(got.Steps[i].Spent, should.Steps[i].Spent) {
				t.Errorf("killed at append %d: step %d spent %+v, want %+v", points, i, got.Steps[i].Spent, should.Steps[i].Spent)
			}
		}
		if got.Outcome.Reason != should.Outcome.Reason || !reflect.DeepEqual(got.Spent, should.Spent) {
			t.Errorf("killed at append %d: %s after %+v, want %s after %+v", points, got.Outcome.Reason, got.Spent, should.Outcome.Reason, should.Spent)
		}
	}
}

// judges plays hooks of type prompt: each run is a turn of an agent. Those of Stop allow unless
// there is something else to say.
type judges struct{ stop []mulligan.AgentHookReply }

func (j judges) Run(_ context.Context, c mulligan.AgentHookCall) mulligan.AgentHookReply {
	reply := mulligan.AgentHookReply{Decision: mulligan.Allow}
	if c.Event == mulligan.EventStop && len(j.stop) > 0 {
		reply = j.stop[min(c.Retry, len(j.stop)-1)]
	}
	used := cheap
	reply.Runs = []mulligan.AgentHookRun{{Name: "tests.sh", Decision: reply.Decision, OK: reply.Decision == mulligan.Allow, Judge: &used}}
	return reply
}

// TestJudgesAreCounted (A6): in turns, tokens and cost alike, and in no attempt's number.
func TestJudgesAreCounted(t *testing.T) {
	for name, test := range map[string]struct {
		session mulligan.Limits
		step    mulligan.Budget
		stop    []mulligan.AgentHookReply
		turns   int
		reason  string
	}{
		"turns":         {session: mulligan.Limits{Turns: 4}, turns: 2, reason: "the limit of 4 turns is reached: 2 turns, and 2 turns of judges"},
		"an odd number": {session: mulligan.Limits{Turns: 3}, turns: 2, reason: "the limit of 3 turns is reached: 2 turns, and 2 turns of judges"},
		"tokens":        {session: mulligan.Limits{Tokens: 200}, turns: 2, reason: "the limit of 200 tokens is reached: 200 were used"},
		"cost":          {session: mulligan.Limits{CostUSD: 2}, turns: 2, reason: "the limit of $2.00 is reached: $2.00 were spent"},
		"of a step":     {step: mulligan.Budget{Turns: 2}, turns: 1, reason: `step "one": its limit of 2 turns is reached: 1 turn, and 1 turn of judges`},
		"cost of one":   {step: mulligan.Budget{CostUSD: 1}, turns: 1, reason: `step "one": its limit of $1.00 is reached: $1.00 were spent`},
		"sent back":     {step: mulligan.Budget{Turns: 4}, stop: []mulligan.AgentHookReply{block("no")}, turns: 2, reason: `step "one": its limit of 4 turns is reached: 2 turns, and 2 turns of judges`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(mulligan.Fail)
			w.results = []mulligan.Result{{Ending: mulligan.Finished, Conversation: "talk", Usage: cheap}}
			p := stopping(planOf(9, "one"), 5)
			p.Limits, p.Steps[0].Limits = test.session, test.step
			o := w.stopped(t, p, judges{test.stop})
			if o.Ended != mulligan.LimitReached || o.Reason != test.reason || len(w.turns) != test.turns || o.Turns != test.turns || o.Judged != test.turns {
				t.Errorf("%+v after %d turns", o, len(w.turns))
			}
			if o.Usage.InputTokens != int64(2*test.turns)*cheap.InputTokens || o.Steps[0].Judged != o.Judged {
				t.Errorf("%+v", o)
			}
			for i, turn := range w.turns {
				if turn.Number != i+1 {
					t.Errorf("turn %d is called %d", i+1, turn.Number)
				}
			}
		})
	}
}

// TestJudgesBeforeTheTurn: what judges of UserPromptSubmit spend counts before the turn that they
// were asked about; those of SessionStart count for no step; the final delivery runs even then.
func TestJudgesBeforeTheTurn(t *testing.T) {
	p := stopping(planOf(9, "one"), 5, mulligan.EventSessionStart, mulligan.EventPrompt)
	p.Steps[0].Limits.Turns = 1
	w := newWorld(mulligan.Fail)
	if o := w.stopped(t, p, judges{}); o.Reason != `step "one": its limit of 1 turn is reached: 0 turns, and 1 turn of judges` || len(w.turns) != 0 || o.Judged != 2 || o.Steps[0].Judged != 1 {
		t.Errorf("%+v after %d turns", o, len(w.turns))
	}
	p = hooked(stopping(planOf(9, "one"), 5, mulligan.EventPrompt), mulligan.SessionStart, hook("post", true))
	p.Steps[0].Limits.Turns = 1
	w = newWorld(mulligan.Fail)
	o := w.stopped(t, p, judges{})
	equal(t, "prompts", w.prompts(), []string{"over, limit: post"})
	if o.Limit != "turns" || o.Turns != 1 || o.Steps[0].Turns != 0 || o.Judged != 3 || o.Steps[0].Judged != 1 {
		t.Errorf("%+v", o)
	}
	p.Steps[0].Limits = mulligan.Budget{CostUSD: 0.5}
	w = newWorld(mulligan.Fail)
	if o := w.stopped(t, p, judges{}); o.Limit != "cost_usd" || o.LimitOf != "one" || len(w.turns) != 0 || len(o.Undelivered) != 1 {
		t.Errorf("a delivery after a step's money is spent: %+v, %q", o, w.prompts())
	}
}

// TestDeliveryAtTheLimit (H6): it runs even where judges have spent the session's last turn.
func TestDeliveryAtTheLimit(t *testing.T) {
	p := hooked(stopping(planOf(9, "one"), 5, mulligan.EventPrompt), mulligan.SessionStart, hook("post", true))
	p.Limits.Turns = 1
	w := newWorld(mulligan.Fail)
	o := w.stopped(t, p, judges{})
	equal(t, "prompts", w.prompts(), []string{"over, limit: post"})
	if o.Limit != "turns" || o.LimitOf != "" || len(o.Undelivered) != 0 {
		t.Errorf("%+v", o)
	}
}

// TestAgentHooksTakeTime (A6): what runs side by side counts once, as long as the longest; what
// happens inside the agent is part of its turn.
func TestAgentHooksTakeTime(t *testing.T) {
	w := newWorld(mulligan.Fail)
	slow := allow
	slow.Runs = []mulligan.AgentHookRun{{Name: "a", Decision: mulligan.Allow, Duration: 2 * time.Hour}, {Name: "b", Decision: mulligan.Allow, Duration: time.Hour}}
	p := stopping(planOf(9, "one"), 5)
	p.Limits.Duration = 3 * time.Hour
	o := w.stopped(t, p, &stopHooks{replies: []mulligan.AgentHookReply{slow}})
	if o.Limit != "duration" || len(w.turns) != 2 || o.Worked < 4*time.Hour || o.Worked >= 5*time.Hour {
		t.Errorf("%+v after %d turns", o, len(w.turns))
	}
}

// TestJudgesAreToldWhatIsLeft: as agents are.
func TestJudgesAreToldWhatIsLeft(t *testing.T) {
	w := newWorld(mulligan.Pass)
	w.results = []mulligan.Result{{Ending: mulligan.Finished, Usage: cheap}}
	h := &stopHooks{replies: []mulligan.AgentHookReply{allow}}
	p := stopping(planOf(0, "one"), 5)
	p.Steps[0].Limits.CostUSD = 0.75
	w.stopped(t, p, h)
	if got := h.calls[0].BudgetUSD; math.Abs(got-0.25) > 1e-9 {
		t.Errorf("the judge may spend %v", got)
	}
}

// TestHookJudgeInside: judges of hooks inside the agent count for the turn's step.
func TestHookJudgeInside(t *testing.T) {
	w := newWorld(mulligan.Fail)
	p := planOf(9, "one")
	p.Steps[0].Limits.Turns = 2
	s := w.session()
	w.onTurn = func(int) {
		used := cheap
		err := s.Do(context.Background(), func(*state.State) ([]mulligan.Body, error) {
			return []mulligan.Body{mulligan.AgentHookEnded{
				Event: "PreToolUse", Try: 1, Inside: true,
				Reply: mulligan.AgentHookReply{Decision: mulligan.Allow, Runs: []mulligan.AgentHookRun{{Name: "j", Decision: mulligan.Allow, Judge: &used}}},
			}}, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context())
	if err != nil || !strings.HasSuffix(o.Reason, "is reached: 1 turn, and 1 turn of judges") || len(w.turns) != 1 {
		t.Errorf("%+v, %v after %d turns", o, err, len(w.turns))
	}
}

// TestChecksShareTheStepsTime: all checks of a step together have what is left of its timeout. One that
// the time ends is a limit that was reached, whatever retries are left.
func TestChecksShareTheStepsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		p := planOf(3, "one")
		p.Steps[0].Timeout = 10 * time.Minute
		p.Steps[0].Checks = []mulligan.CheckSpec{{Name: "first"}, {Name: "second"}}
		s := w.session()
		s.Gates = func(step mulligan.Step) ([]mulligan.Gate, error) {
			return []mulligan.Gate{slowGate{w, true}, slowGate{w, true}}, nil // six minutes each
		}
		if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		o, err := s.Run(t.Context())
		if err != nil || o.Ended != mulligan.LimitReached || o.Limit != "timeout" || o.LimitOf != "one" {
			t.Errorf("%+v, %v", o, err)
		}
		if took := time.Since(began); took != 10*time.Minute {
			t.Errorf("the step took %v", took)
		}
		if o.Evidence == nil || o.Evidence.Gate != "second" || !o.Evidence.OutOfTime {
			t.Errorf("the evidence is %+v", o.Evidence)
		}
	})
}
