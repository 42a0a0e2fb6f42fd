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
