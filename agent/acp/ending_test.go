package acp

import (
	"testing"

	"mulligan"
	"mulligan/internal/process"
)

// A turn that its program ends because it was denied something is looked at, and its feedback
// says what that was; one that ends for nothing is not.
func TestCancelledByADenial(t *testing.T) {
	for denied, want := range map[bool]mulligan.Ending{true: mulligan.Finished, false: mulligan.Crashed} {
		o := outcome{answer: &promptAnswer{StopReason: "cancelled"}, denied: denied, connected: true}
		if r := o.how(t.Context(), process.Exit{}, ""); r.Ending != want || (r.Reason == "") != denied {
			t.Errorf("denied %v: %s (%s)", denied, r.Ending, r.Reason)
		}
	}
}

// What was cached is input, whether the program counts it there or in the total alone.
func TestInputOfUsage(t *testing.T) {
	for usage, want := range map[[5]int64]int64{ // input, output, cached, thought, total
		{100, 30, 20, 0, 130}:  100, // in the input
		{100, 30, 20, 0, 150}:  120, // besides
		{100, 30, 0, 10, 140}:  100, // thoughts besides the output
		{100, 30, 20, 10, 130}: 100, // thoughts in the output
		{100, 30, 0, 0, 0}:     100, // no total
	} {
		var a promptAnswer
		a.Usage.Input, a.Usage.Output, a.Usage.Cached, a.Usage.Thought, a.Usage.Total = usage[0], usage[1], usage[2], usage[3], usage[4]
		if got := a.input(); got != want {
			t.Errorf("%v: %d", usage, got)
		}
	}
}
