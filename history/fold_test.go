package history

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"mulligan"
)

// A script writes the events of a session, one after the other, a second apart.
type script struct {
	fold Fold
	last int64
	turn int
	iter int
	t    *testing.T
}

var began = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

func newScript(t *testing.T, p *mulligan.Plan) *script {
	s := &script{t: t}
	s.say(mulligan.SessionStarted{Plan: p, Place: mulligan.Place{Root: "/src/app", Dir: "/src/app"}})
	return s
}

func (s *script) say(bodies ...mulligan.Body) {
	s.t.Helper()
	for _, b := range bodies {
		s.last++
		e := mulligan.Event{Session: "20261102-080000-abcd", Number: s.last, Time: began.Add(time.Duration(s.last) * time.Second), Body: b}
		if err := s.fold.Apply(e); err != nil {
			s.t.Fatal(err)
		}
	}
}

// start begins an attempt with a turn that leaves a tree.
func (s *script) start(step string, attempt int, strategy, tree string) {
	s.t.Helper()
	s.turn++
	s.iter++
	s.say(
		mulligan.AttemptStarted{Step: step, Attempt: attempt, Iteration: s.iter, Strategy: strategy},
		mulligan.TurnStarted{Turn: s.turn, Agent: "a"},
		mulligan.TurnEnded{Turn: s.turn, Duration: time.Minute, Tree: mulligan.Tree{ID: tree}, Result: mulligan.Result{
			Ending: mulligan.Finished, Usage: mulligan.Usage{InputTokens: 100, OutputTokens: 10, CostUSD: 0.5},
		}},
	)
}

func (s *script) gate(name string, status mulligan.Status) {
	s.t.Helper()
	s.say(mulligan.GateStarted{Gate: name, Try: 1}, mulligan.GateEnded{Try: 1, Verdict: mulligan.Verdict{Gate: name, Status: status, Duration: time.Second}})
}

// attempt takes an attempt to a verdict by the check "tests".
func (s *script) attempt(step string, attempt int, strategy, tree string, status mulligan.Status) {
	s.t.Helper()
	s.start(step, attempt, strategy, tree)
	s.gate("tests", status)
	ended := mulligan.AttemptEnded{Step: step, Attempt: attempt, Status: status, Counted: true}
	if status != mulligan.Pass {
		ended.Fingerprint = "fp-" + tree
	}
	s.say(ended)
}

func (s *script) decide(strategy, by string) {
	s.say(mulligan.Decided{Decision: mulligan.Decision{Retry: true, Strategy: strategy}, By: by})
}

func (s *script) end(ended mulligan.Ended) {
	s.say(mulligan.SessionEnding{Outcome: mulligan.Outcome{Ended: ended}}, mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: ended, Reason: "so\nit is"}})
}

func twoSteps() *mulligan.Plan {
	return &mulligan.Plan{Pipeline: "default", Task: mulligan.Task{Path: "T.md"}, Steps: []mulligan.Step{{Name: "plan"}, {Name: "make"}}}
}

func TestFoldPipeline(t *testing.T) {
	s := newScript(t, twoSteps())
	s.say(mulligan.StepStarted{Step: "plan"})
	s.attempt("plan", 1, "", "t1", mulligan.Pass)
	s.say(mulligan.StepVerified{Step: "plan", By: []string{"tests"}})
	s.say(mulligan.StepStarted{Step: "make", Index: 1})
	s.attempt("make", 1, "", "t2", mulligan.Fail)
	s.decide("retry", "policy")
	s.attempt("make", 2, "retry", "t3", mulligan.Fail)
	s.decide("fresh-start", "person")
	s.attempt("make", 3, "fresh-start", "t4", mulligan.Pass)
	s.say(mulligan.StepVerified{Step: "make", By: []string{"tests"}})
	s.end(mulligan.Verified)
	got := s.fold.Record()
	if got.Ended != mulligan.Verified || got.Reason != "so it is" || got.Events != s.last || !got.Finished.Equal(began.Add(time.Duration(s.last)*time.Second)) ||
		got.Iterations != 4 || got.Turns != 4 || got.Worked != 4*time.Minute+4*time.Second || got.BilledUSD != 2 || got.Usage.InputTokens != 400 ||
		got.Root != "/src/app" || got.Pipeline != "default" || got.Task != "T.md" || got.Line() != "default" || got.Attempts() != 4 {
		t.Errorf("%+v", got)
	}
	usage := func(n int64) mulligan.Usage {
		return mulligan.Usage{InputTokens: 100 * n, OutputTokens: 10 * n, CostUSD: 0.5 * float64(n)}
	}
	times := func(n int) Times {
		return Times{Agent: time.Duration(n) * time.Minute, Checks: time.Duration(n) * time.Second}
	}
	use := func(n int) []AgentUse { return []AgentUse{{Agent: "a", Turns: n, CostUSD: 0.5 * float64(n)}} }
	want := []Step{
		{Name: "plan", Status: StepVerified, Attempts: 1, Turns: 1, Worked: time.Minute + time.Second, Usage: usage(1), BilledUSD: 0.5, Time: times(1), Agents: use(1)},
		{
			Name: "make", Status: StepVerified, Attempts: 3, Turns: 3, Worked: 3*time.Minute + 3*time.Second, Usage: usage(3), BilledUSD: 1.5, Time: times(3), Agents: use(3),
			Retries: []Retry{
				{Attempt: 2, Strategy: "retry", By: "policy", Outcome: mulligan.Fail, Fingerprint: "fp-t3"},
				{Attempt: 3, Strategy: "fresh-start", By: "person", Outcome: mulligan.Pass},
			},
		},
	}
	if !reflect.DeepEqual(got.Steps, want) {
		t.Errorf("got  %+v\nwant %+v", got.Steps, want)
	}
	if used := got.Steps[1].Strategies(); !slices.Equal(used, []string{"retry", "fresh-start"}) {
		t.Errorf("strategies %q", used)
	}
	if c := got.Checks[0]; len(got.Checks) != 1 || c.Runs != 4 || c.Failed != 2 || c.Flips != 0 {
		t.Errorf("checks %+v", got.Checks)
	}
}

// TestFoldStatus: what becomes of steps by how the session ends.
func TestFoldStatus(t *testing.T) {
	tests := []struct {
		name string
		do   func(*script)
		want [2]StepStatus
	}{
		{"at once", func(*script) {}, [2]StepStatus{StepUnreached, StepUnreached}},
		{"open", func(s *script) { s.attempt("plan", 1, "", "t", mulligan.Fail) }, [2]StepStatus{StepOpen, StepUnreached}},
		{"failed", func(s *script) {
			s.attempt("plan", 1, "", "t", mulligan.Fail)
			s.say(mulligan.StepFailed{Step: "plan"})
		}, [2]StepStatus{StepFailed, StepUnreached}},
		{"accepted", func(s *script) {
			s.attempt("plan", 1, "", "t", mulligan.Pass)
			s.say(mulligan.StepVerified{Step: "plan", Accepted: true}, mulligan.StepStarted{Step: "make", Index: 1})
		}, [2]StepStatus{StepAccepted, StepOpen}},
		{"skipped", func(s *script) {
			s.attempt("plan", 1, "", "t", mulligan.Fail)
			s.say(mulligan.StepSkipped{Step: "plan"}, mulligan.StepStarted{Step: "make", Index: 1})
			s.attempt("make", 1, "", "u", mulligan.Pass)
			s.say(mulligan.StepVerified{Step: "make"})
		}, [2]StepStatus{StepSkipped, StepVerified}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newScript(t, twoSteps())
			if test.name != "at once" {
				s.say(mulligan.StepStarted{Step: "plan"})
			}
			test.do(s)
			s.end(mulligan.LimitReached)
			r := s.fold.Record()
			if got := [2]StepStatus{r.Steps[0].Status, r.Steps[1].Status}; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestFoldAgain: a session that is run again keeps what it took before; its status is the newest one.
func TestFoldAgain(t *testing.T) {
	s := newScript(t, twoSteps())
	s.say(mulligan.StepStarted{Step: "plan"})
	s.attempt("plan", 1, "", "t1", mulligan.Fail)
	s.decide("retry", "policy")
	s.attempt("plan", 2, "retry", "t2", mulligan.Fail)
	s.say(mulligan.StepFailed{Step: "plan"})
	s.end(mulligan.GaveUp)
	first := s.fold.Record()
	s.say(mulligan.SessionResumed{Again: true})
	if r := s.fold.Record(); r.Ended != "" || !r.Finished.IsZero() || r.Resumes != 1 {
		t.Errorf("a session that runs again has ended: %+v", r)
	}
	s.say(mulligan.StepStarted{Step: "plan"})
	s.attempt("plan", 1, "", "t3", mulligan.Fail)
	s.decide("incremental", "default")
	s.attempt("plan", 2, "incremental", "t4", mulligan.Pass)
	s.say(mulligan.StepVerified{Step: "plan"})
	s.end(mulligan.LimitReached)
	got := s.fold.Record()
	if got.Events <= first.Events || !got.Finished.After(first.Finished) || got.Ended != mulligan.LimitReached {
		t.Errorf("%+v", got)
	}
	step := got.Steps[0]
	if step.Status != StepVerified || step.Attempts != 4 || step.Worked != 4*time.Minute+4*time.Second || !slices.Equal(step.Strategies(), []string{"retry", "incremental"}) || step.Retries[1].By != "default" {
		t.Errorf("%+v", step)
	}
}

// TestFoldTakenAgain: an attempt that the agent failed is taken again, and is one attempt and one retry.
func TestFoldTakenAgain(t *testing.T) {
	s := newScript(t, twoSteps())
	s.say(mulligan.StepStarted{Step: "plan"})
	s.attempt("plan", 1, "", "t1", mulligan.Fail)
	s.decide("add-context", "policy")
	s.start("plan", 2, "add-context", "t2")
	s.say(mulligan.AttemptEnded{Step: "plan", Attempt: 2, Counted: false})
	s.attempt("plan", 2, "add-context", "t2", mulligan.Fail)
	s.decide("retry", "policy")
	s.start("plan", 3, "retry", "t3")
	s.end(mulligan.Interrupted)
	want := []Retry{
		{Attempt: 2, Strategy: "add-context", By: "policy", Outcome: mulligan.Fail, Fingerprint: "fp-t2"},
		{Attempt: 3, Strategy: "retry", By: "policy"},
	}
	step := s.fold.Record().Steps[0]
	if step.Attempts != 3 || !reflect.DeepEqual(step.Retries, want) || step.Retries[1].Decided() {
		t.Errorf("%+v", step)
	}
}

// TestFoldLoop: the iterations of a loop are attempts, and only those with a strategy are retries.
func TestFoldLoop(t *testing.T) {
	p := &mulligan.Plan{Pipeline: "loop", Loop: &mulligan.Loop{}, Steps: []mulligan.Step{{Name: "site"}}}
	s := newScript(t, p)
	s.say(mulligan.StepStarted{Step: "site"})
	for i := range 20 {
		strategy := ""
		if i == 7 {
			strategy = "fresh-start"
		}
		s.attempt("site", i+1, strategy, "t", mulligan.Fail)
		s.say(mulligan.IterationKept{Iteration: i + 1})
	}
	s.end(mulligan.LimitReached)
	r := s.fold.Record()
	if r.Line() != "site" || r.Name != "site" || r.Iterations != 20 || r.Steps[0].Attempts != 20 || len(r.Steps[0].Retries) != 1 || r.Steps[0].Retries[0].Attempt != 8 {
		t.Errorf("%+v", r)
	}
}

// TestFoldFlaky: a check that both passes and fails on one tree is flaky; one that fails on another is not.
func TestFoldFlaky(t *testing.T) {
	s := newScript(t, twoSteps())
	s.say(mulligan.StepStarted{Step: "plan"})
	s.attempt("plan", 1, "", "same", mulligan.Fail)
	s.decide("retry", "policy")
	s.start("plan", 2, "retry", "same")
	s.gate("tests", mulligan.Broken)
	s.gate("tests", mulligan.Pass)
	s.gate("lint", mulligan.Fail)
	s.say(mulligan.AttemptEnded{Step: "plan", Attempt: 2, Status: mulligan.Fail, Counted: true})
	s.decide("retry", "policy")
	s.start("plan", 3, "retry", "other")
	s.gate("lint", mulligan.Pass)
	s.end(mulligan.Interrupted)
	r := s.fold.Record()
	if len(r.Checks) != 2 || r.Checks[0].Name != "lint" || r.Checks[0].Flips != 0 || r.Checks[1].Flips != 1 || r.Checks[1].Broken != 1 {
		t.Errorf("%+v", r.Checks)
	}
	var sum Checks
	sum.Add(r)
	sum.Add(r)
	if got := sum.List()[0]; got.Name != "tests" || got.Flips != 2 || got.Flaky != 2 || got.Sessions != 2 || got.Runs != 6 {
		t.Errorf("%+v", got)
	}
}

// TestFoldHookHelped: a block counts as a help if the attempt has passed then.
func TestFoldHookHelped(t *testing.T) {
	s := newScript(t, twoSteps())
	s.say(mulligan.StepStarted{Step: "plan"})
	for i, status := range []mulligan.Status{mulligan.Fail, mulligan.Pass} {
		s.start("plan", i+1, "", "t")
		s.say(stop(ran("tests", mulligan.Block, false, ms)), stop(ran("tests", mulligan.Block, false, ms)), stop(ran("tests", mulligan.Allow, true, ms)))
		s.say(mulligan.AttemptEnded{Step: "plan", Attempt: i + 1, Status: status, Counted: true})
	}
	r := s.fold.Record()
	if h := r.Hooks[0]; len(r.Hooks) != 1 || h.Runs != 6 || h.Blocks != 4 || h.Helped != 2 {
		t.Errorf("%+v", r.Hooks)
	}
}

// TestRecordIsKept: a record that is written and read again is the same, with all its times.
func TestRecordIsKept(t *testing.T) {
	s := newScript(t, twoSteps())
	s.say(mulligan.StepStarted{Step: "plan"})
	s.attempt("plan", 1, "", "t1", mulligan.Fail)
	s.say(stop(ran("x", mulligan.Block, false, 17*ms)))
	s.end(mulligan.GaveUp)
	want := s.fold.Record()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Session
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
	for _, text := range []string{`[]`, `[1]`, `[5,4]`, `[-1,4]`, `[1,2,3]`, `[1,2,9999,1]`, `[1,2,3,0]`, `{}`} {
		var spread Spread
		if err := json.Unmarshal([]byte(text), &spread); err == nil {
			t.Errorf("%s is a spread", text)
		}
	}
}

func TestFoldRefusesAGap(t *testing.T) {
	s := newScript(t, twoSteps())
	before := s.fold.Record()
	if err := s.fold.Apply(mulligan.Event{Number: 9, Body: mulligan.Noted{}}); err == nil {
		t.Error("a gap is taken")
	}
	if got := s.fold.Record(); !reflect.DeepEqual(got, before) {
		t.Errorf("got %+v, want %+v", got, before)
	}
}
