package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/lockfile"
	"mulligan/journal"
)

const (
	// endedFor is how long a session has been over before it is sealed: one that failed is
	// often run again at once.
	endedFor = time.Hour
	// quietFor is how long nothing was heard of a session that never ended.
	quietFor = 30 * 24 * time.Hour
)

// A Tidied is the result of tidying.
type Tidied struct {
	Sealed  int      // sessions
	Dropped []string // months
}

// Tidy seals sessions that are over, at most so many, and drops the months that are over and sealed
// whole. A sealed session reads as before and can be resumed: its later events are in the stream
// again. Tidy does nothing if another process tidies, or if the journal is on servers of others.
func (s *Store) Tidy(ctx context.Context, now time.Time, most int) (Tidied, error) {
	var t Tidied
	if s.archive == nil {
		return t, nil
	}
	lock, err := lockfile.Lock(s.archiveLock())
	if _, busy := errors.AsType[*lockfile.BusyError](err); busy {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	defer lock.Unlock()
	s.serving.removeLeftovers()
	if err := s.archive.RepairIndex(); err != nil {
		return t, err
	}
	months, err := s.listMonths(ctx)
	for _, month := range months {
		if err == nil {
			err = s.tidyMonth(ctx, month, now, most, &t)
		}
	}
	return t, err
}

// tidyMonth seals sessions of a month, and drops the month if all of them are sealed in the end.
func (s *Store) tidyMonth(ctx context.Context, month string, now time.Time, most int, t *Tidied) error {
	sums, _, err := s.listFromStream(ctx, month)
	if err != nil {
		return err // damage is for a person to look at, not to be tidied away
	}
	open := 0
	for _, sum := range sums {
		have, _, err := s.findSealed(sum.ID)
		switch {
		case err != nil:
			return err
		case have.Events >= sum.Events:
		case t.Sealed >= most || !isSettled(sum, now):
			open++
		default:
			if err := s.sealSession(ctx, sum); err != nil {
				return err
			}
			t.Sealed++
		}
	}
	if open > 0 || month >= now.UTC().Format("200601") {
		return nil
	}
	if err := s.dropMonth(ctx, month); err != nil {
		return err
	}
	t.Dropped = append(t.Dropped, month)
	return nil
}

// isSettled reports whether a session is unlikely to be resumed.
func isSettled(sum mulligan.Summary, now time.Time) bool {
	quiet := now.Sub(sum.Updated)
	return sum.Ended != "" && quiet > endedFor || quiet > quietFor
}

// sealSession copies a session's events into the archive. Its mark is then no longer needed.
func (s *Store) sealSession(ctx context.Context, sum mulligan.Summary) error {
	r, err := s.newReader(sum.ID, 1)
	if err != nil {
		return err
	}
	sealed, err := s.archive.Seal(sum, func() (string, journal.Source) { return r.at.id, s.sourceOf(ctx, r) }, r.allEvents(ctx))
	if err != nil {
		return fmt.Errorf("seal session %s: %w", sum.ID, err)
	}
	s.marks.dropMark(sum.ID, sealed.Events)
	return nil
}

// sourceOf returns what the stream has of a session that was read to its end. It is the zero Source
// if that cannot be found out, or if something came meanwhile: lists then ask the engine.
func (s *Store) sourceOf(ctx context.Context, r *reader) journal.Source {
	first, frames, err := s.countFrames(ctx, r.month, r.session)
	if err != nil {
		return journal.Source{}
	}
	at, err := s.streamTip(ctx, r.session)
	if err != nil || at.seq != r.at.seq || at.seq < first {
		return journal.Source{}
	}
	return journal.Source{Stream: first, Frames: frames[r.session]}
}

// allEvents is readAll as a sequence.
func (r *reader) allEvents(ctx context.Context) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		if err := r.readAll(ctx, yield); err != nil && !errors.Is(err, errStopped) {
			yield(mulligan.Event{}, err)
		}
	}
}

// dropMonth deletes a month's stream once its sessions are in the archive, every one to its end.
// From the first moment on the stream takes no more frames: a process that resumes a session of that
// month is refused, and waits until the stream is gone (finishDrop).
func (s *Store) dropMonth(ctx context.Context, month string) error {
	if err := s.archive.AddMonth(month); err != nil {
		return err
	}
	info, err := s.fetchStreamInfo(ctx, month, nil)
	if err != nil || info.Config == nil {
		return err
	}
	if info.Config["sealed"] != true {
		info.Config["sealed"] = true
		if err := s.callAPI(ctx, "STREAM.UPDATE."+streamName(month), info.Config, &struct{}{}); err != nil {
			return err
		}
	}
	sums, err := s.listForDrop(ctx, month)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if err := s.ensureSealed(ctx, sum); err != nil {
			return fmt.Errorf("the month %s is not dropped: %w", month, err)
		}
	}
	err = s.callAPI(ctx, "STREAM.DELETE."+streamName(month), nil, &struct{}{})
	if err != nil && !isRefusal(err, server.JSStreamNotFoundErr) { // asked twice, over two connections
		return err
	}
	return s.clearMonthFiles(ctx, month)
}

// listForDrop is listFromStream for a stream that is about to be deleted: a session that the stream has and the list lacks is
// an error.
func (s *Store) listForDrop(ctx context.Context, month string) ([]mulligan.Summary, error) {
	sums, _, err := s.listFromStream(ctx, month)
	if err != nil {
		return nil, err
	}
	_, counts, err := s.countFrames(ctx, month, "*")
	if err != nil {
		return nil, err
	}
	return sums, checkListed(month, counts, sums)
}

// checkListed returns an error if a session that has frames is not in the list.
func checkListed(month string, counts map[string]uint64, sums []mulligan.Summary) error {
	listed := make(map[string]bool, len(sums))
	for _, sum := range sums {
		listed[sum.ID] = true
	}
	for _, session := range slices.Sorted(maps.Keys(counts)) {
		if !listed[session] {
			return fmt.Errorf("the month %s is not dropped: the engine has frames of session %s, and does not list it", month, session)
		}
	}
	return nil
}

// clearMonthFiles waits until the files of a dropped month are gone: the engine removes them by and
// by, and would mix them up with those of the same month made anew.
func (s *Store) clearMonthFiles(ctx context.Context, month string) error {
	streams := filepath.Join(s.dialer.dir, "jetstream", "$G", "streams")
	for {
		left := 0
		for _, name := range []string{streamName(month), "." + streamName(month)} {
			folder := filepath.Join(streams, name)
			if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			left++
			if err := os.RemoveAll(folder); err != nil {
				return fmt.Errorf("the files of %s, which is sealed, cannot be removed: %w", month, err)
			}
		}
		if left == 0 {
			return nil
		}
		if clock.Sleep(ctx, retryWait); ctx.Err() != nil {
			return contextError(ctx)
		}
	}
}

// ensureSealed seals a session unless the archive has all of it in a file that can be read.
func (s *Store) ensureSealed(ctx context.Context, sum mulligan.Summary) error {
	have, err := s.archive.Verify(sum.ID)
	if err == nil && have.Events >= sum.Events {
		return nil
	}
	if err := s.sealSession(ctx, sum); err != nil {
		return err
	}
	_, err = s.archive.Verify(sum.ID)
	return err
}

// finishDrop waits until another process has dropped the month of a session, or drops it itself if
// that process is gone.
func (s *Store) finishDrop(ctx context.Context, session string) error {
	month, _ := journal.Month(session)
	lock, err := s.waitForArchive(ctx)
	if err != nil {
		return err
	}
	return errors.Join(s.dropMonth(ctx, month), lock.Unlock())
}

// makeMonthStream makes the stream of a month. One that was dropped before comes back only when no
// process is sealing or dropping.
func (s *Store) makeMonthStream(ctx context.Context, month string) error {
	if s.archive != nil && s.archive.HasMonth(month) {
		lock, err := s.waitForArchive(ctx)
		if err != nil {
			return err
		}
		defer lock.Unlock()
	}
	return s.makeStream(ctx, streamName(month), logSubject(month, "*"), "mulligan: sessions of "+month, keepAll)
}

// waitForArchive makes this process the one that seals, as soon as no other is.
func (s *Store) waitForArchive(ctx context.Context) (*lockfile.File, error) {
	lock, err := lockfile.LockWait(ctx, s.archiveLock())
	if err != nil && ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	return lock, err
}

// archiveLock returns the path of the lock that the process holds which seals.
func (s *Store) archiveLock() string { return filepath.Join(s.archive.Dir(), "lock") }

// checkNotStale returns mulligan.ErrStale if the first frame of a session in a stream, which is
// stored already, does not follow what the archive has. A month that is dropped and made anew looks
// to a writer whose view is stale as if nothing had come in between; readers pass over such a frame.
func (s *Store) checkNotStale(session string, at tip, id string) error {
	if !s.wasSealed(session) {
		return nil
	}
	have, _, err := s.findSealed(session)
	if err == nil && have.Events > at.number && have.Frame != id {
		err = fmt.Errorf("it has events after %d, up to %d: %w", at.number, have.Events, mulligan.ErrStale)
	}
	return err
}

// wasSealed reports, without reading anything, whether the archive has a session.
func (s *Store) wasSealed(session string) bool {
	if s.archive == nil {
		return false
	}
	_, err := os.Stat(s.archive.Path(session))
	return err == nil
}
