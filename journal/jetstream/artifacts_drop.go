package jetstream

import (
	"context"
	"time"

	"mulligan/journal"
)

// DropArtifacts removes the artifacts in the state folder that no stream refers to and that were
// written before a moment: sealed sessions have theirs in their files. Younger ones stay, for their
// event may be on its way.
func (s *Store) DropArtifacts(ctx context.Context, before time.Time) error {
	if s.archive == nil {
		return nil
	}
	used := map[string]bool{}
	sessions, err := s.listStored(ctx)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		if err := s.addArtifactsOf(ctx, session, used); err != nil {
			return err
		}
	}
	return s.files.Drop(func(hash string) bool { return used[hash] }, before)
}

// addArtifactsOf adds the artifacts that a session's frames refer to.
func (s *Store) addArtifactsOf(ctx context.Context, session string, used map[string]bool) error {
	r, err := s.newReader(session, 1)
	if err != nil {
		return err
	}
	for after := uint64(0); ; {
		b := <-r.startFetch(ctx, after)
		if b.err != nil || len(b.frames) == 0 {
			return b.err
		}
		for _, frame := range b.frames {
			for _, hash := range journal.ArtifactsIn(frame.Data) {
				used[hash] = true
			}
		}
		after = b.last
	}
}
