package state_test

import (
	"testing"
	"time"

	"mulligan"
	"mulligan/state"
)

// applyBodies gives a state the events of a session from its start on.
func applyBodies(t *testing.T, bodies ...mulligan.Body) *state.State {
	t.Helper()
	s := &state.State{}
	for i, b := range append([]mulligan.Body{mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "calc"}}}}}, bodies...) {
		if err := s.Apply(mulligan.Event{Session: "s", Number: int64(i + 1), Time: time.Unix(int64(i), 0), Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// claimOf returns a claim of the item x.
func claimOf(id string, attempt int, status mulligan.GuardStatus) mulligan.GuardClaimed {
	return mulligan.GuardClaimed{GuardClaim: mulligan.GuardClaim{ID: id, Max: 2, Items: []mulligan.ClaimedItem{{Key: "x", Content: "X", Attempt: attempt, Status: status, By: mulligan.ByGuard}}}}
}

// G5: a person who decides about an item that was claimed too often sees what was found about it: a claim
// without a ruling leaves the reason of the last one.
func TestTheReasonOfTheLastRulingStays(t *testing.T) {
	open := mulligan.GuardSeen{Items: []mulligan.GuardItem{{Key: "x", Content: "X", Status: mulligan.ItemOpen}}}
	refuted := mulligan.GuardRuled{Claim: "b", Items: []mulligan.ClaimedItem{{Key: "x", Content: "X", Attempt: 2, Status: mulligan.ItemDenied, Reason: "no test", By: "judge"}}}
	ruled := []mulligan.Body{open, claimOf("a", 1, mulligan.ItemDenied), claimOf("b", 2, mulligan.ItemValidating), refuted}
	for name, c := range map[string]struct {
		then       mulligan.Body
		reason, by string
	}{
		"over":       {claimOf("c", 3, mulligan.ItemOver), "no test", "judge"},
		"validating": {claimOf("c", 3, mulligan.ItemValidating), "no test", "judge"},
		"passed":     {claimOf("c", 3, mulligan.ItemPassed), "", mulligan.ByGuard},
		"released":   {mulligan.GuardDecided{Key: "x", Status: mulligan.ItemOpen, By: mulligan.ByPerson}, "", mulligan.ByPerson},
	} {
		item := applyBodies(t, append(ruled[:len(ruled):len(ruled)], c.then)...).Guard.Item("x")
		if item.Reason != c.reason || item.By != c.by {
			t.Errorf("%s: the reason is %q by %q, want %q by %q", name, item.Reason, item.By, c.reason, c.by)
		}
	}
}

// A fold does not change the events that it is made of.
func TestARulingLeavesTheEventOfItsClaim(t *testing.T) {
	claimed := claimOf("b", 1, mulligan.ItemValidating)
	refuted := mulligan.GuardRuled{Claim: "b", Items: []mulligan.ClaimedItem{{Key: "x", Content: "X", Attempt: 1, Status: mulligan.ItemDenied}}}
	applyBodies(t, mulligan.GuardSeen{Items: []mulligan.GuardItem{{Key: "x", Content: "X", Status: mulligan.ItemOpen}}}, claimed, refuted)
	if got := claimed.Items[0].Status; got != mulligan.ItemValidating {
		t.Errorf("the event's item is %s", got)
	}
}
