//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// Months are dropped all the time while sessions are written, read, followed, listed and checked: nothing is lost.
func TestTidyWhileWriting(t *testing.T) {
	const batches = 40
	dir := t.TempDir()
	host, client := open(t, dir, jetstream.Session), open(t, dir, jetstream.Session)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	var others, work sync.WaitGroup
	d := drops{stored: make(chan struct{}, 1), over: make(chan struct{}), next: make(chan struct{})}
	others.Go(func() { d.tidyWhatIsStored(ctx, t, client) })
	others.Go(func() { untilOver(t, d.over, listMore(ctx, host)) })
	others.Go(func() { untilOver(t, d.over, func() error { _, err := host.Check(ctx, ""); return err }) })
	for i, s := range []*jetstream.Store{host, client, host} {
		id := "20261115-00000" + string(rune('0'+i)) + "-both"
		news := make(chan struct{}, 1)
		work.Go(func() {
			for after := int64(0); after < 2*batches; after += 2 {
				if err := s.Append(ctx, id, after, journaltest.Events(id, after, 2), journaltest.Summary(id, after+2)); err != nil {
					t.Errorf("%s after %d: %v", id, after, err)
					return
				}
				note(news)
				note(d.stored)
				time.Sleep(rand.N(20 * time.Millisecond)) // else all is written within a few drops
			}
		})
		work.Go(func() { followTo(ctx, t, s, id, 2*batches) })
		others.Go(func() { d.readSlowly(ctx, t, s, id, news) })
	}
	work.Wait()
	close(d.over)
	others.Wait()
	t.Logf("%d months dropped under way", d.count)
	if d.count == 0 {
		t.Error("no month was dropped")
	}
}

// drops are the months that are dropped while sessions are written.
type drops struct {
	stored chan struct{} // something was stored since the last tidying
	over   chan struct{} // closed when all is written

	mu    sync.Mutex
	count int
	next  chan struct{} // closed when the next month is dropped
}

// note says on a channel with room for one that there is something new.
func note(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default: // that was said already
	}
}

// add counts a drop.
func (d *drops) add() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	close(d.next)
	d.next = make(chan struct{})
}

// waitForNext waits until another month is dropped, or all is written.
func (d *drops) waitForNext() {
	d.mu.Lock()
	next := d.next
	d.mu.Unlock()
	select {
	case <-next:
	case <-d.over:
	}
}

// tidyWhatIsStored tidies whenever something was stored, until all is written. If it tidied all the time, it would hold the
// archive's lock nearly always, and the writers, which need the lock once for each month that is dropped, would wait for it
// most of the time.
func (d *drops) tidyWhatIsStored(ctx context.Context, t *testing.T, s *jetstream.Store) {
	for {
		select {
		case <-d.over:
			return
		case <-d.stored:
		}
		got, err := s.Tidy(ctx, later, 1000)
		if err != nil {
			t.Error(err)
			return
		}
		for range got.Dropped {
			d.add()
		}
	}
}

// readSlowly reads a session that was just written, and lets the month be dropped before it has the second event: what
// the stream had when the reading began is then in the archive alone.
func (d *drops) readSlowly(ctx context.Context, t *testing.T, s *jetstream.Store, id string, news <-chan struct{}) {
	for {
		select {
		case <-d.over:
			return
		case <-news:
		}
		last := int64(0)
		for e, err := range s.Read(ctx, id, 1) {
			if last++; err != nil || e.Number != last {
				t.Errorf("%s is read: event %d, want %d: %v", id, e.Number, last, err)
				return
			}
			if last == 1 {
				d.waitForNext()
			}
		}
	}
}

// untilOver calls do again and again, until over is closed or it fails.
func untilOver(t *testing.T, over <-chan struct{}, do func() error) {
	for {
		select {
		case <-over:
			return
		default:
		}
		if err := do(); err != nil {
			t.Error(err)
			return
		}
	}
}

// listMore returns a function that lists the sessions, and fails if one is not listed that was: a month that goes meanwhile
// is no damage.
func listMore(ctx context.Context, s *jetstream.Store) func() error {
	most := 0
	return func() error {
		all, err := s.Sessions(ctx)
		if err != nil || len(all) < most {
			return fmt.Errorf("%d sessions of %d are listed, %w", len(all), most, err)
		}
		most = len(all)
		return nil
	}
}

// followTo follows a session from its first event on, once it is there.
func followTo(ctx context.Context, t *testing.T, s *jetstream.Store, id string, last int64) {
	want := int64(1)
	for want <= last && ctx.Err() == nil {
		for e, err := range s.Follow(ctx, id, want) {
			if errors.Is(err, mulligan.ErrNoSession) && want == 1 {
				break // not yet
			}
			if err != nil || e.Number != want {
				t.Errorf("%s: event %d, want %d: %v", id, e.Number, want, err)
				return
			}
			if want++; want > last {
				break
			}
		}
	}
	if want <= last {
		t.Errorf("%s: followed to %d of %d", id, want-1, last)
	}
}
