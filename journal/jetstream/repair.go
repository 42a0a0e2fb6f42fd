package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mulligan"
	"mulligan/internal/lockfile"
	"mulligan/journal"
	"mulligan/state"
)

// Repaired is the result of a repair.
type Repaired struct {
	Checked
	Kept string // the folder where the damaged journal is now; "" where nothing was damaged
}

// ErrInUse is a journal that another process has open.
var ErrInUse = errors.New("another process has the journal open")

// repairBatch is how many events are written to the new journal at once.
const repairBatch = 64

// Repair makes a new journal of all that can be read of a damaged one. A session that is cut short
// gets a note about it; a session of which nothing is left is gone. The damaged journal is kept
// whole in a folder beside. If another process has the journal open, the error is ErrInUse.
func Repair(ctx context.Context, opt Options, now time.Time) (Repaired, error) {
	opt.Mode = Short
	old, err := Open(ctx, opt)
	if err != nil {
		return Repaired{}, err
	}
	if old.dialer == nil {
		return Repaired{}, errors.Join(errors.New("a journal on servers of its own is theirs to repair"), old.Close())
	}
	lock, err := old.dialer.takeLockOver()
	if err != nil {
		return Repaired{}, errors.Join(err, old.Close())
	}
	defer unlockHost(lock)
	dir := old.dialer.dir
	r, draft, err := old.copyReadable(ctx, opt, now)
	if broke := old.Close(); !errors.Is(broke, net.ErrClosed) { // the listener is closed already
		err = errors.Join(err, broke)
	}
	if err != nil || len(r.Damaged) == 0 {
		return r, errors.Join(err, os.RemoveAll(draft))
	}
	r.Kept = filepath.Join(dir, "damaged-"+now.UTC().Format("20060102-150405"))
	return r, swapJournals(dir, draft, r.Kept)
}

// copyReadable writes what can be read into a journal of its own, below the old one's folder.
func (s *Store) copyReadable(ctx context.Context, opt Options, now time.Time) (r Repaired, draft string, err error) {
	if r.Checked, err = s.Check(ctx, ""); err != nil || len(r.Damaged) == 0 {
		return r, "", err
	}
	if draft, err = os.MkdirTemp(s.dialer.dir, "repair-"); err != nil {
		return r, "", err
	}
	opt.Dir = draft
	fresh, err := Open(ctx, opt)
	if err != nil {
		return r, draft, err
	}
	sessions, err := s.listEverySession(ctx)
	for _, id := range sessions {
		if err == nil {
			err = s.copySession(ctx, fresh, id, r.damageOf(id), now)
		}
	}
	return r, draft, errors.Join(err, fresh.Close())
}

// damageOf returns the damage of a session, or nil if it is whole.
func (r Repaired) damageOf(session string) *Damage {
	i := slices.IndexFunc(r.Damaged, func(d Damage) bool { return d.Session == session })
	if i < 0 {
		return nil
	}
	return &r.Damaged[i]
}

// copySession appends a session's events to another journal, up to the damage.
func (s *Store) copySession(ctx context.Context, to *Store, session string, d *Damage, now time.Time) error {
	var state state.State
	var batch []mulligan.Event
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := to.Append(ctx, session, batch[0].Number-1, batch, state.Summary())
		batch = nil
		return err
	}
	for e, err := range s.Read(ctx, session, 1) {
		if d != nil && (err != nil || e.Number > d.Whole) {
			break
		}
		if err == nil {
			err = applyKnown(&state, e)
		}
		if err == nil {
			if batch = append(batch, e); len(batch) == repairBatch {
				err = flush()
			}
		}
		if err != nil {
			return err
		}
	}
	if d != nil && d.Whole > 0 {
		batch = append(batch, mulligan.Event{Session: session, Number: d.Whole + 1, Time: now, Body: d.repairNote()})
		if err := state.Apply(batch[len(batch)-1]); err != nil {
			return err
		}
	}
	return flush()
}

// applyKnown leaves the events of a newer version, which are whole as far as this one can tell, out
// of the state.
func applyKnown(state *state.State, e mulligan.Event) error {
	if _, newer := e.Body.(journal.Unknown); newer {
		state.Last, state.Updated = e.Number, e.Time
		return nil
	}
	return state.Apply(e)
}

// repairNote is the event that tells a person what was lost.
func (d Damage) repairNote() mulligan.Noted {
	text := fmt.Sprintf("the journal was damaged and repaired: what came after event %d is lost", d.Whole)
	if lost := d.Had - d.Whole; lost > 0 {
		text += fmt.Sprintf(" (%d events)", lost)
	}
	return mulligan.Noted{Text: text}
}

// swapJournals puts the damaged journal aside and the new one in its place. If it is cut short, both
// are there, whole, and the damaged one is the one to look at.
func swapJournals(dir, draft, aside string) error {
	if err := os.Mkdir(aside, 0o700); err != nil {
		return err
	}
	for _, part := range []string{"jetstream", "sealed", "marks", "artifacts"} {
		for _, move := range [][2]string{{dir, aside}, {draft, dir}} {
			err := os.Rename(filepath.Join(move[0], part), filepath.Join(move[1], part))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return os.RemoveAll(draft)
}

// takeLockOver stops listening, and returns the host's lock, which is the caller's from here on:
// it outlasts the host. If another process is connected, or hosts, the error is ErrInUse.
func (d *hostDialer) takeLockOver() (*lockfile.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.host == nil {
		return nil, ErrInUse
	}
	if err := d.host.listener.Close(); err != nil {
		return nil, err
	}
	d.host.mu.Lock()
	defer d.host.mu.Unlock()
	if len(d.host.guests) > 0 {
		return nil, ErrInUse
	}
	lock := d.host.lock
	d.host.lock = nil
	return lock, nil
}
