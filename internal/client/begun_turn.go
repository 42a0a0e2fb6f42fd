package client

import (
	"context"
	"io"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/regular"
	"mulligan/journal/jetstream"
)

// begunOutput is how many bytes of a turn's output a viewer gets that comes in the middle of it.
const begunOutput = 64 << 10

// showPrinted passes to f.Live what a turn has printed while f could not hear it, after the event that the turn
// began with: that of the turn under way when f began, and that of the turns since which began too early to be
// heard.
func (f *Follower) showPrinted(ctx context.Context, e mulligan.Event) {
	b, ok := e.Body.(mulligan.TurnStarted)
	if !ok || f.Live == nil {
		return
	}
	begun := f.Begun != nil && f.Begun.Turn == b.Turn
	if !begun && e.Number <= f.Seen || !f.mayMiss(ctx, e.Time) {
		return
	}
	now := time.Now() // what is printed later comes live
	data, err := readEnd(b.Log)
	if err != nil || len(data) == 0 {
		return // it is on another machine, or nothing was printed
	}
	if begun {
		f.Begun = nil
	}
	f.shown.Store(&now)
	// The reader takes the second piece, which is empty, when it is done with the first: only then may the next
	// event follow.
	for _, piece := range [][]byte{data, nil} {
		select {
		case f.Live <- piece:
		case <-ctx.Done():
		}
	}
}

// mayMiss reports whether f may not hear, or leaves out, a part of what is printed from a moment on. Until it can
// hear, it waits.
func (f *Follower) mayMiss(ctx context.Context, from time.Time) bool {
	if shown := f.shown.Load(); shown != nil && from.Before(*shown) {
		return true
	}
	if f.near == nil {
		return true // no process hosts the journal: nothing comes live
	}
	return f.near.wait(ctx, from)
}

// An earshot is the time from which on a viewer hears all that is printed. It is safe for concurrent use.
type earshot struct {
	known chan struct{} // closed when the time is known, or will never be
	once  sync.Once
	from  time.Time // zero if the viewer will not hear
}

func newEarshot() *earshot { return &earshot{known: make(chan struct{})} }

// reach notes that the journal's host knows of the viewer. Writers may take a while to notice.
func (n *earshot) reach() {
	n.once.Do(func() {
		n.from = time.Now().Add(jetstream.DeafFor + earshotMargin)
		close(n.known)
	})
}

// giveUp notes that the viewer hears nothing more.
func (n *earshot) giveUp() { n.once.Do(func() { close(n.known) }) }

// earshotMargin is what the clocks of a host, a writer and a viewer may take more than they should.
const earshotMargin = 50 * time.Millisecond

// wait reports whether the viewer may miss a part of what is printed from a moment on. If so, it first waits
// until the viewer hears everything.
func (n *earshot) wait(ctx context.Context, from time.Time) bool {
	select {
	case <-n.known:
	case <-ctx.Done():
		return false
	}
	if n.from.IsZero() {
		return true
	}
	if !from.Before(n.from) {
		return false
	}
	clock.Sleep(ctx, time.Until(n.from))
	return true
}

// readEnd returns the last bytes of a file.
func readEnd(path string) ([]byte, error) {
	file, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-begunOutput), begunOutput))
}
