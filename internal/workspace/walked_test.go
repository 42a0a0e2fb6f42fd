package workspace

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// TestUnheldUsesTheLastWalk: a walk serves for the look at what a commit cannot hold, until something may have written.
func TestUnheldUsesTheLastWalk(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a"})
	first := l.snap("s/0")
	l.write("a", "b")
	second := l.snap("s/1")
	for _, c := range []struct {
		name  string
		after func() error
		walks bool
	}{
		{"nothing", func() error { return nil }, false},
		{"changes listed", func() error { _, err := l.Changes(t.Context(), first, second); return err }, false},
		{"an earlier look", func() error { _, err := l.Unheld(t.Context(), first, nil); return err }, false},
		{"something is about to run", func() error { _, _, err := l.RememberGit(t.Context(), "s"); return err }, true},
		{"files put back", func() error { _, err := l.PutBack(t.Context(), second, []string{"a"}, "s/2"); return err }, true},
		{"a restore", func() error { return l.Restore(t.Context(), second, "s/3") }, true},
		{"a second", func() error { l.walked.at = time.Now().Add(-time.Hour); return nil }, true},
		{"a check that wrote nothing", func() error {
			_, _, err := l.UndoWrites(t.Context(), second, false, "s/4")
			return err
		}, false},
		{"a check that wrote", func() error {
			l.write("a", "c")
			_, _, err := l.UndoWrites(t.Context(), second, false, "s/5")
			return err
		}, true},
	} {
		wantEqual(t, "the tree", l.snap("s/1"), second)
		must(t, c.after())
		if time.Since(l.walked.at) < time.Minute {
			l.walked.at = time.Now().Add(time.Minute) // the machine may be slow
		}
		before := l.scan.round
		_, err := l.Unheld(t.Context(), first, nil)
		must(t, err)
		if walks := l.scan.round > before; walks != c.walks {
			t.Errorf("after %s: it walks: %t, want %t", c.name, walks, c.walks)
		}
	}
}

// TestSnapshotUsesTheLastWalk: a walk of this moment serves for a snapshot, until something may have written. Both keep the
// same under the label.
func TestSnapshotUsesTheLastWalk(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a", ".gitignore": "ignored\n", "ignored": "i"})
	first := l.snap("s/0")
	l.write("a", "b")
	second := l.snap("s/1")
	undo := func() error { _, _, err := l.UndoWrites(t.Context(), second, false, "s/2"); return err }
	for _, c := range []struct {
		name  string
		after func() error
		walks bool
	}{
		{"nothing", func() error { return nil }, false},
		{"a check that wrote nothing", undo, false},
		{"changes listed", func() error { _, err := l.Changes(t.Context(), first, second); return err }, false},
		{"a look at what a commit cannot hold", func() error { _, err := l.Unheld(t.Context(), first, nil); return err }, false},
		{"a look at what git ignores", func() error {
			_, err := l.WatchIgnored(t.Context(), mulligan.Watch{Globs: []string{"ignored"}})
			return err
		}, false},
		{"a look at the branch", func() error { _, _, err := l.Tip(t.Context()); return err }, false},
		{"an earlier snapshot", func() error { _, err := l.Snapshot(t.Context(), "s/2"); return err }, false},
		{"something is about to run", func() error { _, _, err := l.RememberGit(t.Context(), "s"); return err }, true},
		{"something has run", func() error { _, err := l.RestoreGit(t.Context(), mulligan.GitCheck{Session: "s"}); return err }, true},
		{"the walk is forgotten", func() error { l.ForgetWalk(); return nil }, true},
		{"files put back", func() error { _, err := l.PutBack(t.Context(), second, []string{"a"}, "s/2"); return err }, true},
		{"a restore", func() error { return l.Restore(t.Context(), second, "s/3") }, true},
		{"a walk for a comparison", func() error { _, err := l.Walk(t.Context()); return err }, true},
		{"a check that wrote", func() error { l.write("a", "c"); return undo() }, true},
		{"a check that created a file", func() error {
			l.write("new", "n")
			left, _, err := l.UndoWrites(t.Context(), second, false, "s/5")
			must(t, err)
			return l.RemoveCreated(t.Context(), second, left, "s/6")
		}, true},
		{"a commit of a person", func() error { l.git("commit", "-q", "--allow-empty", "-m", "theirs"); return nil }, true},
		{"objects that were lost", func() error { l.store.lost.Add(1); return nil }, true},
		{"its time", func() error { l.walked.at = time.Now().Add(-walkServesSnapshot); return nil }, true},
	} {
		must(t, undo())
		l.walked.at = time.Now().Add(time.Minute) // the machine may be slow
		must(t, c.after())
		before := l.scan.round
		tree := l.snapAgain("s/now")
		if walks := l.scan.round > before; walks != c.walks {
			t.Errorf("after %s: it walks: %t, want %t", c.name, walks, c.walks)
		}
		wantEqual(t, "after "+c.name+": the tree", tree, mulligan.Tree{ID: second.ID, Head: l.git("rev-parse", "HEAD")})
		wantEqual(t, "after "+c.name+": what is kept", l.kept("rev-parse", snapshotRefs+"/s/now^{tree}"), second.ID)
	}
}

// TestSnapshotUsesAWalkForAMoment: the moment is measured from the walk's end, however often it serves.
func TestSnapshotUsesAWalkForAMoment(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a"})
	l.snap("s/0")
	began := time.Now()
	for first := l.scan.round; l.scan.round == first; l.snapAgain("s/0") { // each is young enough for the next
		if time.Since(began) > time.Minute {
			t.Fatal("a walk serves for ever")
		}
	}
}

// TestSnapshotOfALastWalkIsOnDisk: what the walk has left to the next flush is on the disk after the snapshot.
func TestSnapshotOfALastWalkIsOnDisk(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a"})
	for _, label := range []string{"s/0", "s/1"} {
		tree := l.snap("s/0")
		_, _, err := l.UndoWrites(t.Context(), tree, false, "s/2")
		must(t, err)
		l.walked.at = time.Now().Add(time.Minute)
		_, err = l.store.putObject("blob", []byte("of the walk, kept as "+label))
		must(t, err)
		before := l.scan.round
		wantEqual(t, "the tree", l.snapAgain(label), tree)
		if l.scan.round > before || len(l.store.unflushed) > 0 {
			t.Errorf("%s: it walks: %t; not on the disk: %d objects", label, l.scan.round > before, len(l.store.unflushed))
		}
	}
}

// TestLastWalkOfWhatIsGone: a walk does not serve when what it has seen, or where it was stored, is gone.
func TestLastWalkOfWhatIsGone(t *testing.T) {
	for _, gone := range []func(*lab) string{
		func(l *lab) string { return l.dir },
		func(l *lab) string { return l.path(".git") },
		func(l *lab) string { return l.snaps },
	} {
		l := newLab(t, map[string]string{"a": "a"})
		l.snap("s/0")
		l.walked.at = time.Now().Add(time.Minute)
		must(t, os.Rename(gone(l), gone(l)+"-moved"))
		_, err := l.Snapshot(t.Context(), "s/1")
		if lost := (*LostError)(nil); !errors.As(err, &lost) || lost.Path != gone(l) {
			t.Errorf("the error is %v, want that %s is lost", err, gone(l))
		}
		must(t, os.Rename(gone(l)+"-moved", gone(l)))
	}
}

// TestWritesOfAMomentAreSeenLater: what a person writes while a walk serves for a snapshot is seen by the walk after the turn.
func TestWritesOfAMomentAreSeenLater(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a"})
	before := l.snap("s/1")
	l.walked.at = time.Now().Add(time.Minute)
	must(t, os.WriteFile(l.path("a"), []byte("b"), 0o644)) // as large as before, and perhaps in the same tick
	wantEqual(t, "the snapshot before the turn", l.snapAgain("s/2"), before)
	_, _, err := l.RememberGit(t.Context(), "s")
	must(t, err)
	_, err = l.RestoreGit(t.Context(), mulligan.GitCheck{Session: "s"})
	must(t, err)
	paths, _, err := l.Changed(t.Context(), before, l.snapAgain("s/2-after"), 10)
	must(t, err)
	wantEqual(t, "what the turn is said to have changed", strings.Join(paths, ", "), "M a")
}

// TestUnheldSeesWhatWasMadeMeanwhile: what something made that ran since the last walk is seen.
func TestUnheldSeesWhatWasMadeMeanwhile(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a"})
	tree := l.snap("s/0")
	_, _, err := l.RememberGit(t.Context(), "s")
	must(t, err)
	l.write("inner/.git/HEAD", "ref: refs/heads/main\n")
	l.write("inner/.git/objects/x", "")
	l.write("inner/.git/refs/x", "")
	found, err := l.Unheld(t.Context(), tree, nil)
	must(t, err)
	if len(found) != 1 || found[0].Kind != mulligan.UnheldRepository || found[0].Path != "inner" {
		t.Errorf("found %v, want the repository inner", found)
	}
}
