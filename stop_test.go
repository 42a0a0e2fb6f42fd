package mulligan_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
)

// stopHooks plays the Stop hooks: reply k is that of run k, the last repeats.
type stopHooks struct {
	replies []mulligan.AgentHookReply
	calls   []mulligan.AgentHookCall
}

func (h *stopHooks) Run(_ context.Context, c mulligan.AgentHookCall) mulligan.AgentHookReply {
	if c.Event != mulligan.EventStop {
		return mulligan.AgentHookReply{Decision: mulligan.Allow, Context: "context of " + c.Event}
	}
	h.calls = append(h.calls, c)
	return h.replies[min(len(h.calls), len(h.replies))-1]
}

func block(reason string) mulligan.AgentHookReply {
	return mulligan.AgentHookReply{
		Decision: mulligan.Block, Reason: reason, Feedback: reason,
		Runs: []mulligan.AgentHookRun{{Name: "tests.sh", Decision: mulligan.Block, Exit: "exit status 2"}},
	}
}

var allow = mulligan.AgentHookReply{Decision: mulligan.Allow}

func stopping(p *mulligan.Plan, most int, events ...string) *mulligan.Plan {
	p.AgentHooks = mulligan.AgentHooks{MaxRetries: most, OnLimit: mulligan.LimitFail}
	for _, event := range append(events, mulligan.EventStop) {
		p.AgentHooks.Hooks = append(p.AgentHooks.Hooks, mulligan.AgentHook{Event: event, Name: "tests.sh", Type: "command", Command: "tests.sh"})
	}
	return p
}

func (w *world) stopped(t *testing.T, p *mulligan.Plan, h mulligan.AgentHookRunner) mulligan.Outcome {
	t.Helper()
	s := w.session()
	s.AgentHooks = h
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestStopHookSendsBack (S4, S5): in the same conversation, before the checks, and only then
// do these run.
func TestStopHookSendsBack(t *testing.T) {
	w := newWorld(mulligan.Pass)
	h := &stopHooks{replies: []mulligan.AgentHookReply{block("3 fail"), block("1 fails"), allow}}
	o := w.stopped(t, stopping(planOf(0, "one"), 5), h)
	if o.Ended != mulligan.Verified || w.examined != 1 || len(h.calls) != 3 {
		t.Errorf("%+v, %d examinations, %d runs of the hook", o, w.examined, len(h.calls))
	}
	equal(t, "prompts", w.prompts(), []string{"do one", "[Hook feedback]: 3 fail", "[Hook feedback]: 1 fails"})
	for i, turn := range w.turns[1:] {
		if turn.Conversation != "talk" || turn.Attempt != 1 || turn.Purpose != mulligan.ForHook {
			t.Errorf("turn %d is %+v", i+2, turn)
		}
	}
	if h.calls[0].Retry != 0 || h.calls[2].Retry != 2 {
		t.Errorf("the hook was told of retries %d and %d", h.calls[0].Retry, h.calls[2].Retry)
	}
}

// TestHookLimit (S5, S6): N retries are N+1 turns and N+1 runs; then what the config says.
func TestHookLimit(t *testing.T) {
	tests := []struct {
		most, retry, turns int
		onLimit            string
		ended              mulligan.Ended
	}{
		{most: 3, turns: 4, onLimit: mulligan.LimitFail, ended: mulligan.GaveUp},
		{most: 0, turns: 1, onLimit: mulligan.LimitFail, ended: mulligan.GaveUp},
		{most: 2, turns: 3, onLimit: mulligan.LimitAccept, ended: mulligan.Accepted},
		{most: 2, turns: 3, onLimit: "ask", ended: mulligan.GaveUp},            // nobody is there
		{most: 1, retry: 1, turns: 4, onLimit: "fail", ended: mulligan.GaveUp}, // the counter is fresh
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%d %s", test.most, test.onLimit), func(t *testing.T) {
			w := newWorld(mulligan.Pass)
			h := &stopHooks{replies: []mulligan.AgentHookReply{block("never")}}
			p := stopping(planOf(test.retry, "one"), test.most)
			p.AgentHooks.OnLimit = test.onLimit
			o := w.stopped(t, p, h)
			if o.Ended != test.ended || len(w.turns) != test.turns || len(h.calls) != test.turns {
				t.Errorf("%+v after %d turns and %d runs of the hook", o, len(w.turns), len(h.calls))
			}
			warning := fmt.Sprintf("[Warning: Hook retry limit (%d) reached. Completing execution.]", test.most)
			if test.ended == mulligan.Accepted && (o.Reason != warning || len(o.Notes) != 1 || !strings.Contains(w.commits[0].Message, "Mulligan-Accepted: "+warning)) {
				t.Errorf("the warning is missing: %+v, commit %q", o, w.commits[0].Message)
			}
		})
	}
}

// TestHookLimitAsked (S6): a person's three answers.
func TestHookLimitAsked(t *testing.T) {
	for choice, want := range map[string]struct {
		ended mulligan.Ended
		turns int
	}{
		mulligan.LimitContinue: {mulligan.Verified, 4},
		mulligan.LimitAbort:    {mulligan.GaveUp, 2},
		mulligan.LimitIgnore:   {mulligan.Accepted, 2},
	} {
		t.Run(choice, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				h := &stopHooks{replies: []mulligan.AgentHookReply{block("a"), block("b"), block("c"), allow}}
				p := stopping(planOf(3, "one"), 1)
				p.AgentHooks.OnLimit, p.People.Ask = "ask", true
				s := w.session()
				s.AgentHooks = h
				if err := s.Start(id, p, mulligan.Place{Dir: "/workspace"}); err != nil {
					t.Fatal(err)
				}
				go func() {
					for answered := false; !answered; {
						time.Sleep(time.Minute)
						err := s.Do(context.Background(), func(st *mulligan.State) ([]mulligan.Body, error) {
							answer := choice
							if len(st.Questions) > 1 {
								answer = mulligan.LimitContinue
							}
							a, err := st.AnswerTo(0, answer, time.Now())
							return []mulligan.Body{a}, err
						})
						answered = err == mulligan.ErrOver
					}
				}()
				o, err := s.Run(t.Context())
				time.Sleep(2 * time.Minute) // the one who answers finds out
				if err != nil || o.Ended != want.ended || len(w.turns) != want.turns {
					t.Errorf("%+v, %v, after %d turns", o, err, len(w.turns))
				}
			})
		})
	}
}

// TestBrokenStopHook (S3): run once more, and then the session stops; it is not the agent's fault.
func TestBrokenStopHook(t *testing.T) {
	w := newWorld(mulligan.Pass)
	h := &stopHooks{replies: []mulligan.AgentHookReply{{Decision: mulligan.HookBroken, Reason: "not found"}}}
	o := w.stopped(t, stopping(planOf(3, "one"), 5), h)
	if o.Ended != mulligan.GateBroken || len(w.turns) != 1 || len(h.calls) != 2 || w.examined != 0 {
		t.Errorf("%+v after %d turns, %d runs", o, len(w.turns), len(h.calls))
	}
}

// TestHookSteers (S8): fewer retries, a wait, none at all; and continue: false.
func TestHookSteers(t *testing.T) {
	one, many := 1, 9
	for name, test := range map[string]struct {
		steer  mulligan.HookSteer
		turns  int
		waited time.Duration
	}{
		"lower":  {mulligan.HookSteer{Max: &one}, 2, 0},
		"higher": {mulligan.HookSteer{Max: &many}, 3, 0},
		"after":  {mulligan.HookSteer{After: time.Minute}, 3, 2 * time.Minute},
		"never":  {mulligan.HookSteer{Never: true}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				reply := block("no")
				reply.Retry = test.steer
				began := time.Now()
				o := w.stopped(t, stopping(planOf(0, "one"), 2), &stopHooks{replies: []mulligan.AgentHookReply{reply}})
				if o.Ended != mulligan.GaveUp || len(w.turns) != test.turns || time.Since(began) != test.waited {
					t.Errorf("%+v after %d turns and %v", o, len(w.turns), time.Since(began))
				}
			})
		})
	}
	w := newWorld(mulligan.Pass)
	halt := mulligan.AgentHookReply{Decision: mulligan.Halt, Reason: "enough"}
	o := w.stopped(t, stopping(planOf(3, "one"), 2), &stopHooks{replies: []mulligan.AgentHookReply{halt}})
	if o.Ended != mulligan.GaveUp || len(w.turns) != 1 || !strings.Contains(o.Reason, "enough") {
		t.Errorf("%+v after %d turns", o, len(w.turns))
	}
}

// TestOtherAgentHooks (S3): the start's context and the prompt's come before the prompt.
func TestOtherAgentHooks(t *testing.T) {
	w := newWorld(mulligan.Pass)
	h := &stopHooks{replies: []mulligan.AgentHookReply{allow}}
	w.stopped(t, stopping(planOf(0, "one"), 2, mulligan.EventSessionStart, mulligan.EventPrompt, mulligan.EventSessionEnd), h)
	equal(t, "prompts", w.prompts(), []string{"context of SessionStart\n\ncontext of UserPromptSubmit\n\ndo one"})
}

// TestHookThatDidNotTell (V8): a Stop hook that failed, or fails open, has verified nothing.
func TestHookThatDidNotTell(t *testing.T) {
	for _, ok := range []bool{true, false} {
		w := newWorld(mulligan.Pass)
		reply := allow
		reply.Runs = []mulligan.AgentHookRun{{Name: "tests.sh", Decision: mulligan.Allow, OK: ok}}
		o := w.stopped(t, stopping(planOf(0, "one"), 2), &stopHooks{replies: []mulligan.AgentHookReply{reply}})
		if o.Ended != mulligan.Verified || slices.Contains(o.Steps[0].By, "Stop hook tests.sh") != ok {
			t.Errorf("ok is %v: %s by %q", ok, o.Ended, o.Steps[0].By)
		}
	}
}

// TestHookContext (S3): what a hook says beside one that blocks comes before the feedback; what
// is said by hooks that are run once more is said once.
func TestHookContext(t *testing.T) {
	w := newWorld(mulligan.Pass)
	blocked, broken, well := block("no"), mulligan.AgentHookReply{Decision: mulligan.HookBroken, Reason: "lost", Context: "mind"}, allow
	blocked.Context, well.Context = "look", "mind"
	h := &stopHooks{replies: []mulligan.AgentHookReply{blocked, broken, well}}
	w.stopped(t, stopping(planOf(0, "one", "two"), 2), h)
	equal(t, "prompts", w.prompts(), []string{"do one", "look\n\n[Hook feedback]: no", "mind\n\ndo two"})
}

// TestHookCounterSurvives (S5, J2): killed in the middle of retry 2, the counter stands at 2.
func TestHookCounterSurvives(t *testing.T) {
	w := newWorld(mulligan.Pass)
	h := &stopHooks{replies: []mulligan.AgentHookReply{block("no")}}
	p := stopping(planOf(0, "one"), 3)
	s := w.session()
	s.AgentHooks = h
	ctx, cancel := context.WithCancel(t.Context())
	w.onTurn = func(n int) {
		if n == 3 {
			cancel()
		}
	}
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace"}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Run(ctx); err != nil || o.Ended != mulligan.Interrupted {
		t.Fatalf("%+v, %v", o, err)
	}
	w.onTurn = nil
	if st := w.state(t); st.StopHooks.Retry != 2 || st.InFlight.Purpose != mulligan.ForHook {
		t.Fatalf("the counter stands at %d", st.StopHooks.Retry)
	}
	s = w.session()
	s.AgentHooks = h
	if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.GaveUp || o.Turns != 4 || len(h.calls) != 4 {
		t.Fatalf("%+v, %v, %d runs of the hook", o, err, len(h.calls))
	}
}

// TestStopHooksOfTheDelivery (H6): the final delivery obeys them.
func TestStopHooksOfTheDelivery(t *testing.T) {
	w := newWorld(mulligan.Pass)
	h := &stopHooks{replies: []mulligan.AgentHookReply{allow, block("clean up"), allow}}
	p := hooked(stopping(planOf(0, "one"), 3), mulligan.PostIteration, hook("post", true))
	o := w.stopped(t, p, h)
	if o.Ended != mulligan.Verified || len(h.calls) != 3 || w.examined != 2 {
		t.Errorf("%+v, %d runs, %d examinations", o, len(h.calls), w.examined)
	}
	equal(t, "prompts", w.prompts(), []string{"do one", "over, verified: post", "[Hook feedback]: clean up"})
}
