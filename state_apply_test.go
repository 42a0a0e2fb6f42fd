package mulligan_test

import (
	"testing"

	"mulligan"
)

// A check in flight is run again with the number that it had, however often the session is
// taken up before that.
func TestACheckInFlightIsNotCounted(t *testing.T) {
	plan := &mulligan.Plan{Steps: []mulligan.Step{{Name: "make", Checks: []mulligan.CheckSpec{{Name: "one"}}}}}
	broken := mulligan.Verdict{Status: mulligan.Broken}
	before := mulligan.Tree{ID: "tree"}
	var state mulligan.State
	for i, body := range []mulligan.Body{
		mulligan.SessionStarted{Plan: plan},
		mulligan.StepStarted{Step: "make"},
		mulligan.AttemptStarted{Step: "make", Attempt: 1, Iteration: 1},
		mulligan.TurnStarted{Turn: 1},
		mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}},
		mulligan.GateStarted{Try: 1, Before: before},
		mulligan.SessionResumed{},
		mulligan.SessionResumed{},
		mulligan.GateStarted{Try: 1, Before: before},
		mulligan.GateEnded{Try: 1, Verdict: broken},
		mulligan.GateStarted{Try: 2, Before: before},
		mulligan.SessionResumed{},
		mulligan.SessionResumed{},
	} {
		if err := state.Apply(mulligan.Event{Session: "s", Number: int64(i + 1), Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if state.Examination.Gate != 0 || state.Examination.Try != 1 || state.Examination.Before == nil || *state.Examination.Before != before {
		t.Errorf("check %d was tried %d times, on %v; want check 0, once, on %v", state.Examination.Gate, state.Examination.Try, state.Examination.Before, before)
	}
}
