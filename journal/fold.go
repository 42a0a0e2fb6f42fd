package journal

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"mulligan"
	"mulligan/state"
)

// Fold makes a session's state of its events. It ends at a gap, at damage, or at an event that this
// version cannot read, with an error that names the event.
func Fold(events iter.Seq2[mulligan.Event, error]) (*state.State, error) {
	state := &state.State{}
	for event, err := range events {
		if err != nil {
			return nil, err
		}
		if _, unknown := event.Body.(Unknown); unknown {
			return nil, fmt.Errorf("event %d of session %s is of the kind %q: %w", event.Number, event.Session, event.Body.Kind(), ErrNewer)
		}
		if err := state.Apply(event); err != nil {
			return nil, err
		}
	}
	return state, nil
}

// CompareAge orders summaries as journals list them: the oldest session first.
func CompareAge(a, b mulligan.Summary) int {
	return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
}

// SplitGuards returns the summaries of sessions, and those of the guards of agents that no session
// runs, each in their order. Without guards the sessions are all itself.
func SplitGuards(all []mulligan.Summary) (sessions, guards []mulligan.Summary) {
	if !slices.ContainsFunc(all, func(s mulligan.Summary) bool { return s.Guard }) {
		return all, nil
	}
	for _, s := range all {
		if s.Guard {
			guards = append(guards, s)
		} else {
			sessions = append(sessions, s)
		}
	}
	return sessions, guards
}
