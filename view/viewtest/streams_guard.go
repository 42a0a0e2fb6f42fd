package viewtest

import (
	"strings"
	"time"

	"mulligan"
)

// guardPlan returns the plan of a loop whose claims are guarded: three of an item are considered.
func guardPlan() *mulligan.Plan {
	p := loopPlan()
	p.Hooks, p.Steps[0].Checks = nil, p.Steps[0].Checks[:1]
	p.Guard = &mulligan.Guard{MaxAttempts: 3, DenyFirst: true, Validate: &mulligan.GuardValidate{Agent: "judge", Timeout: time.Minute}}
	return p
}

// seeItem records that the guard sees an item, a task of the session's own if it has an id.
func (t *Tape) seeItem(task int, content string) *Tape {
	if task > 0 {
		t.Say(mulligan.TaskAdded{Task: newTask(task, content, mulligan.Remaining)})
	}
	return t.Say(mulligan.GuardSeen{Items: []mulligan.GuardItem{{
		Key: strings.ToLower(content), Content: content, Status: mulligan.ItemOpen, Task: task,
	}}})
}

// claimItem records a claim that an item is done.
func (t *Tape) claimItem(id, content string, attempt int, status mulligan.GuardStatus) *Tape {
	return t.After(time.Second).Say(mulligan.GuardClaimed{GuardClaim: mulligan.GuardClaim{ID: id, Max: 3, Items: []mulligan.ClaimedItem{{
		Key: strings.ToLower(content), Content: content, Attempt: attempt, Status: status, By: mulligan.ByGuard,
	}}}})
}

// ruleOn records what the judge found about a claim.
func (t *Tape) ruleOn(id, content string, attempt int, status mulligan.GuardStatus, reason string) *Tape {
	return t.After(2 * time.Second).Say(mulligan.GuardRuled{Claim: id, Items: []mulligan.ClaimedItem{{
		Key: strings.ToLower(content), Content: content, Attempt: attempt, Status: status, By: "judge", Reason: reason,
	}}})
}

const divide = "Divide; what's with zero?"

// recordClaims records an iteration with an item that passed, one that was denied, one that was refuted
// and one that was claimed too often.
func recordClaims() *Tape {
	t := NewTape().startSession(guardPlan()).startStepAttempt("calc", 1, 1).After(time.Second).
		seeItem(1, "Add").seeItem(2, "Subtract").seeItem(3, "Multiply").seeItem(4, divide).seeItem(5, "Write the manual")
	t.claimItem("a1", "Add", 1, mulligan.ItemDenied).claimItem("a2", "Add", 2, mulligan.ItemValidating).
		ruleOn("a2", "Add", 2, mulligan.ItemPassed, "").
		Say(mulligan.TaskCompleted{Task: newTask(1, "Add", mulligan.Completed)}).
		claimItem("s1", "Subtract", 1, mulligan.ItemDenied).
		claimItem("m1", "Multiply", 1, mulligan.ItemDenied).claimItem("m2", "Multiply", 2, mulligan.ItemValidating).
		ruleOn("m2", "Multiply", 2, mulligan.ItemDenied, "Multiply(2, 3) is not tested.\nAdd a test for it.")
	reason := "A division by zero panics."
	return t.claimItem("d1", divide, 1, mulligan.ItemDenied).
		claimItem("d2", divide, 2, mulligan.ItemValidating).ruleOn("d2", divide, 2, mulligan.ItemDenied, reason).
		claimItem("d3", divide, 3, mulligan.ItemValidating).ruleOn("d3", divide, 3, mulligan.ItemDenied, reason).
		claimItem("d4", divide, 4, mulligan.ItemOver)
}

// GuardWorking returns a loop whose agent waits for a claim to be validated, after another was made too
// often.
func GuardWorking() Stream {
	renamed := mulligan.GuardItem{Key: "polish", Content: "Polish", Status: mulligan.ItemOpen, Instead: "Tidy up"}
	return recordClaims().seeItem(0, "Tidy up").claimItem("t1", "Tidy up", 1, mulligan.ItemDenied).
		Say(mulligan.GuardSeen{Items: []mulligan.GuardItem{renamed}, Gone: []string{"tidy up"}}).
		claimItem("w1", "Write the manual", 1, mulligan.ItemDenied).
		claimItem("w2", "Write the manual", 2, mulligan.ItemValidating).After(3 * time.Second).Stream("guard-working")
}

// GuardWaiting returns a loop that has nothing left to do but what was claimed too often.
func GuardWaiting() Stream {
	t := recordClaims()
	for id, content := range []string{2: "Subtract", 3: "Multiply", 5: "Write the manual"} {
		if content != "" {
			t.claimItem(content, content, 2, mulligan.ItemPassed).Say(mulligan.TaskCompleted{Task: newTask(id, content, mulligan.Completed)})
		}
	}
	return t.endTurn(1).runGate(0, 1, mulligan.Verdict{Status: mulligan.Pass, Gate: test, Duration: time.Second}).
		Say(mulligan.RoundEnded{Status: mulligan.Pass},
			mulligan.AttemptEnded{Step: "calc", Attempt: 1, Status: mulligan.Pass, Counted: true},
			mulligan.IterationKept{Iteration: 1, Commit: first, Checks: "passed"},
			mulligan.SessionEnded{Outcome: mulligan.Outcome{
				Ended: mulligan.Waiting, Step: "calc", Iterations: 1, Turns: 1, Commit: first, Over: []string{divide},
				Reason: "1 task was claimed too often to be done, and a person has to decide: '" + divide + "'",
				Tasks:  mulligan.TaskCount{All: 5, Open: 1},
				Steps:  []mulligan.StepOutcome{{Step: "calc", Status: "open", Attempts: 1}},
			}}).Stream("guard-waiting")
}
