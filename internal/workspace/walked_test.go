package workspace

import (
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
