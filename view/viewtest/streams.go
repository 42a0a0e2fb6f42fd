package viewtest

import (
	"fmt"
	"strings"
	"time"

	"mulligan"
)

const (
	test  = "go test ./..."
	first = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"
	then  = "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c"
	base  = "0aa1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3"
)

// Streams returns the sessions that every view is tested with.
func Streams() []Stream {
	return []Stream{
		NewTape().startDefault().startAttempt(1).printWork().Stream("running"),
		NewTape().startDefault().startAttempt(1).printWork().failAttempt(1).Stream("check-failed"),
		NewTape().startDefault().startAttempt(1).printWork().failAttempt(1).decideRetry().startAttempt(2).Stream("second-attempt"),
		NewTape().startDefault().startAttempt(1).printWork().failAttempt(1).decideRetry().startAttempt(2).passAttempt(2).endVerified().Stream("verified"),
		GaveUp(),
		NewTape().startDefault().startAttempt(1).printWork().failAttempt(1).decideRetry().startAttempt(2).interruptSession().Stream("interrupted"),
		NewTape().startDefault().startAttempt(1).printWork().failAttempt(1).decideRetry().startAttempt(2).interruptSession().resumeSession().Stream("resumed"),
		Budgeted(),
		Gauged(),
		Accepted(),
		Broken(),
		Limited(),
		TwoSteps(),
		Hostile(),
		LoopWorking(),
		LoopAsking(),
		LoopEnding(),
		LoopOver(),
		LoopPaused(),
		Hooked(),
		StopVerified(),
		StopRetrying(),
		StopAsking(),
		StopAccepted(),
		StopFailed(),
		StopBroken(),
		StopIgnored(),
		StopDelivery(),
		GuardWorking(),
		GuardWaiting(),
	}
}

// newPlan returns the plan of most streams: one step, checked by its tests, with three retries.
func newPlan() *mulligan.Plan {
	return &mulligan.Plan{
		Pipeline: "default",
		Task:     mulligan.Task{Path: "tasks/add.md", Text: "# Add and subtract\n\nWrite them."},
		Steps: []mulligan.Step{{
			Name: "implement", Agent: "local", Retry: 3,
			Checks: []mulligan.CheckSpec{{Name: "go vet ./...", Type: "shell"}, {Name: test, Type: "shell"}},
		}},
		Git: mulligan.Git{Commit: true},
	}
}

// Budgeted returns a session whose step has limits of its own.
func Budgeted() Stream {
	p := newPlan()
	p.Steps[0].Limits = mulligan.Budget{Turns: 4, CostUSD: 1.5}
	return NewTape().startSession(p).startAttempt(1).printWork().failAttempt(1).decideRetry().startAttempt(2).Stream("budgeted")
}

// Gauged returns a session with limits of time, cost and turns.
func Gauged() Stream {
	p := newPlan()
	p.Task.Folder, p.Task.Position, p.Task.Count = "tasks", 2, 3
	p.Limits = mulligan.Limits{Duration: time.Minute, CostUSD: 0.07, Turns: 20}
	return NewTape().startSession(p).startAttempt(1).printWork().failAttempt(1).decideRetry().startAttempt(2).Stream("gauged")
}

func newPlace() mulligan.Place {
	return mulligan.Place{
		Dir: "/home/ada/calc", Root: "/home/ada/calc",
		Branch: "mulligan/" + Session, Origin: "main", Base: base,
	}
}

func (t *Tape) startDefault() *Tape { return t.startSession(newPlan()) }

func (t *Tape) startSession(p *mulligan.Plan) *Tape {
	return t.Say(mulligan.SessionStarted{Version: "1.0.0", PID: 4711, Plan: p, Place: newPlace()},
		mulligan.StepStarted{Step: p.Steps[0].Name})
}

func (t *Tape) startAttempt(n int) *Tape { return t.startStepAttempt("implement", n, n) }

func (t *Tape) startStepAttempt(step string, n, iteration int) *Tape {
	return t.After(100*time.Millisecond).Say(
		mulligan.AttemptStarted{Step: step, Attempt: n, Iteration: iteration, Strategy: "retry"},
		mulligan.TurnStarted{Turn: iteration, Agent: "local", Prompt: "Write them."})
}

func (t *Tape) printWork() *Tape {
	return t.After(time.Second).Print("reading \x1b[1mcalc.go\x1b[0m\n").
		Print("writing calc.go\nprogress 10%\rprogress 100%\r\ndone: Add and Sub are ").Print("there\n")
}

func (t *Tape) endTurn(n int) *Tape {
	return t.After(3 * time.Second).Say(mulligan.TurnEnded{
		Turn: n, Duration: 4 * time.Second,
		Result: mulligan.Result{
			Ending: mulligan.Finished, Message: "Add and Sub are there.",
			Usage: mulligan.Usage{InputTokens: 12_300, OutputTokens: 840, CostUSD: 0.06},
		},
	})
}

// runGate records a run of a check, from its start to its verdict.
func (t *Tape) runGate(index, try int, v mulligan.Verdict) *Tape {
	return t.Say(mulligan.GateStarted{Index: index, Gate: v.Gate, Try: try}).After(v.Duration).
		Say(mulligan.GateEnded{Index: index, Try: try, Verdict: v})
}

func (t *Tape) passVet() *Tape {
	return t.runGate(0, 1, mulligan.Verdict{Status: mulligan.Pass, Gate: "go vet ./...", Duration: 400 * time.Millisecond})
}

func failingVerdict() mulligan.Verdict {
	return mulligan.Verdict{
		Status: mulligan.Fail, Gate: test, Summary: "exit status 1", Duration: 1200 * time.Millisecond,
		Finding: &mulligan.Finding{
			Command: test, Exit: "exit status 1", Runner: "go test",
			Whole: "/state/mulligan/" + Session + "/checks/0001-1-1.log",
			Text: "--- FAIL: TestAdd (0.00s)\n    calc_test.go:12: Add(2, 3) = 6, want 5\n" +
				"--- FAIL: TestSub (0.00s)\n    calc_test.go:19: Sub(2, 3) = 1, want -1\nFAIL\nFAIL\tcalc\t0.003s",
			Counts:  mulligan.Counts{Passed: 12, Failed: 2},
			Failing: []mulligan.Item{{Name: "TestAdd", Place: "calc_test.go:12"}, {Name: "TestSub", Place: "calc_test.go:19"}},
		},
	}
}

func (t *Tape) failAttempt(n int) *Tape {
	v := failingVerdict()
	return t.endTurn(n).passVet().Say(mulligan.GateStarted{Index: 1, Gate: test, Try: 1}).
		Print("--- FAIL: TestAdd (0.00s)\n").After(v.Duration).
		Say(mulligan.GateEnded{Index: 1, Try: 1, Verdict: v},
			mulligan.AttemptEnded{Step: "implement", Attempt: n, Status: mulligan.Fail, Reason: test + ": exit status 1", Counted: true})
}

func (t *Tape) decideRetry() *Tape {
	return t.Say(mulligan.Decided{Decision: mulligan.Decision{Retry: true, Strategy: "retry"}, By: "policy"})
}

func (t *Tape) passAttempt(n int) *Tape {
	return t.endTurn(n).passVet().Say(mulligan.GateStarted{Index: 1, Gate: test, Try: 1}).Print("ok  \tcalc\t0.003s\n").
		After(900*time.Millisecond).Say(
		mulligan.GateEnded{Index: 1, Try: 1, Verdict: mulligan.Verdict{
			Status: mulligan.Pass, Gate: test, Duration: 900 * time.Millisecond,
			Finding: &mulligan.Finding{Command: test, Counts: mulligan.Counts{Passed: 14}},
		}},
		mulligan.AttemptEnded{Step: "implement", Attempt: n, Status: mulligan.Pass, Counted: true},
		mulligan.StepCommitting{Step: "implement"})
}

// end records the session's outcome, with what its one step came to.
func (t *Tape) end(status string, attempts int, o mulligan.Outcome, by ...string) *Tape {
	o.Steps = []mulligan.StepOutcome{{Step: "implement", Status: status, Attempts: attempts, Commit: o.Commit, By: by}}
	return t.Say(mulligan.SessionEnded{Outcome: o})
}

func (t *Tape) endVerified() *Tape {
	by := []string{"go vet ./...", test}
	used := mulligan.Usage{InputTokens: 24_600, OutputTokens: 1_680, CostUSD: 0.12}
	return t.After(50*time.Millisecond).Say(mulligan.StepVerified{Step: "implement", Attempt: 2, Commit: first, By: by}).
		end("verified", 2, mulligan.Outcome{Ended: mulligan.Verified, Commit: first, Turns: 2, Worked: 11 * time.Second, Usage: used}, by...)
}

func (t *Tape) interruptSession() *Tape {
	return t.After(2*time.Second).Say(mulligan.SessionInterrupted{By: "SIGINT"}).
		end("open", 2, mulligan.Outcome{Ended: mulligan.Interrupted, Reason: "interrupted by SIGINT", Step: "implement", Turns: 2})
}

func (t *Tape) resumeSession() *Tape {
	return t.After(8*time.Hour).Say(mulligan.SessionResumed{Version: "1.0.0", PID: 4812},
		mulligan.TurnStarted{Turn: 2, Agent: "local", Prompt: "Write them.", Again: true})
}

// GaveUp returns a session whose retries are used up.
func GaveUp() Stream {
	t := NewTape().startDefault()
	for n := 1; n <= 4; n++ {
		t.startAttempt(n).failAttempt(n)
		if n < 4 {
			t.decideRetry()
		}
	}
	v := failingVerdict()
	reason := `step "implement" failed after 3 retries`
	return t.giveUp(4, reason, &v).Stream("gave-up")
}

// giveUp records the end of a session whose step has no retries left.
func (t *Tape) giveUp(attempts int, reason string, v *mulligan.Verdict) *Tape {
	return t.Say(mulligan.Decided{Decision: mulligan.Decision{Reason: "no retries are left"}, By: "limit"},
		mulligan.StepFailed{Step: "implement", Reason: reason, Verdict: v}).
		end("failed", attempts, mulligan.Outcome{Ended: mulligan.GaveUp, Reason: reason, Step: "implement", Evidence: v, Turns: 4})
}

// Accepted returns a session that nothing checks.
func Accepted() Stream {
	p := newPlan()
	p.Steps[0].Checks, p.Git.Commit = nil, false
	return NewTape().startSession(p).Say(mulligan.Noted{Text: `step "implement" has no check: its work will be accepted, not verified`}).
		startAttempt(1).endTurn(1).Say(
		mulligan.AttemptEnded{Step: "implement", Attempt: 1, Status: mulligan.Pass, Counted: true},
		mulligan.StepVerified{Step: "implement", Attempt: 1, Accepted: true}).
		end("accepted", 1, mulligan.Outcome{Ended: mulligan.Accepted, Reason: `nothing checked "implement"`, Turns: 1}).Stream("accepted")
}

// Broken returns a session whose check cannot tell, twice, after an agent that crashed.
func Broken() Stream {
	v := mulligan.Verdict{Status: mulligan.Broken, Gate: "go vet ./...", Summary: `"go" is not on PATH`}
	t := NewTape().startDefault().startAttempt(1).After(time.Second).Say(
		mulligan.TurnEnded{Turn: 1, Duration: time.Second, Result: mulligan.Result{Ending: mulligan.Crashed, Reason: "exit status 2"}},
		mulligan.AttemptEnded{Step: "implement", Attempt: 1, Status: mulligan.Fail, Reason: "crashed: exit status 2"},
		mulligan.Waited{For: time.Second, Reason: "the agent failed"}).After(time.Second).
		startStepAttempt("implement", 1, 2).endTurn(2)
	for try := 1; try <= 2; try++ {
		t.runGate(0, try, v)
	}
	reason := `check "go vet ./..." could not tell: "go" is not on PATH`
	return t.end("open", 1, mulligan.Outcome{Ended: mulligan.GateBroken, Reason: reason, Step: "implement", Evidence: &v, Turns: 2}).Stream("broken")
}

// Limited returns a session that waits for a rate limit to pass.
func Limited() Stream {
	return NewTape().startDefault().startAttempt(1).printWork().
		Say(mulligan.Waited{For: 20 * time.Minute, Reason: "the agent is rate limited", Free: true}).
		After(90 * time.Second).Stream("rate-limited")
}

// TwoSteps returns a session of several steps, the second under way.
func TwoSteps() Stream {
	p := newPlan()
	for i := range 8 {
		p.Steps = append(p.Steps, mulligan.Step{Name: fmt.Sprintf("review_%d", i+1), Agent: "local"})
	}
	p.Steps[1].Checks = []mulligan.CheckSpec{{Name: "file_exists REVIEW.md", Type: "file_exists"}}
	return NewTape().startSession(p).startAttempt(1).passAttempt(1).Say(
		mulligan.StepVerified{Step: "implement", Attempt: 1, Commit: then, By: []string{"go vet ./...", test}},
		mulligan.StepStarted{Step: "review_1", Index: 1}).
		startStepAttempt("review_1", 1, 2).endTurn(2).
		Say(mulligan.GateStarted{Index: 0, Gate: "file_exists REVIEW.md", Try: 1}).Stream("several-steps")
}

// Nasty is text that would take over a terminal if it were written as it is.
const Nasty = "a\x1b[2Jb\x1b]0;owned\x07c\u202ed\u009b31me\r\x1b[31mf\x00\x07\x7fg\u2028h"

// Hostile returns a session whose names, paths and outputs are nasty.
func Hostile() Stream {
	p := newPlan()
	p.Pipeline, p.Task.Path, p.Steps[0].Name = Nasty, Nasty, Nasty
	p.Steps[0].Checks = []mulligan.CheckSpec{{Name: Nasty}}
	v := failingVerdict()
	v.Gate, v.Summary, v.Finding.Whole = Nasty, Nasty, Nasty
	v.Finding.Text = Nasty + "\n" + strings.Repeat("long ", 400) + "\n日本語のテスト 👩‍💻 é\n" + strings.Repeat("more\n", 20)
	v.Finding.Failing[0].Name = Nasty
	return NewTape().startSession(p).startStepAttempt(Nasty, 1, 1).
		Print("\x1b]0;never ended ").Print("still\nvisible \x1b").Print("[31mred\x1b[0m \xe6\x97").Print("\xa5\xff\n"+Nasty).
		Say(mulligan.Noted{Text: Nasty}, mulligan.GateStarted{Gate: Nasty, Try: 1}, mulligan.GateEnded{Verdict: v},
			mulligan.Decided{Decision: mulligan.Decision{Retry: true, Reason: Nasty}}).
		startStepAttempt(Nasty, 2, 2).Stream("hostile")
}
