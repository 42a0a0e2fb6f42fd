package state

import (
	"slices"
	"testing"

	"mulligan"
)

// A tool whose call the guard denied is not one that the agent has to do without.
func TestClaimToolsAreNotDenied(t *testing.T) {
	g := Guard{Claims: []mulligan.GuardClaim{{ID: "1", Tool: "TodoWrite"}}}
	if got := g.WithoutClaimTools([]string{"Bash", "TodoWrite", "TaskUpdate"}); !slices.Equal(got, []string{"Bash", "TaskUpdate"}) {
		t.Errorf("denied %q", got)
	}
	if got := g.WithoutClaimTools(nil); got != nil {
		t.Errorf("denied %q", got)
	}
}
