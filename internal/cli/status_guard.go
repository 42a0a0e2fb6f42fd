package cli

import (
	"slices"

	"mulligan"
	"mulligan/state"
	"mulligan/view"
)

// sessionGuardJSON is how the items of a session stand with the guard.
type sessionGuardJSON struct {
	Enabled bool              `json:"enabled"`
	Max     int               `json:"max"` // claims of an item that are considered
	Items   []sessionItemJSON `json:"items"`
}

// sessionItemJSON is an item that an agent may claim to be done.
type sessionItemJSON struct {
	mulligan.GuardItem
	Waits bool `json:"waits,omitempty"` // for a person's word
}

// newSessionGuard returns what the guard knows of a session, or nil if it is off and knows nothing.
func newSessionGuard(snap view.Snapshot, state *state.State) *sessionGuardJSON {
	if !snap.Guard.On && len(state.Guard.Items) == 0 {
		return nil
	}
	out := &sessionGuardJSON{Enabled: snap.Guard.On, Max: snap.Guard.Max, Items: []sessionItemJSON{}}
	waiting := state.OverLimit()
	for _, item := range state.Guard.Items {
		waits := slices.ContainsFunc(waiting, func(w mulligan.GuardItem) bool { return w.Key == item.Key })
		out.Items = append(out.Items, sessionItemJSON{item, waits})
	}
	return out
}
