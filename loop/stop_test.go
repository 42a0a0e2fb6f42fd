package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/state"
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
		check              mulligan.Status
		ended              mulligan.Ended
		examined, asked    int
	}{
		{most: 3, turns: 4, onLimit: mulligan.LimitFail, check: mulligan.Pass, ended: mulligan.GaveUp},
		{most: 0, turns: 1, onLimit: mulligan.LimitFail, check: mulligan.Pass, ended: mulligan.GaveUp},
		{most: 2, turns: 3, onLimit: mulligan.LimitAccept, check: mulligan.Pass, ended: mulligan.Accepted, examined: 1},
		{most: 1, turns: 2, onLimit: mulligan.LimitAccept, check: mulligan.Fail, ended: mulligan.GaveUp, examined: 1}, // what the hooks let pass, the checks do not
		{most: 2, turns: 3, onLimit: "ask", check: mulligan.Pass, ended: mulligan.GaveUp, asked: 1},                   // nobody is there
		{most: 1, retry: 1, turns: 4, onLimit: "fail", check: mulligan.Pass, ended: mulligan.GaveUp},                  // the counter is fresh
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%d %s, check %s", test.most, test.onLimit, test.check), func(t *testing.T) {
			w := newWorld(test.check)
			h := &stopHooks{replies: []mulligan.AgentHookReply{block("never")}}
			p := stopping(planOf(test.retry, "one"), test.most)
			p.AgentHooks.OnLimit = test.onLimit
			o := w.stopped(t, p, h)
			if o.Ended != test.ended || len(w.turns) != test.turns || len(h.calls) != test.turns {
				t.Errorf("%+v after %d turns and %d runs of the hook", o, len(w.turns), len(h.calls))
			}
			if w.examined != test.examined || len(o.Questions) != test.asked || (len(w.commits) > 0) != (test.ended == mulligan.Accepted) {
				t.Errorf("%d examinations, questions %v, %d commits", w.examined, o.Questions, len(w.commits))
			}
			warning := fmt.Sprintf("[Warning: Hook retry limit (%d) reached. Completing execution.]", test.most)
			if test.ended == mulligan.Accepted && (o.Reason != warning || len(o.Notes) != 1 || !strings.Contains(w.commits[0].Message, "Mulligan-Accepted: "+warning)) {
				t.Errorf("the warning is missing: %+v, commit %q", o, w.commits[0].Message)
			}
		})
	}
}

// TestHookLimitAsked (S6): a person's answers, of which the last repeats. What they add counts over a
// hook that wants fewer retries.
func TestHookLimitAsked(t *testing.T) {
	one := 1
	fewer := block("no")
	fewer.Retry.Max = &one
	thrice := []mulligan.AgentHookReply{block("a"), block("b"), block("c"), allow}
	for name, test := range map[string]struct {
		replies []mulligan.AgentHookReply
		most    int
		answers []string
		ended   mulligan.Ended
		turns   int
	}{
		"continue":        {thrice, 1, []string{mulligan.LimitContinue}, mulligan.Verified, 4},
		"abort":           {thrice, 1, []string{mulligan.LimitAbort}, mulligan.GaveUp, 2},
		"ignore":          {thrice, 1, []string{mulligan.LimitIgnore}, mulligan.Accepted, 2},
		"wants fewer":     {[]mulligan.AgentHookReply{fewer}, 2, []string{mulligan.LimitContinue, mulligan.LimitAbort}, mulligan.GaveUp, 4},
		"continue, abort": {[]mulligan.AgentHookReply{block("no")}, 2, []string{mulligan.LimitContinue, mulligan.LimitAbort}, mulligan.GaveUp, 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				h := &stopHooks{replies: test.replies}
				p := stopping(planOf(3, "one"), test.most)
				p.AgentHooks.OnLimit, p.People.Ask = "ask", true
				s := w.session()
				s.AgentHooks = h
				if err := s.Start(id, p, mulligan.Place{Dir: "/workspace"}); err != nil {
					t.Fatal(err)
				}
				go func() {
					for minute, answered := 0, false; !answered && minute < 20; minute++ {
						time.Sleep(time.Minute)
						err := s.Do(context.Background(), func(st *state.State) ([]mulligan.Body, error) {
							a, err := st.AnswerTo(0, test.answers[min(max(len(st.Questions), 1), len(test.answers))-1], time.Now())
							return []mulligan.Body{a}, err
						})
						answered = err == mulligan.ErrOver
					}
				}()
				o, err := s.Run(t.Context())
				time.Sleep(2 * time.Minute) // the one who answers finds out
				if err != nil || o.Ended != test.ended || len(w.turns) != test.turns {
					t.Errorf("%+v, %v, after %d turns", o, err, len(w.turns))
				}
				if want := "aborted by a person: a Stop hook blocked "; test.ended == mulligan.GaveUp && !strings.Contains(o.Reason, want) {
					t.Errorf("the reason is %q", o.Reason)
				}
			})
		})
	}
}

// TestWaivedStopHook (S6): a hook that was waived allows for the rest of the attempt, also in a turn
// after the checks; at the next attempt it counts again.
func TestWaivedStopHook(t *testing.T) {
	w := newWorld(mulligan.Pass)
	h := &stopHooks{replies: []mulligan.AgentHookReply{block("never")}}
	p := stopping(planOf(0, "one", "two"), 1)
	p.AgentHooks.OnLimit = mulligan.LimitAccept
	look := hook("look", true)
	look.Now = true
	o := w.stopped(t, hooked(p, mulligan.PostIteration, look), h)
	equal(t, "prompts", w.prompts(), []string{
		"do one", "[Hook feedback]: never", "now: look",
		"do two", "[Hook feedback]: never", "now: look",
	})
	if o.Ended != mulligan.Accepted || len(h.calls) != 4 {
		t.Errorf("%+v after %d runs of the hook", o, len(h.calls))
	}
}

// TestHookCounterBeginsAnew (S5): with every prompt that no hook caused: the next step's, and the final
// delivery's.
func TestHookCounterBeginsAnew(t *testing.T) {
	w := newWorld(mulligan.Pass)
	h := &stopHooks{replies: []mulligan.AgentHookReply{block("again"), allow, block("again"), allow, block("again"), allow}}
	last := hook("last", true)
	p := hooked(stopping(planOf(0, "one", "two"), 1), mulligan.PostIteration, last)
	o := w.stopped(t, p, h)
	var retries []int
	for _, c := range h.calls {
		retries = append(retries, c.Retry)
	}
	if o.Ended != mulligan.Verified || !slices.Equal(retries, []int{0, 1, 0, 1, 0, 1}) {
		t.Errorf("%+v, the hook was told of retries %v", o, retries)
	}
	turn := w.turns[len(w.turns)-1]
	if turn.Purpose != mulligan.ForHook || turn.Step != "two" || !strings.HasPrefix(w.turns[4].Prompt, "over, verified: ") {
		t.Errorf("the last turn is %+v, the prompts are %q", turn, w.prompts())
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

// TestHookSteers (S8): fewer retries, a wait, none at all; and continue: false. The config's own waits
// are longer each time, and the longer of two counts.
func TestHookSteers(t *testing.T) {
	one, many := 1, 9
	for name, test := range map[string]struct {
		steer   mulligan.HookSteer
		backoff time.Duration
		turns   int
		waited  time.Duration
	}{
		"lower":           {mulligan.HookSteer{Max: &one}, 0, 2, 0},
		"higher":          {mulligan.HookSteer{Max: &many}, 0, 3, 0},
		"after":           {mulligan.HookSteer{After: time.Minute}, 0, 3, 2 * time.Minute},
		"never":           {mulligan.HookSteer{Never: true}, time.Minute, 1, 0},
		"backoff":         {mulligan.HookSteer{}, time.Minute, 3, 3 * time.Minute},
		"backoff, longer": {mulligan.HookSteer{After: 90 * time.Second}, time.Minute, 3, 210 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				reply := block("no")
				reply.Retry = test.steer
				began := time.Now()
				p := stopping(planOf(0, "one"), 2)
				p.AgentHooks.Backoff = test.backoff
				o := w.stopped(t, p, &stopHooks{replies: []mulligan.AgentHookReply{reply}})
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
