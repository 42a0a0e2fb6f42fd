package workspace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"
	"time"
)

// ForgetSnapshots deletes the snapshots of sessions from the snapshot repository dir, and the objects
// that nothing else there needs. Objects younger than a day stay: a running session may be about to
// label them.
func ForgetSnapshots(ctx context.Context, dir string, sessions ...string) error {
	if !hasHead(dir) {
		return nil
	}
	g := newSnapshotGit(dir, new(atomic.Int64))
	var drop bytes.Buffer
	for _, session := range sessions {
		if err := os.RemoveAll(filepath.Join(dir, frozenFolders, session)); err != nil {
			return err
		}
		if err := os.RemoveAll(newKeeper(dir, session).Dir); err != nil {
			return fmt.Errorf("cannot drop what session %s put back of git's own files: %w", session, err)
		}
		refs, err := g.run(ctx, "for-each-ref", "--format=delete %(refname)", path.Join(snapshotRefs, session))
		if err != nil {
			return fmt.Errorf("cannot list the snapshots of session %s: %w", session, err)
		}
		drop.Write(refs)
		if err := forgetThinned(ctx, g, dir, session, &drop); err != nil {
			return err
		}
	}
	if drop.Len() == 0 {
		return nil
	}
	if _, err := g.runWithInput(ctx, drop.Bytes(), "update-ref", "--stdin"); err != nil {
		return fmt.Errorf("cannot drop snapshots: %w", err)
	}
	if err := freeUnneeded(ctx, g, dir, 24*time.Hour); err != nil {
		return fmt.Errorf("cannot clear away what dropped snapshots held: %w", err)
	}
	return nil
}
