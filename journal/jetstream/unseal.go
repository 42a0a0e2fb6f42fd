package jetstream

import (
	"context"
	"errors"

	"mulligan"
	"mulligan/journal"
)

// findSealed returns what the archive has of a session, and reports whether it has any. A journal on
// servers of others has no archive: they are not ours to tidy.
func (s *Store) findSealed(session string) (journal.Sealed, bool, error) {
	if s.archive == nil {
		return journal.Sealed{}, false, nil
	}
	return s.archive.Find(session)
}

// readSealed yields the events that come from the archive, and reports whether the stream has more.
func (r *reader) readSealed(ctx context.Context, s journal.Sealed, yield func(mulligan.Event, error) bool) (more bool, err error) {
	r.unplaced = false
	if s.Events == 0 || r.damage != nil {
		return true, nil
	}
	if s.Events > r.at.number {
		if err := r.readArchive(ctx, s, yield); err != nil {
			return false, err
		}
	}
	if r.damage == nil {
		r.sealed = max(r.sealed, s.Events)
	}
	if r.at.seq == 0 && r.damage == nil && r.at.number == s.Events {
		same, err := r.s.isUnchanged(ctx, r.session, s)
		if r.unplaced = same; same || err != nil {
			return false, err
		}
	}
	at, err := r.s.streamTip(ctx, r.session)
	switch {
	case err != nil:
		return false, err
	case r.damage == nil && at.number <= r.at.number:
		r.at.seq = at.seq
		return false, nil
	case at.seq < r.at.seq:
		r.at.seq = 0 // the stream was dropped, and made anew for what came later
	}
	return true, nil
}

// isUnchanged reports whether the stream still has the frames of a session that it had when the session was
// sealed, and no others. The engine knows that without reading a file of the month.
func (s *Store) isUnchanged(ctx context.Context, session string, have journal.Sealed) (bool, error) {
	month, _ := journal.Month(session)
	if have.Source == (journal.Source{}) {
		return false, nil
	}
	first, counts, err := s.countFrames(ctx, month, session)
	return err == nil && have.Source == (journal.Source{Stream: first, Frames: counts[session]}), err
}

// readArchive yields the events of the session's file. If the file is damaged and no event was read
// yet, it keeps the damage for later: until its month is dropped, the stream has the events too.
func (r *reader) readArchive(ctx context.Context, s journal.Sealed, yield func(mulligan.Event, error) bool) error {
	err := r.s.archive.Read(r.session, max(r.from, r.at.number+1), func(e mulligan.Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !yield(e, nil) {
			return errStopped
		}
		r.at.number = e.Number
		return nil
	})
	if _, damaged := errors.AsType[*journal.DamageError](err); damaged && r.at.number == 0 {
		r.damage = err // until its month is dropped, the stream has it too
		return nil
	}
	if err != nil {
		return err
	}
	r.at.number = max(r.at.number, s.Events)
	if r.at.number == s.Events {
		r.at.id = s.Frame
	}
	r.sealed = r.at.number
	return nil
}
