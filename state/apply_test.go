package state_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"mulligan"
	"mulligan/state"
)

// A check in flight is run again with the number that it had, however often the session is
// taken up before that.
func TestACheckInFlightIsNotCounted(t *testing.T) {
	plan := &mulligan.Plan{Steps: []mulligan.Step{{Name: "make", Checks: []mulligan.CheckSpec{{Name: "one"}}}}}
	broken := mulligan.Verdict{Status: mulligan.Broken}
	var state state.State
	for i, body := range []mulligan.Body{
		mulligan.SessionStarted{Plan: plan},
		mulligan.StepStarted{Step: "make"},
		mulligan.AttemptStarted{Step: "make", Attempt: 1, Iteration: 1},
		mulligan.TurnStarted{Turn: 1},
		mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}},
		mulligan.GateStarted{Try: 1},
		mulligan.SessionResumed{},
		mulligan.SessionResumed{},
		mulligan.GateStarted{Try: 1},
		mulligan.GateEnded{Try: 1, Verdict: broken},
		mulligan.GateStarted{Try: 2},
		mulligan.SessionResumed{},
		mulligan.SessionResumed{},
	} {
		if err := state.Apply(mulligan.Event{Session: "s", Number: int64(i + 1), Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if e := state.Examination; e.Gate != 0 || e.Try != 1 || !e.InFlight {
		t.Errorf("check %d was tried %d times, in flight: %v; want check 0, once, in flight", e.Gate, e.Try, e.InFlight)
	}
}

// A message that two processes have stored is one; those without an id each count.
func TestAMessageCountsOnce(t *testing.T) {
	var state state.State
	for i, body := range []mulligan.Body{
		mulligan.SessionStarted{Plan: &mulligan.Plan{}},
		mulligan.Told{ID: "a", Text: "mind the gap"},
		mulligan.Told{ID: "a", Text: "mind the gap"},
		mulligan.Told{ID: "b", Text: "mind the gap"},
		mulligan.Told{Text: "mind the gap"},
		mulligan.Told{Text: "mind the gap"},
	} {
		if err := state.Apply(mulligan.Event{Session: "s", Number: int64(i + 1), Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if len(state.Told) != 4 || len(state.Pending) != 4 {
		t.Errorf("%d messages, %d of them pending; want 4", len(state.Told), len(state.Pending))
	}
}

// Attempts that the agent failed in between do not hide that the same failure comes again and again.
func TestALoopKeepsTheRowOfAFailure(t *testing.T) {
	for _, same := range []int{5, 20} {
		plan := &mulligan.Plan{Steps: []mulligan.Step{{Name: "loop"}}, Loop: &mulligan.Loop{}, Limits: mulligan.Limits{SameFailure: same}}
		bodies := []mulligan.Body{mulligan.SessionStarted{Plan: plan}, mulligan.StepStarted{Step: "loop"}}
		for i := 1; i <= 3*same; i++ {
			bodies = append(bodies, mulligan.AttemptStarted{Step: "loop", Attempt: i, Iteration: i},
				mulligan.TurnStarted{Turn: i}, mulligan.TurnEnded{Turn: i, Result: mulligan.Result{Ending: mulligan.Finished}},
				mulligan.AttemptEnded{Step: "loop", Attempt: i, Status: mulligan.Fail, Counted: i%3 == 0, Fingerprint: "same"})
		}
		var state state.State
		for i, body := range bodies {
			if err := state.Apply(mulligan.Event{Session: "s", Number: int64(i + 1), Body: body}); err != nil {
				t.Fatal(err)
			}
		}
		if got := state.Steps[0].Used(); got != same {
			t.Errorf("same_failure %d: %d of the failures are kept, want %d", same, got, same)
		}
		if got, most := len(state.Steps[0].Attempts), max(12, same+1); got > most {
			t.Errorf("same_failure %d: %d attempts are kept, want %d at most", same, got, most)
		}
	}
}

// TestMadeUpJournals: whatever order events come in, Apply refuses one or takes it, and never
// panics; an event that it refuses changes nothing.
func TestMadeUpJournals(t *testing.T) {
	plan := &mulligan.Plan{Steps: []mulligan.Step{{Name: "make", Checks: []mulligan.CheckSpec{{Name: "one"}}}}}
	loop := &mulligan.Plan{Steps: plan.Steps, Loop: &mulligan.Loop{Iterations: 3}}
	plan.AgentHooks = mulligan.AgentHooks{
		MaxRetries: 2, OnLimit: mulligan.LimitFail,
		Hooks: []mulligan.AgentHook{{Event: mulligan.EventStop, Name: "tests.sh", Type: "command", Command: "tests.sh"}},
	}
	plan.Hooks = map[mulligan.Moment][]mulligan.HookSpec{
		mulligan.PostIteration:  {{Name: "post", Command: "post", Script: "post", Pipe: true}},
		mulligan.OnTaskComplete: {{Name: "task", Command: "task", Script: "task", Pipe: true}},
	}
	no := mulligan.AgentHookReply{
		Decision: mulligan.Block, Reason: "no", Feedback: "no",
		Runs: []mulligan.AgentHookRun{{Name: "tests.sh", Decision: mulligan.Block, Exit: "exit status 2"}},
	}
	bodies := []mulligan.Body{
		mulligan.SessionStarted{Plan: plan},
		mulligan.SessionStarted{Plan: loop},
		mulligan.SessionResumed{},
		mulligan.SessionResumed{CutShort: true},
		mulligan.SessionResumed{Again: true, From: 1},
		mulligan.SessionResumed{Again: true},
		mulligan.SessionEnding{Outcome: mulligan.Outcome{Ended: mulligan.Interrupted}},
		mulligan.SessionEnding{Outcome: mulligan.Outcome{Ended: mulligan.Verified}},
		mulligan.SessionEnded{},
		mulligan.StepStarted{},
		mulligan.StepCommitting{},
		mulligan.StepVerified{},
		mulligan.StepFailed{},
		mulligan.AttemptStarted{Attempt: 1, Iteration: 1},
		mulligan.AttemptEnded{Counted: true, Status: mulligan.Fail},
		mulligan.AttemptEnded{},
		mulligan.TurnStarted{Turn: 1},
		mulligan.TurnStarted{Turn: 2, Purpose: mulligan.ForHook, Base: mulligan.ForDelivery},
		mulligan.TurnStarted{Turn: 2, Purpose: mulligan.ForDelivery},
		mulligan.TurnStarted{Turn: 3, Purpose: mulligan.ForRecovery},
		mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}},
		mulligan.TurnEnded{Result: mulligan.Result{Ending: mulligan.Crashed}},
		mulligan.GateStarted{Try: 1},
		mulligan.GateEnded{Verdict: mulligan.Verdict{Status: mulligan.Pass}},
		mulligan.RoundEnded{Status: mulligan.Pass},
		mulligan.Decided{Decision: mulligan.Decision{Retry: true}},
		mulligan.Waited{For: 1},
		mulligan.Waited{Free: true},
		mulligan.IterationKept{},
		mulligan.DeliveryKept{Tree: mulligan.Tree{ID: "tree"}},
		mulligan.DeliveryKept{},
		mulligan.HookEnded{Moment: mulligan.PostIteration, Piped: true},
		mulligan.HookEnded{Moment: mulligan.OnTaskComplete},
		mulligan.Panicked{},
		mulligan.AgentHookEnded{Event: mulligan.EventStop, Reply: no},
		mulligan.AgentHookEnded{Event: mulligan.EventStop, Reply: mulligan.AgentHookReply{Decision: mulligan.Allow}},
		mulligan.AgentHookEnded{Event: mulligan.EventSessionEnd},
		mulligan.StopDecided{Choice: mulligan.LimitAccept},
		mulligan.StopDecided{Choice: mulligan.LimitContinue},
		mulligan.StopDecided{Choice: mulligan.LimitFail, Verdict: &mulligan.Verdict{}},
		mulligan.TaskAdded{Task: mulligan.TaskItem{ID: 1}},
		mulligan.TaskCompleted{Task: mulligan.TaskItem{ID: 1, Status: mulligan.Completed}},
		mulligan.TaskChanged{Task: mulligan.TaskItem{ID: 2}},
		mulligan.Claimed{},
		mulligan.Summarized{},
		mulligan.Asked{Question: mulligan.Question{ID: 1, Turn: 1}},
		mulligan.Answered{ID: 1, By: mulligan.ByPerson},
		mulligan.Told{},
		mulligan.PauseAsked{},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1_000 {
		var state state.State
		var trail []string
		for range 40 {
			body := bodies[random.IntN(len(bodies))]
			if state.Last == 0 {
				body = bodies[random.IntN(2)]
			}
			trail = append(trail, fmt.Sprintf("%s %+v", body.Kind(), body))
			before := state
			if err := applyGuarded(&state, mulligan.Event{Session: "s", Number: state.Last + 1, Body: body}); err != nil {
				if errors.Is(err, errPanicked) {
					t.Fatalf("%v after\n%s", err, strings.Join(trail, "\n"))
				}
				if !reflect.DeepEqual(before, state) {
					t.Fatalf("%v, and the state has changed, after\n%s", err, strings.Join(trail, "\n"))
				}
			}
		}
	}
}

var errPanicked = errors.New("panicked in Apply")

func applyGuarded(state *state.State, e mulligan.Event) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: %v", errPanicked, value)
		}
	}()
	return state.Apply(e)
}
