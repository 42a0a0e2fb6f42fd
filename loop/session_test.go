package loop_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/journal/memory"
	"mulligan/loop"
	"mulligan/state"
)

// A world is all that a session needs, played by the test.
type world struct {
	journal  mulligan.Journal
	results  []mulligan.Result // of turn 1, 2, …; the last repeats
	verdicts []mulligan.Status // of gate run 1, 2, …; the last repeats
	turns    []mulligan.Turn   // that the agent was given
	examined int               // gate runs
	commits  []mulligan.Commit // that were made
	restored []mulligan.Tree   // that the workspace was put back to
	tree     int               // the workspace's tree, one more with every finished turn
	onTurn   func(n int)       // called while turn n is under way
	mu       sync.Mutex
	hooks    []mulligan.HookCall // that were run
	onHook   func(context.Context, mulligan.HookCall)
	always   bool // a policy that always retries

	lacks     []mulligan.Lack // what the workspace has and no commit does
	laid      mulligan.Tree   // what the proof has
	warm      bool            // the proof also has files that git ignores
	madeAnew  int             // how often the proof was made anew
	delivered []string        // what the person's repository got at the end
}

func (w *world) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	w.turns = append(w.turns, t)
	w.tree++
	fmt.Fprintf(t.Log, "turn %d\n", t.Number)
	if w.onTurn != nil {
		w.onTurn(t.Number)
	}
	if ctx.Err() != nil {
		return mulligan.Result{Ending: mulligan.Cancelled}, nil
	}
	if len(w.results) == 0 {
		return mulligan.Result{Ending: mulligan.Finished, Conversation: "talk"}, nil
	}
	return w.results[min(len(w.turns), len(w.results))-1], nil
}

func (w *world) Examine(context.Context, mulligan.Work) mulligan.Verdict {
	w.examined++
	status := w.verdicts[min(w.examined, len(w.verdicts))-1]
	return mulligan.Verdict{Status: status, Gate: "tests", Summary: "as told", Finding: &mulligan.Finding{Command: "tests", Text: fmt.Sprintf("evidence %d", w.examined)}}
}

func (w *world) Dir() string { return "/workspace" }
func (w *world) Take(_ context.Context, _ string, look mulligan.Look) (mulligan.Tree, error) {
	tree := mulligan.Tree{ID: fmt.Sprintf("tree-%d", w.tree)}
	if look == mulligan.AtHead {
		tree.Head = "base"
	}
	return tree, nil
}

func (w *world) Read(ctx context.Context) (mulligan.Tree, error) {
	return w.Take(ctx, "", mulligan.AtFiles)
}

func (w *world) Lay(_ context.Context, to mulligan.Tree) error {
	w.restored = append(w.restored, to)
	return nil
}

func (w *world) PutBack(_ context.Context, to mulligan.Tree, _ []string) (mulligan.Tree, error) {
	return to, nil
}

func (w *world) Ready(context.Context) error                    { return nil }
func (w *world) Lacks(context.Context) ([]mulligan.Lack, error) { return w.lacks, nil }

// proof is the clone that the world's checks run in.
type proof struct{ *world }

func (p proof) Dir() string { return "/proof" }
func (p proof) Lay(_ context.Context, to mulligan.Tree) error {
	p.laid = to
	return nil
}

func (p proof) LayFresh(ctx context.Context, to mulligan.Tree) error {
	p.warm = false
	p.madeAnew++
	return p.Lay(ctx, to)
}

func (p proof) IsFresh(context.Context) (bool, error)       { return !p.warm, nil }
func (p proof) Read(context.Context) (mulligan.Tree, error) { return p.laid, nil }

func (w *world) Changes(context.Context, mulligan.Tree, mulligan.Tree) ([]mulligan.Change, error) {
	return nil, nil
}

func (w *world) Combine(_ context.Context, base, _ mulligan.Tree, _ []string) (mulligan.Tree, error) {
	return base, nil
}

func (w *world) Deliver(_ context.Context, label string, good bool) (mulligan.Handover, error) {
	w.delivered = append(w.delivered, fmt.Sprintf("%s, good: %v", label, good))
	return mulligan.Handover{Onto: "main", Merges: true}, nil
}

func (w *world) Commit(_ context.Context, c mulligan.Commit) (string, error) {
	w.commits = append(w.commits, c)
	return "commit-of-" + c.Tree.ID, nil
}

func (w *world) Recommend(c mulligan.RetryCase) mulligan.Recommendation {
	if w.always || len(c.Attempts) <= c.Step.Retry {
		return mulligan.Recommendation{Strategy: mulligan.StrategyRetry}
	}
	return mulligan.Recommendation{Strategy: mulligan.AbortRecommended}
}

func (w *world) Fingerprint(mulligan.AttemptState) string { return "" }

func (w *world) Feedback(_ mulligan.Step, last mulligan.AttemptState, _ *mulligan.AttemptState) string {
	if v := last.Last(); v != nil {
		return "feedback: " + v.Finding.Text
	}
	return "feedback: " + last.Reason
}
func (w *world) StepPrompt(st *state.State) string { return "do " + st.Plan.Steps[st.Step].Name }

// words makes the world's prompts.
type words struct{ *world }

func (w words) prompts() state.Prompts {
	return state.Prompts{
		Step: w.StepPrompt, Loop: w.LoopPrompt, Feedback: w.Feedback, Pieces: w.Piped,
		Now: w.Now, Recovery: w.Recovery, HookFeedback: w.HookFeedback, Delivery: w.Delivery,
	}
}

func (w words) LoopPrompt(st *state.State, changed []string) (string, error) {
	return fmt.Sprintf("iteration %d, changed %v", st.Iteration, changed), nil
}

func (w words) Piped(pieces []mulligan.Piece) string {
	var texts []string
	for _, p := range pieces {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "|")
}
func (w words) Now(pieces []mulligan.Piece) string { return "now: " + w.Piped(pieces) }
func (w words) Recovery(failure mulligan.Result, pieces []mulligan.Piece) string {
	return "recover from " + failure.Reason + ": " + w.Piped(pieces)
}

func (w words) HookFeedback(_ *state.State, r mulligan.AgentHookReply) string {
	return "[Hook feedback]: " + r.Reason
}

func (w words) Delivery(_ *state.State, o mulligan.Outcome, pieces []mulligan.Piece) string {
	return "over, " + string(o.Ended) + ": " + w.Piped(pieces)
}

func (w *world) Diff(ctx context.Context, from, to mulligan.Tree, limit int) (mulligan.Diff, error) {
	paths, all, err := w.Changed(ctx, from, to, limit)
	return mulligan.Diff{Paths: paths, All: all}, err
}

func (w *world) Changed(_ context.Context, from, to mulligan.Tree, _ int) ([]string, int, error) {
	if from == to {
		return nil, 0, nil
	}
	return []string{"M file"}, 1, nil
}

func (w *world) HookOutput(run int) (string, error) { return fmt.Sprintf("hook-%d", run), nil }

// Run plays a hook: its script is what it prints, "fail" in it fails.
func (w *world) Run(ctx context.Context, c mulligan.HookCall) mulligan.HookResult {
	w.mu.Lock()
	w.hooks = append(w.hooks, c)
	w.mu.Unlock()
	if w.onHook != nil {
		w.onHook(ctx, c)
	}
	r := mulligan.HookResult{OK: !strings.Contains(c.Hook.Script, "fail"), Exit: "exit status 0"}
	if c.Hook.Pipe {
		r.Text = c.Hook.Script
	}
	return r
}
func (w *world) TurnLog(turn int) string                  { return fmt.Sprintf("turn-%d", turn) }
func (w *world) Open(string) (io.WriteCloser, error)      { return nopCloser{io.Discard}, nil }
func (w *world) GateOutput(int, int, int) (string, error) { return "output", nil }
func (w *world) Live() io.Writer                          { return io.Discard }
func (w *world) Now() time.Time                           { return time.Now() }
func (w *world) Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (w *world) session() *loop.Session {
	return &loop.Session{
		Journal: w.journal, Workspace: w, Proof: proof{w}, Store: w, Policy: w, Prompts: words{w}.prompts(), Hooks: w, Records: w, Clock: w, PID: 1,
		Agent: func(string) (mulligan.Agent, error) { return w, nil },
		Gates: func(s mulligan.Step) ([]mulligan.Gate, error) {
			return slices.Repeat([]mulligan.Gate{w}, len(s.Checks)), nil
		},
	}
}

func newWorld(verdicts ...mulligan.Status) *world {
	return &world{journal: &memory.Journal{}, verdicts: verdicts}
}

func planOf(retry int, steps ...string) *mulligan.Plan {
	p := &mulligan.Plan{Pipeline: "default", Task: mulligan.Task{Path: "t.md", Text: "# The task"}, Git: mulligan.Git{Commit: true, Message: "mulligan({{step}}): {{summary}}"}, Limits: mulligan.Limits{FailedIterations: 3}}
	for _, name := range steps {
		p.Steps = append(p.Steps, mulligan.Step{Name: name, Agent: "a", Retry: retry, Checks: []mulligan.CheckSpec{{Name: "tests", Type: "shell"}}})
	}
	return p
}

const id = "20261115-214609-x7q2"

func (w *world) run(t *testing.T, ctx context.Context, p *mulligan.Plan) mulligan.Outcome {
	t.Helper()
	s := w.session()
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (w *world) state(t *testing.T) *state.State {
	t.Helper()
	var st state.State
	for e, err := range w.journal.Read(t.Context(), id, 1) {
		if err == nil {
			err = st.Apply(e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return &st
}

func TestRetryWithFeedback(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Fail, mulligan.Pass)
	o := w.run(t, t.Context(), planOf(2, "one"))
	if o.Ended != mulligan.Verified || len(w.turns) != 3 || w.examined != 3 {
		t.Fatalf("%s after %d turns and %d checks, want verified after 3 and 3", o.Ended, len(w.turns), w.examined)
	}
	for i, want := range []string{"do one", "feedback: evidence 1", "feedback: evidence 2"} {
		if got := w.turns[i].Prompt; got != want {
			t.Errorf("prompt %d is %q, want %q", i+1, got, want)
		}
	}
	if len(w.commits) != 1 || w.commits[0].Tree.ID != "tree-3" || w.commits[0].Parent != "base" {
		t.Errorf("commits: %+v, want one of tree-3 on base", w.commits)
	}
	if msg := w.commits[0].Message; !strings.HasPrefix(msg, "mulligan(one): The task\n\nMulligan-Session: "+id) || !strings.Contains(msg, "Mulligan-Attempt: 3\nMulligan-Verified-By: tests\n") {
		t.Errorf("message:\n%s", msg)
	}
}

func TestFreshAgentGetsThePromptAgain(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	w.results = []mulligan.Result{{Ending: mulligan.Finished}} // no conversation to continue
	w.run(t, t.Context(), planOf(1, "one"))
	if got, want := w.turns[1].Prompt, "do one\n\nfeedback: evidence 1"; got != want || w.turns[1].Conversation != "" {
		t.Errorf("second prompt %q in conversation %q, want %q in a fresh one", got, w.turns[1].Conversation, want)
	}
}

func TestLimitsBelongToTheLoop(t *testing.T) {
	w := newWorld(mulligan.Fail)
	w.always = true
	o := w.run(t, t.Context(), planOf(2, "one"))
	if o.Ended != mulligan.GaveUp || len(w.turns) != 3 || o.Reason != `step "one" failed after 2 retries` || len(w.commits) != 0 {
		t.Fatalf("%s (%s) after %d turns, %d commits", o.Ended, o.Reason, len(w.turns), len(w.commits))
	}
	w = newWorld(mulligan.Fail)
	p := planOf(10, "one")
	p.Limits.Turns = 2
	if o := w.run(t, t.Context(), p); o.Ended != mulligan.LimitReached || len(w.turns) != 2 || o.Evidence == nil {
		t.Fatalf("%s after %d turns, want limit after 2, with evidence", o.Ended, len(w.turns))
	}
}

func TestVerifiedAtTheLimitIsVerified(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	p := planOf(10, "one")
	p.Limits.Turns = 2
	if o := w.run(t, t.Context(), p); o.Ended != mulligan.Verified {
		t.Fatalf("%s, want verified: the last turn's gates passed", o.Ended)
	}
}

func TestBrokenGateIsRunOnceMore(t *testing.T) {
	w := newWorld(mulligan.Broken, mulligan.Pass)
	if o := w.run(t, t.Context(), planOf(0, "one")); o.Ended != mulligan.Verified || len(w.turns) != 1 {
		t.Fatalf("%s after %d turns", o.Ended, len(w.turns))
	}
	w = newWorld(mulligan.Broken)
	o := w.run(t, t.Context(), planOf(5, "one"))
	if o.Ended != mulligan.GateBroken || w.examined != 2 || len(w.turns) != 1 {
		t.Fatalf("%s after %d checks and %d turns, want gate_broken after 2 and 1", o.Ended, w.examined, len(w.turns))
	}
}

func TestAnAgentThatFailsUsesNoRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		w.results = []mulligan.Result{{Ending: mulligan.Crashed, Reason: "exit status 1"}, {Ending: mulligan.Finished}}
		began := time.Now()
		o := w.run(t, t.Context(), planOf(0, "one"))
		if o.Ended != mulligan.Verified || w.turns[1].Attempt != 1 || w.turns[1].Iteration != 2 || w.turns[1].Prompt != "do one" {
			t.Fatalf("%s; second turn %+v", o.Ended, w.turns[1])
		}
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("waited %s after the failure, want 1s", waited)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		w.results = []mulligan.Result{{Ending: mulligan.Crashed, Reason: "exit status 1"}}
		if o := w.run(t, t.Context(), planOf(5, "one")); o.Ended != mulligan.AgentUnavailable || len(w.turns) != 3 || w.examined != 0 {
			t.Fatalf("%s after %d turns, %d checks", o.Ended, len(w.turns), w.examined)
		}
	})
}

func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  mulligan.Result
		want   mulligan.Ended
		turns  int
		waited time.Duration
	}{
		{"refused is a failed attempt", mulligan.Result{Ending: mulligan.Refused}, mulligan.GaveUp, 1, 0},
		{"its own limit goes to the gates", mulligan.Result{Ending: mulligan.AtLimit}, mulligan.Verified, 1, 0},
		{"missing ends at once", mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Missing}, mulligan.AgentUnavailable, 1, 0},
		{"network is tried again", mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network}, mulligan.Verified, 2, time.Second},
		{"a rate limit is waited out", mulligan.Result{Ending: mulligan.RateLimited}, mulligan.Verified, 2, 30 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(mulligan.Pass)
				w.results = []mulligan.Result{c.first, {Ending: mulligan.Finished}}
				began := time.Now()
				if o := w.run(t, t.Context(), planOf(0, "one")); o.Ended != c.want || len(w.turns) != c.turns || time.Since(began) != c.waited {
					t.Fatalf("%s after %d turns and %s, want %s after %d and %s", o.Ended, len(w.turns), time.Since(began), c.want, c.turns, c.waited)
				}
			})
		})
	}
}

func TestRateLimitKeepsTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(mulligan.Pass)
		w.results = []mulligan.Result{{Ending: mulligan.RateLimited, Until: time.Now().Add(time.Hour)}, {Ending: mulligan.Finished}}
		p := planOf(0, "one")
		p.Limits.Duration = time.Minute
		o := w.run(t, t.Context(), p)
		if o.Ended != mulligan.Verified || w.turns[1].Number != 1 || w.turns[1].Iteration != 1 || len(w.restored) != 0 {
			t.Fatalf("%s; second turn %+v; restored %v", o.Ended, w.turns[1], w.restored)
		}
	})
}

func TestNoCheckIsAcceptedNotVerified(t *testing.T) {
	w := newWorld()
	p := planOf(0, "one")
	p.Steps[0].Checks = nil
	o := w.run(t, t.Context(), p)
	if o.Ended != mulligan.Accepted || o.Reason != `nothing checked "one"` || !strings.Contains(w.commits[0].Message, "Mulligan-Accepted:") {
		t.Fatalf("%+v\n%s", o, w.commits[0].Message)
	}
	if notes := w.state(t).Notes; len(notes) != 1 {
		t.Errorf("notes %q, want one said before the first turn", notes)
	}
}

func TestInterruptedTurnIsNotCounted(t *testing.T) {
	w := newWorld(mulligan.Fail, mulligan.Pass)
	ctx, cancel := context.WithCancelCause(t.Context())
	w.onTurn = func(n int) {
		if n == 2 {
			cancel(&loop.Interruption{By: "SIGINT"})
		}
	}
	o := w.run(t, ctx, planOf(1, "one"))
	if o.Ended != mulligan.Interrupted || o.ExitCode() != mulligan.ExitInterrupted {
		t.Fatalf("%+v", o)
	}
	w.onTurn = nil
	s := w.session()
	if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context())
	if err != nil || o.Ended != mulligan.Verified {
		t.Fatal(o, err)
	}
	again := w.turns[2]
	if again.Number != 2 || again.Attempt != 2 || again.Iteration != 2 || again.Prompt != "feedback: evidence 1" || again.Conversation != "talk" {
		t.Errorf("the turn given again: %+v", again)
	}
	if len(w.restored) != 1 || w.restored[0].ID != "tree-1" {
		t.Errorf("restored %v, want tree-1, which the interrupted turn found", w.restored)
	}
}

// errKilled plays a process that is gone: the journal takes nothing more from it.
var errKilled = errors.New("killed")

type killed struct {
	mulligan.Journal
	left int // appends until the end
}

func (k *killed) Append(ctx context.Context, session string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	if k.left--; k.left < 0 {
		return errKilled
	}
	return k.Journal.Append(ctx, session, after, events, s)
}

// TestKilledAnywhere ends the session before each of its appends in turn, resumes it, and
// wants the same end: the same commits on the same parents, every attempt counted once.
func TestKilledAnywhere(t *testing.T) {
	want := newWorld(mulligan.Fail, mulligan.Pass, mulligan.Pass)
	want.run(t, t.Context(), planOf(1, "one", "two"))
	for points := 1; ; points++ {
		w := newWorld()
		// The verdict depends on the attempt here, not on the count of runs: a check
		// in flight is run again.
		w.verdicts = nil
		truth := w.journal
		w.journal = &killed{truth, points}
		gate := func(s *loop.Session) {
			s.Gates = func(step mulligan.Step) ([]mulligan.Gate, error) {
				return []mulligan.Gate{gateFunc(func(work mulligan.Work) mulligan.Status {
					if work.Step == "one" && work.Attempt == 1 {
						return mulligan.Fail
					}
					return mulligan.Pass
				})}, nil
			}
		}
		s := w.session()
		gate(s)
		if err := s.Start(id, planOf(1, "one", "two"), mulligan.Place{Base: "base"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Announce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context()); err == nil {
			if points < 8 {
				t.Fatalf("only %d appends in a session of two steps and three attempts", points)
			}
			return
		} else if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		w.journal = truth
		s = w.session()
		gate(s)
		if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
			t.Fatalf("killed at append %d: %v", points, err)
		}
		if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
			t.Fatalf("killed at append %d: %v %v", points, o, err)
		}
		st := w.state(t)
		if st.Iteration != 3 || st.Turn != 3 || st.Steps[0].Used() != 2 || st.Steps[1].Used() != 1 {
			t.Errorf("killed at append %d: iteration %d, turn %d, attempts %d and %d", points, st.Iteration, st.Turn, st.Steps[0].Used(), st.Steps[1].Used())
		}
		seen := map[string]bool{}
		for _, c := range w.commits {
			seen[c.Message] = true
		}
		if len(seen) != 2 {
			t.Errorf("killed at append %d: %d different commits, want 2", points, len(seen))
		}
	}
}

// TestKilledWhileProving ends a session before each of its appends whose checks leave files behind, and wants of the resumed
// one that both checks have passed in a proof made anew, and that nothing else was run again.
func TestKilledWhileProving(t *testing.T) {
	for points := 1; ; points++ {
		w := newWorld()
		w.verdicts, w.warm = nil, true
		truth := w.journal
		w.journal = &killed{truth, points}
		var ran []string
		session := func() *loop.Session {
			s := w.session()
			s.Gates = func(step mulligan.Step) ([]mulligan.Gate, error) {
				return []mulligan.Gate{gateFunc(func(mulligan.Work) mulligan.Status {
					w.warm = true
					ran = append(ran, fmt.Sprintf("%s %d", step.Name, w.madeAnew))
					return mulligan.Pass
				})}, nil
			}
			return s
		}
		s := session()
		if err := s.Start(id, planOf(0, "one", "two"), mulligan.Place{Base: "base"}); err != nil {
			t.Fatal(err)
		}
		_, err := s.Run(t.Context())
		over := err == nil
		if !over {
			w.journal = truth
			s = session()
			if err := s.Resume(w.state(t), mulligan.SessionResumed{}); err != nil {
				t.Fatalf("killed at append %d: %v", points, err)
			}
			if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
				t.Fatalf("killed at append %d: %v %v", points, o, err)
			}
		}
		last := fmt.Sprint(w.madeAnew)
		if w.madeAnew == 0 || !slices.Contains(ran, "one "+last) || !slices.Contains(ran, "two "+last) {
			t.Errorf("killed at append %d: these checks ran, by how often the proof was made anew: %q", points, ran)
		}
		if most := 5; len(ran) > most || w.state(t).Turn != 2 {
			t.Errorf("killed at append %d: %d turns, and these checks: %q", points, w.state(t).Turn, ran)
		}
		if over {
			return
		}
	}
}

type gateFunc func(mulligan.Work) mulligan.Status

func (f gateFunc) Examine(_ context.Context, w mulligan.Work) mulligan.Verdict {
	return mulligan.Verdict{Status: f(w), Gate: "tests", Finding: &mulligan.Finding{Text: "no"}}
}

func TestGapIsSaid(t *testing.T) {
	w := newWorld(mulligan.Pass)
	w.run(t, t.Context(), planOf(0, "one"))
	var st state.State
	var gap *mulligan.GapError
	for e := range w.journal.Read(t.Context(), id, 1) {
		if e.Number == 3 {
			continue
		}
		if err := st.Apply(e); errors.As(err, &gap) {
			break
		}
	}
	if gap == nil || gap.Want != 3 || gap.Got != 4 {
		t.Fatalf("%v, want event 3 missing", gap)
	}
}

func TestRunAgainCountsAnew(t *testing.T) {
	w := newWorld(mulligan.Pass, mulligan.Fail, mulligan.Fail, mulligan.Fail, mulligan.Pass)
	if o := w.run(t, t.Context(), planOf(1, "one", "two")); o.Ended != mulligan.GaveUp || o.Step != "two" {
		t.Fatalf("%+v", o)
	}
	s := w.session()
	if err := s.Resume(w.state(t), mulligan.SessionResumed{Again: true, From: 1}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context())
	if err != nil || o.Ended != mulligan.Verified || len(w.turns) != 5 {
		t.Fatal(o, err, len(w.turns))
	}
	if last := w.turns[3]; last.Step != "two" || last.Attempt != 1 || last.Prompt != "do two\n\nfeedback: evidence 3" { // P9: with the last evidence
		t.Errorf("first turn of the second run: %+v", last)
	}
	if o.Steps[1].Attempts != 4 {
		t.Errorf("%d attempts in the outcome, want 4 over both runs", o.Steps[1].Attempts)
	}
}
