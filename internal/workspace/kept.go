package workspace

import (
	"context"
	"fmt"
	"path"
	"slices"

	"mulligan"
)

// Kept is what is kept of a session besides its branch.
type Kept struct {
	Snapshots int     // how many there are, of all kinds
	Left      *Aside  // what the session's end left, if that is not all committed; nil if it is, or was never kept
	Aside     []Aside // what was put aside
}

// ListKept returns what is kept of a session. dir and snapshots are as for ListAside.
func ListKept(ctx context.Context, dir, snapshots, session string) (Kept, error) {
	var k Kept
	aside, err := ListAside(ctx, dir, snapshots, session)
	if err != nil || !hasHead(snapshots) {
		return Kept{Aside: aside}, err
	}
	k.Aside = aside
	l := newAsideLister(dir, snapshots)
	defer l.close()
	all, err := listSnapshots(ctx, l.snapshots, path.Join(snapshotRefs, session))
	if err != nil {
		return Kept{}, fmt.Errorf("cannot list the snapshots of session %s: %w", session, err)
	}
	k.Snapshots = len(all)
	if i := slices.IndexFunc(all, func(s Snapshot) bool { return s.Label == session+"/"+mulligan.LeftLabel }); i >= 0 {
		if left := l.describeFiles(ctx, all[i]); left.Files != 0 {
			k.Left = &left
		}
	}
	return k, nil
}

// ForgetAside deletes the refs that keep a session's commits in the user's repository. A checkout that is
// gone has none.
func ForgetAside(ctx context.Context, dir, session string) error {
	if _, err := Find(dir); err != nil {
		return nil
	}
	g, done, err := gitForRefs(dir)
	if err != nil {
		return err
	}
	defer done()
	refs, err := g.run(ctx, "for-each-ref", "--format=delete %(refname)", path.Join(asideRefs, session))
	if err == nil && len(refs) > 0 {
		_, err = g.runWithInput(ctx, refs, "update-ref", "--no-deref", "--stdin")
	}
	if err != nil {
		return fmt.Errorf("cannot drop the commits put aside: %w", err)
	}
	return nil
}
