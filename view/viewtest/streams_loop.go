package viewtest

import (
	"time"

	"mulligan"
	"mulligan/loop"
)

// loopPlan returns the plan of the loops: hooks at every moment, a check, and a final one.
func loopPlan() *mulligan.Plan {
	return &mulligan.Plan{
		Pipeline: "loop",
		Task:     mulligan.Task{Path: "SPEC.md", Text: "# A calculator"},
		Loop:     &mulligan.Loop{Iterations: 20},
		Steps: []mulligan.Step{{
			Name: "calc", Agent: "local",
			Checks: []mulligan.CheckSpec{{Name: test, Type: "shell"}, {Name: "make e2e", Type: "shell", Final: true}},
		}},
		Hooks: map[mulligan.Moment][]mulligan.HookSpec{
			mulligan.SessionStart:   {{Name: "go build ./...", Pipe: true}},
			mulligan.PreIteration:   {{Name: "date", Pipe: true}},
			mulligan.PostIteration:  {{Name: "lint", Pipe: true}, {Name: "size", Pipe: true, Now: true}},
			mulligan.OnTaskComplete: {{Name: "announce", Pipe: true}},
			mulligan.OnError:        {{Name: "diagnose", Pipe: true}},
			mulligan.SessionEnd:     {{Name: "tidy up"}},
		},
		People: mulligan.People{AskTimeout: 2 * time.Minute},
		Git:    mulligan.Git{Commit: true},
	}
}

// runHook records a run of a hook, from its start to its end.
func (t *Tape) runHook(run int, at mulligan.Moment, name string, iteration int, r mulligan.HookResult, piped bool) *Tape {
	took := 300 * time.Millisecond
	index := 0
	if name == "size" {
		index = 1
	}
	return t.Say(mulligan.HookStarted{Run: run, Moment: at, Index: index, Name: name, Iteration: iteration}).After(took).
		Say(mulligan.HookEnded{Run: run, Moment: at, Index: index, Name: name, Iteration: iteration, Result: r, Piped: piped, Duration: took})
}

func passedHook(text string) mulligan.HookResult {
	return mulligan.HookResult{OK: true, Exit: "exit status 0", Text: text}
}

func failedHook(text string) mulligan.HookResult {
	return mulligan.HookResult{
		Exit: "exit status 3", Text: text, Bytes: 4096, Cut: true,
		Whole: "/state/mulligan/" + Session + "/hooks/0003.log",
	}
}

func newTask(id int, content string, status mulligan.TaskStatus) mulligan.TaskItem {
	return mulligan.TaskItem{ID: id, Content: content, Status: status, Priority: mulligan.DefaultPriority, Iteration: 1}
}

// markPending notes that what the last event brought waits for the agent.
func (t *Tape) markPending() *Tape {
	t.piped = append(t.piped, t.number)
	return t
}

// takePending returns the events that brought what waits for the agent, and forgets them.
func (t *Tape) takePending() []int64 {
	t.given, t.piped = t.piped, nil
	return t.given
}

// restorePending notes that what the last turn was given waits again: the turn failed.
func (t *Tape) restorePending() *Tape {
	t.piped = append(t.given, t.piped...)
	return t
}

// startIteration records the pre_iteration hook, then the turn that delivers what is pending.
func (t *Tape) startIteration(n int) *Tape {
	return t.Say(mulligan.AttemptStarted{Step: "calc", Attempt: n, Iteration: n}).
		runHook(10*n, mulligan.PreIteration, "date", n, passedHook("Sunday"), true).
		Say(mulligan.TurnStarted{Turn: n, Agent: "local", Prompt: "Go on.", Drains: t.takePending()})
}

// recordFirstIteration records an iteration that plans the work, does a piece of it and fails its check.
func recordFirstIteration() *Tape {
	t := NewTape().Say(mulligan.SessionStarted{Version: "1.0.0", PID: 4711, Plan: loopPlan(), Place: newPlace()}).
		runHook(1, mulligan.SessionStart, "go build ./...", 0, passedHook("built"), true).markPending()
	add, last := newTask(1, "Add", mulligan.Remaining), newTask(4, "Write the manual", mulligan.Remaining)
	add.Priority, last.Depends = 0, []int{1, 2}
	t.Say(mulligan.StepStarted{Step: "calc"}).startIteration(1).After(time.Second).
		Print("reading SPEC.md\n").
		Say(mulligan.TaskAdded{Task: add}, mulligan.TaskAdded{Task: newTask(2, "Subtract", mulligan.Remaining)},
			mulligan.TaskAdded{Task: newTask(3, "Divide; what about zero?", mulligan.Remaining)}, mulligan.TaskAdded{Task: last})
	doing := add
	doing.Status = mulligan.InProgress
	done := add
	done.Status = mulligan.Completed
	t.Say(mulligan.TaskChanged{Task: doing}).After(2*time.Second).Print("writing add.go\n").
		Say(mulligan.TaskCompleted{Task: done},
			mulligan.HookStarted{Run: 2, Moment: mulligan.OnTaskComplete, Name: "announce", Task: 1}).
		Print("announced\n").After(500*time.Millisecond).
		Say(mulligan.HookEnded{Run: 2, Moment: mulligan.OnTaskComplete, Name: "announce", Task: 1, Result: passedHook("told the others"), Piped: true, Duration: 500 * time.Millisecond}).markPending().
		Print("thinking\n").
		Say(mulligan.NoteAdded{Note: mulligan.Note{ID: 1, Type: "decision", Text: "integers only", Iteration: 1}},
			mulligan.NoteAdded{Note: mulligan.Note{ID: 2, Type: "note", Text: "go 1.26 is there", Iteration: 1}},
			mulligan.Summarized{IterationSummary: mulligan.IterationSummary{Iteration: 1, Text: "Add works, and is tested."}})
	return t.endTurn(1).runGate(0, 1, failingVerdict()).
		Say(mulligan.RoundEnded{Status: mulligan.Fail, Reason: test + ": exit status 1"}).
		runHook(3, mulligan.PostIteration, "lint", 1, failedHook("[hook failed: exit status 3]\nadd.go:3: unused"), true).markPending().
		Say(mulligan.AttemptEnded{Step: "calc", Attempt: 1, Status: mulligan.Fail, Reason: test + ": exit status 1", Counted: true},
			mulligan.IterationKept{Iteration: 1, Commit: first, Checks: "failed"})
}

// LoopWorking returns a loop in its second iteration, with a person's message still pending.
func LoopWorking() Stream {
	return recordFirstIteration().startIteration(2).After(time.Second).Print("fixing add.go\n").
		Say(mulligan.Told{Text: "mind the overflow"}).Stream("loop-working")
}

// LoopAsking returns a loop whose agent has a question, after one that no person answered.
func LoopAsking() Stream {
	blocked := newTask(3, "Divide; what about zero?", mulligan.Blocked)
	blocked.Reason = "waits for an answer"
	zero := mulligan.Question{
		ID: 2, Text: "What does a division by zero give?\nThe spec does not say.", Asker: mulligan.AskerAgent, Turn: 2,
		Options: []string{"an error", "zero", "a panic"}, Default: "an error",
	}
	return recordFirstIteration().startIteration(2).After(time.Second).
		Say(mulligan.Asked{Question: mulligan.Question{ID: 1, Text: "Which licence?", Asker: mulligan.AskerAgent, Turn: 2}}).After(2*time.Minute).
		Say(mulligan.Answered{ID: 1, Text: loop.Nobody, By: mulligan.ByDefault, Waited: 2 * time.Minute},
			mulligan.TaskChanged{Task: blocked}, mulligan.Asked{Question: zero}).After(15 * time.Second).Stream("loop-asking")
}

// recordSecondIteration records a crash and the recovery from it, and an iteration that completes the
// rest and claims so.
func recordSecondIteration() *Tape {
	t := recordFirstIteration().startIteration(2).After(time.Second).
		Say(mulligan.TurnEnded{Turn: 2, Duration: time.Second, Result: mulligan.Result{Ending: mulligan.Crashed, Reason: "exit status 2"}}).restorePending().
		runHook(4, mulligan.OnError, "diagnose", 2, passedHook("disk is full"), true).
		Say(mulligan.TurnStarted{Turn: 3, Agent: "local", Prompt: "It failed.", Purpose: mulligan.ForRecovery}).endTurn(3).
		Say(mulligan.AttemptEnded{Step: "calc", Attempt: 2, Status: mulligan.Fail, Reason: "crashed: exit status 2"},
			mulligan.IterationKept{Iteration: 2, Checks: "not run"}).
		Say(mulligan.Waited{For: time.Second, Reason: "the agent failed"}).After(time.Second).
		startIteration(3)
	t.Say(mulligan.TaskCompleted{Task: newTask(2, "Subtract", mulligan.Completed)},
		mulligan.Told{Text: "mind the overflow"}).markPending()
	gone := newTask(3, "Divide; what about zero?", mulligan.TaskCancelled)
	gone.Reason = "not in the spec"
	last := newTask(4, "Write the manual", mulligan.Completed)
	last.Depends = []int{1, 2}
	t.Say(mulligan.TaskChanged{Task: gone}, mulligan.TaskCompleted{Task: last}, mulligan.Claimed{Turn: 4, Text: "All of it is there."}).
		endTurn(4)
	for i, gate := range []string{test, "make e2e"} {
		t.runGate(i, 1, mulligan.Verdict{Status: mulligan.Pass, Gate: gate, Duration: time.Second})
	}
	return t.Say(mulligan.RoundEnded{Status: mulligan.Pass}).
		runHook(5, mulligan.PostIteration, "size", 3, passedHook("12 kB"), true).
		Say(mulligan.TurnStarted{Turn: 5, Agent: "local", Prompt: "12 kB", Purpose: mulligan.ForNow}).endTurn(5).
		Say(mulligan.AttemptEnded{Step: "calc", Attempt: 3, Status: mulligan.Pass, Counted: true},
			mulligan.StepVerified{Step: "calc", Attempt: 3, Commit: then, By: []string{test, "make e2e"}})
}

func loopOutcome() mulligan.Outcome {
	return mulligan.Outcome{
		Ended: mulligan.Verified, Commit: then, Turns: 6, Worked: 40 * time.Second, Iterations: 3,
		Tasks: mulligan.TaskCount{All: 4},
		Steps: []mulligan.StepOutcome{{Step: "calc", Status: "verified", Attempts: 3, Commit: then, By: []string{test, "make e2e"}}},
	}
}

func (t *Tape) startDelivery() *Tape {
	return t.Say(mulligan.SessionEnding{Outcome: loopOutcome()},
		mulligan.TurnStarted{Turn: 6, Agent: "local", Prompt: "Last words.", Purpose: mulligan.ForDelivery, Drains: t.takePending()})
}

// LoopEnding returns a loop that is complete, with its final delivery under way.
func LoopEnding() Stream {
	return recordSecondIteration().startDelivery().After(3 * time.Second).Print("reading the last words\n").Stream("loop-ending")
}

// LoopOver returns a loop whose final delivery broke what was verified.
func LoopOver() Stream {
	note := "the final delivery did not pass go test ./...: the workspace is back at the verified tree"
	out := loopOutcome()
	out.Notes = []string{note}
	out.Undelivered = []string{`on_task_complete hook "announce", task 4`}
	out.Questions = []mulligan.Question{
		{ID: 1, Text: "Which licence?", Asker: mulligan.AskerAgent, Answer: loop.Nobody, By: mulligan.ByDefault},
		{ID: 2, Text: "What does a division by zero give?", Asker: mulligan.AskerAgent, Answer: "an error", By: mulligan.ByPerson},
	}
	v := failingVerdict()
	return recordSecondIteration().startDelivery().endTurn(6).Say(mulligan.GateStarted{Index: 0, Gate: test, Try: 1}, mulligan.GateEnded{Index: 0, Try: 1, Verdict: v},
		mulligan.DeliveryKept{Note: note}).
		runHook(6, mulligan.SessionEnd, "tidy up", 0, mulligan.HookResult{Exit: "timed out after 30s"}, false).
		Say(mulligan.SessionEnded{Outcome: out}).Stream("loop-over")
}

// LoopPaused returns a loop that a person has paused, and that broke in the iteration before.
func LoopPaused() Stream {
	return recordFirstIteration().startIteration(2).After(time.Second).
		Say(mulligan.Panicked{Text: "index out of range [3] with length 3"},
			mulligan.AttemptEnded{Step: "calc", Attempt: 2, Status: mulligan.Fail, Reason: "mulligan broke"}).
		startIteration(3).Say(mulligan.PauseAsked{By: "mulligan pause"}).endTurn(4).
		Say(mulligan.RoundEnded{Status: mulligan.Broken, Reason: `"go" is not on PATH`},
			mulligan.SessionEnded{Outcome: mulligan.Outcome{
				Ended: mulligan.Waiting, Reason: "paused by mulligan pause", Step: "calc", Iterations: 3, Turns: 4,
				Tasks: mulligan.TaskCount{All: 4, Open: 3},
				Steps: []mulligan.StepOutcome{{Step: "calc", Status: "open", Attempts: 3}},
			}}).Stream("loop-paused")
}

// Hooked returns a pipeline with hooks, the one after its first attempt under way.
func Hooked() Stream {
	p := newPlan()
	p.Hooks = map[mulligan.Moment][]mulligan.HookSpec{mulligan.PostIteration: {{Name: "lint"}}}
	return NewTape().startSession(p).startAttempt(1).failAttempt(1).
		Say(mulligan.HookStarted{Run: 1, Moment: mulligan.PostIteration, Name: "lint", Iteration: 1}).
		Print("add.go:3: unused\n").Stream("hooked")
}
