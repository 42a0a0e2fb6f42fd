package viewtest

import (
	"time"

	"mulligan"
)

const (
	tests = "./tests.sh"
	lint  = "./lint.sh"
	limit = "[Warning: Hook retry limit (2) reached. Completing execution.]"
)

// stopPlan returns a plan with two Stop hooks, which may send the agent back twice.
func stopPlan() *mulligan.Plan {
	p := newPlan()
	p.Steps[0].Retry = 1
	p.Steps[0].Checks = p.Steps[0].Checks[:1]
	p.AgentHooks = mulligan.AgentHooks{MaxRetries: 2, OnLimit: "ask", Hooks: []mulligan.AgentHook{
		{Event: mulligan.EventStop, Name: tests, Type: "command", Command: tests},
		{Event: mulligan.EventStop, Name: lint, Type: "command", Command: lint},
	}}
	p.People = mulligan.People{AskTimeout: 2 * time.Minute}
	return p
}

// runAgentHooks records a run of an event's hooks, from its start to its end.
func (t *Tape) runAgentHooks(event string, retry, try int, r mulligan.AgentHookReply) *Tape {
	started := mulligan.AgentHookStarted{Event: event, Retry: retry, Try: try}
	took := time.Duration(0)
	for _, run := range r.Runs {
		started.Hooks = append(started.Hooks, run.Name)
		took = max(took, run.Duration)
	}
	return t.Say(started).After(took).Say(mulligan.AgentHookEnded{Event: event, Retry: retry, Try: try, Reply: r})
}

func allowingRun(name string) mulligan.AgentHookRun {
	return mulligan.AgentHookRun{Name: name, Decision: mulligan.Allow, Exit: "exit status 0", Duration: 300 * time.Millisecond}
}

// blockingReply returns the reply of tests.sh, which blocks, and lint.sh, which does not.
func blockingReply(reason, rest string) mulligan.AgentHookReply {
	run := mulligan.AgentHookRun{
		Name: tests, Decision: mulligan.Block, Exit: "exit status 2", Reason: reason, Duration: 1200 * time.Millisecond,
		Whole: "/state/mulligan/" + Session + "/hooks/0001.log", Bytes: 4096,
	}
	return mulligan.AgentHookReply{
		Decision: mulligan.Block, Reason: reason, Feedback: reason + rest, Runs: []mulligan.AgentHookRun{run, allowingRun(lint)},
	}
}

// allowingReply returns the reply of both that allow, lint.sh with a message.
func allowingReply() mulligan.AgentHookReply {
	warns := allowingRun(lint)
	warns.Exit = "exit status 1"
	return mulligan.AgentHookReply{
		Decision: mulligan.Allow, Runs: []mulligan.AgentHookRun{allowingRun(tests), warns},
		Messages: []string{lint + ": exit status 1: 2 warnings\ncalc.go:3: unused\ncalc.go:9: unused"},
	}
}

// brokenReply returns the reply of tests.sh, which could not tell, and lint.sh, which allows.
func brokenReply() mulligan.AgentHookReply {
	exit := "cannot start: no such file"
	run := mulligan.AgentHookRun{Name: tests, Decision: mulligan.HookBroken, Exit: exit, Reason: tests + ": " + exit}
	return mulligan.AgentHookReply{Decision: mulligan.HookBroken, Reason: run.Reason, Runs: []mulligan.AgentHookRun{run, allowingRun(lint)}}
}

// sendBack records the turn that a block makes.
func (t *Tape) sendBack(turn, retry int, reason string) *Tape {
	return t.Say(mulligan.TurnStarted{
		Turn: turn, Agent: "local", Prompt: "[Hook feedback]: " + reason, Purpose: mulligan.ForHook, Retry: retry, Of: 2, Reason: reason,
	})
}

const threeFail = "3 tests fail\n\n--- FAIL: TestAdd\n--- FAIL: TestSub\n--- FAIL: TestMul"

// blockTwice records a step whose Stop hook blocks until its limit.
func (t *Tape) blockTwice() *Tape {
	return t.endTurn(1).runAgentHooks(mulligan.EventStop, 0, 1, blockingReply("3 tests fail", threeFail[len("3 tests fail"):])).
		sendBack(2, 1, "3 tests fail").endTurn(2).
		runAgentHooks(mulligan.EventStop, 1, 1, blockingReply("1 test fails: TestMul", "")).
		sendBack(3, 2, "1 test fails: TestMul")
}

// StopVerified returns a session whose Stop hooks block twice and then allow.
func StopVerified() Stream {
	by := []string{"Stop hook " + tests, "Stop hook " + lint, "go vet ./..."}
	return NewTape().startSession(stopPlan()).startAttempt(1).blockTwice().endTurn(3).runAgentHooks(mulligan.EventStop, 2, 1, allowingReply()).passVet().
		Say(mulligan.AttemptEnded{Step: "implement", Attempt: 1, Status: mulligan.Pass, Counted: true},
			mulligan.StepVerified{Step: "implement", Attempt: 1, Commit: first, By: by}).
		end("verified", 1, mulligan.Outcome{Ended: mulligan.Verified, Commit: first, Turns: 3, Worked: 12 * time.Second}, by...).Stream("stop-verified")
}

// StopRetrying returns the same session in its first hook retry, after hooks of other moments.
func StopRetrying() Stream {
	context := mulligan.AgentHookReply{Decision: mulligan.Allow, Context: "Sunday", Runs: []mulligan.AgentHookRun{allowingRun("date")}}
	return NewTape().startSession(stopPlan()).runAgentHooks(mulligan.EventSessionStart, 0, 1, context).
		runAgentHooks(mulligan.EventPrompt, 0, 1, context).startAttempt(1).endTurn(1).
		runAgentHooks(mulligan.EventStop, 0, 1, blockingReply("3 tests fail", threeFail[len("3 tests fail"):])).
		sendBack(2, 1, "3 tests fail").After(time.Second).Print("reading the tests\n").Stream("stop-retrying")
}

// recordUpToLimit records a session whose Stop hook blocks once more than it may.
func recordUpToLimit() *Tape {
	return NewTape().startSession(stopPlan()).startAttempt(1).blockTwice().endTurn(3).
		runAgentHooks(mulligan.EventStop, 2, 1, blockingReply("1 test fails: TestMul", ""))
}

func (t *Tape) askAtLimit(id int) *Tape {
	return t.Say(mulligan.Asked{Question: mulligan.Question{
		ID: id, Text: "A Stop hook has sent the agent back 2 times, and still blocks: 1 test fails: TestMul", Turn: 3,
		Options: []string{mulligan.LimitContinue, mulligan.LimitAbort, mulligan.LimitIgnore}, Default: mulligan.LimitFail, Asker: mulligan.AskerHookLimit,
	}})
}

// StopAsking returns a session that asks what to do at the limit.
func StopAsking() Stream {
	return recordUpToLimit().askAtLimit(1).After(15 * time.Second).Stream("stop-asking")
}

// StopAccepted returns a session that is accepted at the limit, as its config wants.
func StopAccepted() Stream {
	by := []string{"Stop hook " + lint, "go vet ./..."}
	out := mulligan.Outcome{Ended: mulligan.Accepted, Reason: limit, Notes: []string{limit}, Commit: first, Turns: 3, Worked: 14 * time.Second}
	return recordUpToLimit().Say(mulligan.StopDecided{Choice: mulligan.LimitAccept, By: "config", Hooks: []string{tests}, Note: limit}).passVet().
		Say(mulligan.AttemptEnded{Step: "implement", Attempt: 1, Status: mulligan.Pass, Counted: true},
			mulligan.StepVerified{Step: "implement", Attempt: 1, Commit: first, By: by, Accepted: true, Waived: []string{limit}}).
		end("accepted", 1, out, by...).Stream("stop-accepted")
}

// StopFailed returns a session whose question at the limit no person answered, and that fails at the
// next block.
func StopFailed() Stream {
	v := mulligan.Verdict{
		Status: mulligan.Fail, Gate: "Stop hook " + tests, Summary: "3 tests fail",
		Finding: &mulligan.Finding{Command: tests, Text: threeFail, Exit: "exit status 2", Whole: "/state/mulligan/" + Session + "/hooks/0009.log"},
	}
	why := "a Stop hook blocked 3 times: 1 test fails: TestMul"
	t := recordUpToLimit().askAtLimit(1).After(2*time.Minute).Say(
		mulligan.Answered{ID: 1, Text: mulligan.LimitFail, By: mulligan.ByDefault, Waited: 2 * time.Minute},
		mulligan.StopDecided{Choice: mulligan.LimitFail, By: mulligan.ByDefault, Hooks: []string{tests}, Verdict: &v},
		mulligan.AttemptEnded{Step: "implement", Attempt: 1, Status: mulligan.Fail, Reason: why, Counted: true}).decideRetry().
		startAttempt(2).endTurn(4)
	never := blockingReply("3 tests fail", threeFail[len("3 tests fail"):])
	never.Retry.Never = true
	return t.runAgentHooks(mulligan.EventStop, 0, 1, never).Say(
		mulligan.StopDecided{Choice: mulligan.LimitFail, By: "hook", Hooks: []string{tests}, Verdict: &v},
		mulligan.AttemptEnded{Step: "implement", Attempt: 2, Status: mulligan.Fail, Reason: why, Counted: true}).
		giveUp(2, `step "implement" failed after 1 retries`, &v).Stream("stop-failed")
}

// StopBroken returns a session whose Stop hook cannot tell, twice.
func StopBroken() Stream {
	reason := "a Stop hook could not tell: " + brokenReply().Reason
	return NewTape().startSession(stopPlan()).startAttempt(1).endTurn(1).
		runAgentHooks(mulligan.EventStop, 0, 1, brokenReply()).runAgentHooks(mulligan.EventStop, 0, 2, brokenReply()).
		end("open", 1, mulligan.Outcome{Ended: mulligan.GateBroken, Reason: reason, Step: "implement", Turns: 1}).Stream("stop-broken")
}

// StopIgnored returns a session whose Stop hook was granted more retries, and is now ignored.
func StopIgnored() Stream {
	by := func(id int, choice, note string) []mulligan.Body {
		return []mulligan.Body{
			mulligan.Answered{ID: id, Text: choice, By: mulligan.ByPerson},
			mulligan.StopDecided{Choice: choice, By: mulligan.ByPerson, Hooks: []string{tests}, Note: note},
		}
	}
	reason := "1 test fails: TestMul"
	return recordUpToLimit().askAtLimit(1).After(5*time.Second).Say(by(1, mulligan.LimitContinue, "")...).
		Say(mulligan.TurnStarted{Turn: 4, Agent: "local", Purpose: mulligan.ForHook, Retry: 3, Of: 4, Reason: reason}).endTurn(4).
		runAgentHooks(mulligan.EventStop, 3, 1, blockingReply(reason, "")).askAtLimit(2).
		Say(by(2, mulligan.LimitIgnore, "a person ignored a Stop hook that blocked: "+reason)...).
		Say(mulligan.GateStarted{Index: 0, Gate: "go vet ./...", Try: 1}).Stream("stop-ignored")
}

// StopDelivery returns a loop whose final delivery is sent back by a Stop hook.
func StopDelivery() Stream {
	t := recordSecondIteration().startDelivery().endTurn(6).runAgentHooks(mulligan.EventStop, 0, 1, blockingReply("the manual is gone", ""))
	return t.Say(mulligan.TurnStarted{
		Turn: 7, Agent: "local", Purpose: mulligan.ForHook, Base: mulligan.ForDelivery, Retry: 1, Of: 2, Reason: "the manual is gone",
	}).After(2 * time.Second).Stream("stop-delivery")
}
