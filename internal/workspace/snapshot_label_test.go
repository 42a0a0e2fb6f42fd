package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mulligan"
)

// refFile returns the file of a label's ref.
func (l *lab) refFile(label string) os.FileInfo {
	l.t.Helper()
	st, err := os.Stat(filepath.Join(l.store.dir, filepath.FromSlash(snapshotRefs), filepath.FromSlash(label)))
	must(l.t, err)
	return st
}

// TestLabelsOfOneStateShareAFile: a second label of a state that was just stored is a second name of a file that is on the disk.
func TestLabelsOfOneStateShareAFile(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	first := l.snap("s/1-after")
	wantEqual(t, "the same state", l.snap("s/2"), first)
	wantEqual(t, "shared", os.SameFile(l.refFile("s/1-after"), l.refFile("s/2")), true)

	l.write("a", "2")
	second := l.snap("s/2")
	wantEqual(t, "the other label's tree", l.kept("rev-parse", "refs/mulligan/s/1-after^{tree}"), first.ID)
	wantEqual(t, "the label's tree", l.kept("rev-parse", "refs/mulligan/s/2^{tree}"), second.ID)
	wantEqual(t, "the label's tree before", l.kept("rev-parse", "refs/mulligan/s/2^^{tree}"), first.ID)

	l.newest.Time = l.newest.Time.Add(-sharedFor)
	wantEqual(t, "the same state later", l.snap("s/3"), second)
	wantEqual(t, "shared later", os.SameFile(l.refFile("s/2"), l.refFile("s/3")), false)

	must(t, os.Remove(l.newest.file)) // by a process that forgets snapshots
	wantEqual(t, "the same state", l.snap("s/4"), second)
	l.wantWhole()
	must(t, ForgetSnapshots(t.Context(), l.store.dir, "s"))
	wantEqual(t, "refs that are left", l.kept("for-each-ref"), "")
}

// TestLabelsOfOtherStatesShareNothing: a state is files, commit and branch.
func TestLabelsOfOtherStatesShareNothing(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.snap("s/1")
	known := l.newest.Snapshot
	for name, change := range map[string]func(*Snapshot){
		"files":        func(s *Snapshot) { s.Tree.ID = "another" },
		"commit":       func(s *Snapshot) { s.Tree.Head = "another" },
		"branch":       func(s *Snapshot) { s.Branch = "another" },
		"later":        func(s *Snapshot) { s.Time = s.Time.Add(sharedFor) },
		"clock is set": func(s *Snapshot) { s.Time = s.Time.Add(-time.Nanosecond) },
	} {
		other := known
		change(&other)
		wantEqual(t, name, l.newest.isStateOf(other), false)
	}
	wantEqual(t, "the same", l.newest.isStateOf(known), true)
	wantEqual(t, "none is known", labelled{}.isStateOf(Snapshot{}), false)
}

// TestFailedFlushHasNoLabel: a snapshot whose objects cannot be flushed gets no label, and leaves no file of one.
func TestFailedFlushHasNoLabel(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.snap("s/1")
	l.write("a", "2")
	tree, err := l.scan.walkTree(t.Context())
	must(t, err)
	for _, w := range l.store.unflushed {
		must(t, w.file.Close()) // so that its flush fails
	}
	if err := l.labelSnapshot(Snapshot{Label: "s/2", Tree: mulligan.Tree{ID: tree}, Time: time.Now()}); err == nil {
		t.Fatal("the flush did not fail")
	}
	names, err := os.ReadDir(filepath.Join(l.store.dir, filepath.FromSlash(snapshotRefs), "s"))
	must(t, err)
	if len(names) != 1 || names[0].Name() != "1" {
		t.Errorf("the labels are %v", names)
	}
}
