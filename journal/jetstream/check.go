package jetstream

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"mulligan"
	"mulligan/journal"
	"mulligan/state"
)

// Checked is the result of reading the whole journal.
type Checked struct {
	Sessions int
	Events   int64 // that can be read, up to the first damage of each session
	Damaged  []Damage
}

// A Damage is a session that cannot be read to its end.
type Damage struct {
	Session string
	Whole   int64  // events before the first that is missing or cannot be read
	Had     int64  // events that it is known to have had; 0 if nothing shows it
	Folder  string // where it is kept; "" where that is on servers of others
	Err     error  // names the event
}

// Check reads every event of a session, or of all if session is "". It checks that no event is
// missing or damaged, that the artifacts match their hashes, that every event is there that was once
// acknowledged, and that the events can follow each other. The error is of a journal that could not
// be read at all.
func (s *Store) Check(ctx context.Context, session string) (Checked, error) {
	sessions := []string{session}
	if session == "" {
		var err error
		if sessions, err = s.listEverySession(ctx); err != nil {
			return Checked{}, err
		}
	}
	var c Checked
	for _, id := range sessions {
		events, err := s.checkSession(ctx, id)
		if err != nil && !Damaged(err) {
			return c, err
		}
		c.Sessions++
		c.Events += events
		if err != nil {
			c.Damaged = append(c.Damaged, Damage{Session: id, Whole: events, Had: s.knownEvents(id), Folder: s.folderOf(id), Err: err})
		}
	}
	return c, nil
}

// listEverySession returns the ids of all sessions that left a trace: those that are listed, those
// whose last frame cannot be read, and those that were written once and are gone.
func (s *Store) listEverySession(ctx context.Context) ([]string, error) {
	listed, err := s.listAll(ctx)
	if err != nil && !Damaged(err) {
		return nil, err
	}
	var all []string
	for _, sum := range listed {
		all = append(all, sum.ID)
	}
	stored, err := s.listStored(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, stored...)
	marked, err := s.marks.listSessions()
	if err != nil {
		return nil, err
	}
	all = append(all, marked...)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(id string) bool {
		_, ok := journal.Month(id)
		return !ok
	}), nil
}

// checkSession returns how many events can be read, in the order that a session writes them.
func (s *Store) checkSession(ctx context.Context, session string) (int64, error) {
	var state state.State
	for e, err := range s.Read(ctx, session, 1) {
		if errors.Is(err, mulligan.ErrNoSession) && s.knownEvents(session) > 0 {
			err = &journal.DamageError{Session: session, Number: 1, Err: err}
		}
		if err != nil {
			return state.Last, err
		}
		if err := applyKnown(&state, e); err != nil {
			return state.Last, &journal.DamageError{Session: session, Number: e.Number, Err: err}
		}
	}
	return state.Last, nil
}

// knownEvents returns how many events a session is known to have had, or 0 if nothing shows it.
func (s *Store) knownEvents(session string) int64 {
	n := s.marks.readMark(session)
	if sealed, found, err := s.findSealed(session); err == nil && found {
		n = max(n, sealed.Events)
	}
	return n
}

// folderOf returns the folder of a session's month in the engine, or the session's own file once it
// is sealed; "" for a journal on servers of others.
func (s *Store) folderOf(session string) string {
	month, ok := journal.Month(session)
	if !ok || s.dialer == nil {
		return ""
	}
	if s.wasSealed(session) {
		return s.archive.Path(session)
	}
	return filepath.Join(s.dialer.dir, "jetstream", "$G", "streams", streamName(month))
}

// Damaged reports whether an error is of damaged sessions and of nothing else, so that the rest of
// the journal can be used.
func Damaged(err error) bool {
	switch e := err.(type) {
	case *journal.DamageError, *mulligan.GapError:
		return true
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(err error) bool { return !Damaged(err) })
	case interface{ Unwrap() error }:
		return Damaged(e.Unwrap())
	}
	return false
}

func (d Damage) String() string {
	text := fmt.Sprintf("%v; %d events before it are whole", d.Err, d.Whole)
	if lost := d.Had - d.Whole; lost > 0 {
		text += fmt.Sprintf(", %d are lost", lost)
	}
	return text
}
