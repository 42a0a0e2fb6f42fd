package mulligan

import (
	"slices"
	"testing"
)

// A tool whose call the guard denied is not one that the agent has to do without.
func TestClaimToolsAreNotDenied(t *testing.T) {
	g := GuardState{Claims: []GuardClaim{{ID: "1", Tool: "TodoWrite"}}}
	if got := g.withoutClaimTools([]string{"Bash", "TodoWrite", "TaskUpdate"}); !slices.Equal(got, []string{"Bash", "TaskUpdate"}) {
		t.Errorf("denied %q", got)
	}
	if got := g.withoutClaimTools(nil); got != nil {
		t.Errorf("denied %q", got)
	}
}
