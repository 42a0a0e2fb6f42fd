package workspace

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// packLab returns a lab whose sessions s1 and s2 have a pack each. Of the files of s1, by name, s2 has those that keep
// reports.
func packLab(t *testing.T, keep func(i int) bool) *lab {
	t.Helper()
	one := manyFiles(3*eachFlushed, "one")
	l := newLab(t, nil)
	l.writeAll(one)
	l.snap("s1/1")
	for i, name := range slices.Sorted(maps.Keys(one)) {
		if !keep(i) {
			l.remove(name)
		}
	}
	for name, text := range manyFiles(3*eachFlushed, "two") {
		l.write("other/"+name, text)
	}
	l.snap("s2/1")
	wantEqual(t, "packs", len(l.listPacks()), 2)
	return l
}

func keepNone(int) bool { return false }

// isPacked reports whether a pack has an object of that content.
func (l *lab) isPacked(content string) bool {
	l.store.packs.refresh()
	return l.store.packs.hasID(objectID("blob", []byte(content)))
}

func TestForgetFreesPacks(t *testing.T) {
	l := packLab(t, keepNone)
	must(t, ForgetSnapshots(t.Context(), l.snaps, "s1"))
	wantEqual(t, "packs, young", len(l.listPacks()), 2)
	l.write("s3", "s3")
	l.snap("s3/1")
	ageAll(t, l.snaps, 25*time.Hour)
	must(t, ForgetSnapshots(t.Context(), l.snaps, "s3"))
	wantEqual(t, "packs, old", len(l.listPacks()), 1)
	wantEqual(t, "of s1", l.isPacked("one 150\n"), false)
	wantEqual(t, "of s2", l.isPacked("two 150\n"), true)
	l.wantWhole()
}

func TestThinFreesPacks(t *testing.T) {
	for name, test := range map[string]struct {
		keep  func(i int) bool
		packs int
		drops bool
	}{
		"nothing needed":    {keepNone, 1, true},
		"a little needed":   {func(i int) bool { return i > 3*eachFlushed-10 }, 2, true},
		"almost all needed": {func(i int) bool { return i != 100 }, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := packLab(t, test.keep)
			tree := l.snap("s2/2")
			want := l.files(tree)
			ageAll(t, l.snaps, ThinAfter+time.Hour)
			thinner, err := NewThinner(l.snaps)
			must(t, err)
			defer thinner.Close()
			must(t, thinner.Thin(t.Context(), "s1", nil, time.Now()))
			must(t, thinner.Free(t.Context()))
			wantEqual(t, "packs", len(l.listPacks()), test.packs)
			one := manyFiles(3*eachFlushed, "one")
			id := objectID("blob", []byte(one[slices.Sorted(maps.Keys(one))[100]]))
			_, err = l.snapshots.readObject(t.Context(), id.String())
			wantEqual(t, "what is not needed is gone", err != nil, test.drops)
			l.wantWhole()
			l.wantFiles(tree, want...)
		})
	}
}

// TestFreeKeepsWhatIsUsedAgain: what a running session has found in an old pack, and not labelled yet, stays.
func TestFreeKeepsWhatIsUsedAgain(t *testing.T) {
	l := packLab(t, keepNone)
	ageAll(t, l.snaps, ThinAfter+time.Hour)
	l.reopen()
	l.write("again", "one 150\n")
	tree, err := l.scan.walkAndFlush(t.Context())
	must(t, err)
	must(t, ForgetSnapshots(t.Context(), l.snaps, "s1"))
	wantEqual(t, "of s1", l.isPacked("one 150\n"), true)
	wantEqual(t, "again", l.kept("cat-file", "blob", tree+":again"), "one 150")
}

// TestFreeSkipsPackThatIsUsedMeanwhile: the same between the listing and the removal.
func TestFreeSkipsPackThatIsUsedMeanwhile(t *testing.T) {
	l := packLab(t, keepNone)
	ageAll(t, l.snaps, ThinAfter+time.Hour)
	f := packFreeing{git: l.snapshots.git, dir: l.store.packs.dir, before: time.Now()}
	old := f.listOld()
	wantEqual(t, "old", len(old), 2)
	wantEqual(t, "of s1", l.isPacked("one 150\n"), true) // which makes it young
	for _, p := range old {
		must(t, f.removePack(p))
	}
	wantEqual(t, "packs", len(l.listPacks()), 1)
	wantEqual(t, "of s1", l.isPacked("one 150\n"), true)
}

func TestFreeJoinsManyPacks(t *testing.T) {
	l := newLab(t, nil)
	for i := range maxPacks + 1 {
		l.store.beginBatch()
		l.store.batch.room = 0
		_, err := l.store.putObject("blob", []byte(strings.Repeat("x", i)))
		must(t, err)
		must(t, l.store.endBatch())
		l.write("file", strings.Repeat("x", i))
		l.snap("s/" + strings.Repeat("1", i+1))
	}
	l.snap("dropped/1")
	wantEqual(t, "packs", len(l.listPacks()), maxPacks+1)
	ageAll(t, l.snaps, ThinAfter+time.Hour)
	must(t, ForgetSnapshots(t.Context(), l.snaps, "dropped"))
	wantEqual(t, "packs", len(l.listPacks()), 1)
	l.wantWhole()
}

// TestFreeStopsAtDamage: where git cannot tell what is needed, no pack goes.
func TestFreeStopsAtDamage(t *testing.T) {
	l := packLab(t, keepNone)
	id, err := parseOID(l.kept("rev-parse", "refs/mulligan/s2/1"))
	must(t, err)
	must(t, os.Chmod(l.store.objectPath(id), 0o600))
	must(t, os.WriteFile(l.store.objectPath(id), []byte("no object"), 0o600))
	f := packFreeing{git: l.snapshots.git, dir: l.store.packs.dir, before: time.Now().Add(time.Hour)}
	if err := f.run(t.Context()); err == nil {
		t.Error("no error")
	}
	wantEqual(t, "packs", len(l.listPacks()), 2)
}
