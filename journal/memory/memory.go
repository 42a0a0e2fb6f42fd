// Package memory is a journal that lasts as long as the process: for tests.
package memory

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"mulligan"
	"mulligan/journal"
)

// Journal is a journal in memory. Events pass through the codec, so that they come back as from a
// store. The zero value is empty and ready to use. It is safe for concurrent use.
type Journal struct {
	mu        sync.Mutex
	sessions  map[string]*session
	changed   chan struct{} // closed at the next append; nil while no follower waits
	artifacts artifacts
}

type session struct {
	frames  []frame
	last    int64
	summary mulligan.Summary
}

type frame struct {
	first int64
	data  []byte
}

// Clone returns a journal that has what this one has. What is appended to either is not in the other.
func (j *Journal) Clone() *Journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	clone := &Journal{sessions: map[string]*session{}}
	for id, s := range j.sessions {
		clone.sessions[id] = &session{frames: slices.Clip(s.frames), last: s.last, summary: s.summary}
	}
	j.artifacts.data.Range(func(hash, data any) bool {
		clone.artifacts.data.Store(hash, data)
		return true
	})
	return clone
}

// Append stores the events as one frame.
func (j *Journal) Append(ctx context.Context, id string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	if err := journal.Check(id, after, events); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := journal.EncodeFrame(events, &j.artifacts)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	here := j.sessions[id]
	if here == nil {
		here = &session{}
	}
	if stored, err := here.checkPlace(id, after, data); stored || err != nil {
		return err
	}
	here.frames = append(here.frames, frame{first: after + 1, data: data})
	here.last, here.summary = after+int64(len(events)), s
	j.storeSession(id, here)
	return nil
}

// checkPlace returns an error unless a frame can follow the event numbered after, and reports
// whether exactly this frame is stored already.
func (s *session) checkPlace(id string, after int64, data []byte) (stored bool, err error) {
	switch {
	case s.last == after:
		return false, nil
	case s.last < after:
		return false, &mulligan.GapError{Session: id, Want: s.last + 1, Got: after + 1}
	}
	if newest := s.frames[len(s.frames)-1]; newest.first == after+1 && bytes.Equal(newest.data, data) {
		return true, nil
	}
	return false, fmt.Errorf("session %s has events after %d: %w", id, after, mulligan.ErrStale)
}

// storeSession stores the session's new state and wakes followers. It must be called with mu held.
func (j *Journal) storeSession(id string, s *session) {
	if j.sessions == nil {
		j.sessions = map[string]*session{}
	}
	j.sessions[id] = s
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// Read yields the events that are there.
func (j *Journal) Read(ctx context.Context, id string, from int64) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		frames, _, err := j.framesFrom(id, from)
		if err != nil {
			yield(mulligan.Event{}, err)
			return
		}
		if _, more := j.yieldEvents(ctx, id, frames, from, yield); more && ctx.Err() != nil {
			yield(mulligan.Event{}, ctx.Err())
		}
	}
}

// Follow yields the events that are there, and those that come until ctx ends.
func (j *Journal) Follow(ctx context.Context, id string, from int64) iter.Seq2[mulligan.Event, error] {
	return func(yield func(mulligan.Event, error) bool) {
		for ctx.Err() == nil {
			frames, changed, err := j.framesFrom(id, from)
			if err != nil {
				yield(mulligan.Event{}, err)
				return
			}
			next, more := j.yieldEvents(ctx, id, frames, from, yield)
			if !more {
				return
			}
			from = next
			select {
			case <-ctx.Done():
			case <-changed:
			}
		}
	}
}

// yieldEvents yields the events of the frames from a number on, and returns the number that is next.
// more is false if the caller wants no more.
func (j *Journal) yieldEvents(ctx context.Context, id string, frames []frame, from int64, yield func(mulligan.Event, error) bool) (next int64, more bool) {
	next = max(from, 1)
	for _, f := range frames {
		events, err := journal.DecodeFrame(id, f.first, f.data, &j.artifacts)
		if err != nil {
			yield(mulligan.Event{}, err)
			return next, false
		}
		for _, e := range events {
			if e.Number < next {
				continue
			}
			if ctx.Err() != nil {
				return next, true
			}
			if !yield(e, nil) {
				return next, false
			}
			next = e.Number + 1
		}
	}
	return next, true
}

// framesFrom returns the frames that have the event numbered from or a later one, and a channel that
// is closed at the next append.
func (j *Journal) framesFrom(id string, from int64) ([]frame, <-chan struct{}, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.sessions[id]
	if s == nil {
		return nil, nil, fmt.Errorf("session %s: %w", id, mulligan.ErrNoSession)
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	if from > s.last {
		return nil, j.changed, nil
	}
	start := len(s.frames) - 1
	for start > 0 && s.frames[start].first > from {
		start--
	}
	return slices.Clone(s.frames[start:]), j.changed, nil
}

// Sessions returns every session's newest summary.
func (j *Journal) Sessions(ctx context.Context) ([]mulligan.Summary, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	all := make([]mulligan.Summary, 0, len(j.sessions))
	for _, s := range j.sessions {
		all = append(all, s.summary)
	}
	slices.SortFunc(all, journal.CompareAge)
	sessions, _ := journal.SplitGuards(all)
	return sessions, nil
}

// artifacts keeps data by hash, in memory.
type artifacts struct{ data sync.Map }

func (a *artifacts) Put(data []byte) (string, error) {
	hash := journal.HashOf(data)
	a.data.Store(hash, bytes.Clone(data))
	return hash, nil
}

func (a *artifacts) Get(hash string) ([]byte, error) {
	data, ok := a.data.Load(hash)
	if !ok {
		return nil, fmt.Errorf("artifact %s is missing", hash)
	}
	return data.([]byte), nil
}
