package workspace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
)

// listPacks returns the packs of the snapshot repository.
func (l *lab) listPacks() []string {
	l.t.Helper()
	packs, err := filepath.Glob(filepath.Join(l.snaps, packFolder, "*"))
	must(l.t, err)
	var whole []string
	for _, path := range packs {
		if strings.Contains(filepath.Base(path), "tmp_") {
			l.t.Errorf("a temporary file is left: %s", path)
		}
		if strings.HasSuffix(path, packSuffix) {
			whole = append(whole, path)
		}
	}
	return whole
}

// manyFiles returns n small files.
func manyFiles(n int, text string) map[string]string {
	files := make(map[string]string, n)
	for i := range n {
		files[fmt.Sprintf("many/%d/file%d", i%7, i)] = fmt.Sprintf("%s %d\n", text, i)
	}
	return files
}

func (l *lab) writeAll(files map[string]string) {
	l.t.Helper()
	for name, text := range files {
		l.write(name, text)
	}
}

// TestPackOfManyObjects: many new objects make one pack, which git finds whole, and few make none.
func TestPackOfManyObjects(t *testing.T) {
	l := newLab(t, map[string]string{"few": "few"})
	first := l.snap("s/1")
	wantEqual(t, "packs of a few files", len(l.listPacks()), 0)
	l.writeAll(manyFiles(3*eachFlushed, "one"))
	l.write("link", "x")
	second := l.snap("s/2")
	packs := l.listPacks()
	wantEqual(t, "packs of many files", len(packs), 1)
	l.kept("verify-pack", packs[0])
	l.kept("fsck", "--full", "--strict")
	wantEqual(t, "a file of the pack", l.kept("cat-file", "blob", second.ID+":many/1/file190"), "one 190")
	must(t, l.Restore(t.Context(), first, "s/before"))
	must(t, l.Restore(t.Context(), second, "s/before-2"))
	for name, text := range manyFiles(3*eachFlushed, "one") {
		wantEqual(t, name, l.read(name), text)
	}
}

// TestPackHoldsObjectsOfAllSizes: git reads every object of a pack that mulligan wrote.
func TestPackHoldsObjectsOfAllSizes(t *testing.T) {
	l := newLab(t, nil)
	random := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, inMemory)
	random.Read(noise)
	l.store.beginBatch()
	l.store.batch.room = 0
	want := map[string][]byte{}
	for _, size := range []int{0, 1, 14, 15, 16, 17, 2046, 2047, 2048, 2049, 1<<16 - 1, 1 << 16, 1<<18 + 1, inMemory} {
		for _, data := range [][]byte{noise[:size], bytes.Repeat([]byte("a"), size)} {
			id, err := l.store.putObject("blob", data)
			must(t, err)
			want[id.String()] = data
		}
	}
	blob := objectID("blob", nil)
	tree, err := l.store.putObject("tree", appendEntry(nil, modeFile, "empty", blob))
	must(t, err)
	want[tree.String()] = appendEntry(nil, modeFile, "empty", blob)
	commit, err := l.store.putObject("commit", Snapshot{Label: "s/1", Tree: mulligan.Tree{ID: tree.String()}, Time: noon}.encodeCommit(""))
	must(t, err)
	must(t, l.store.endBatch())

	wantEqual(t, "packs", len(l.listPacks()), 1)
	out := l.kept("verify-pack", "-v", l.listPacks()[0])
	for id, data := range want {
		got, err := l.snapshots.readObject(t.Context(), id)
		must(t, err)
		if !bytes.Equal(got, data) {
			t.Errorf("object %s of %d bytes is read as %d others", id, len(data), len(got))
		}
		if !strings.Contains(out, id) {
			t.Errorf("the pack lacks %s", id)
		}
	}
	if !strings.Contains(out, commit.String()+" commit") {
		t.Errorf("the pack lacks the commit: %s", out)
	}
	l.kept("fsck", "--full", "--strict")
}

// TestPackedObjectsAreFound: what a pack has is not stored again, by this process or the next.
func TestPackedObjectsAreFound(t *testing.T) {
	l := newLab(t, manyFiles(3*eachFlushed, "one"))
	before := l.snap("s/1")
	packed := l.kept("count-objects", "-v")
	wantEqual(t, "the same again", l.snap("s/1"), before)
	l.reopen()
	again, err := l.scan.walkAndFlush(t.Context())
	must(t, err)
	wantEqual(t, "by another process", again, before.ID)
	wantEqual(t, "objects", l.kept("count-objects", "-v"), packed)

	l.write("copy", "one 150\n") // which the pack has
	l.snap("s/1")
	id := objectID("blob", []byte("one 150\n"))
	if l.store.hasLoose(id) {
		t.Error("an object of a pack was stored again")
	}
}

// TestLooseObjectsAreFoundBesideAPack: what is there as a loose object does not come into the pack of a later walk.
func TestLooseObjectsAreFoundBesideAPack(t *testing.T) {
	l := newLab(t, map[string]string{"zz/last": "was there"})
	l.snap("s/1")
	l.reopen()
	l.writeAll(manyFiles(3*eachFlushed, "one"))
	l.snap("s/2")
	wantEqual(t, "packs", len(l.listPacks()), 1)
	wantEqual(t, "packed again", l.isPacked("was there"), false)
	l.wantWhole()
}

// TestDamagedPackDoesNotCount: what a pack had that is damaged or gone is stored again.
func TestDamagedPackDoesNotCount(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, pack string){
		"cut short": func(t *testing.T, pack string) { must(t, os.Truncate(pack, 1000)) },
		"empty":     func(t *testing.T, pack string) { must(t, os.Truncate(pack, 0)) },
		"no pack":   func(t *testing.T, pack string) { must(t, os.Remove(pack)) },
		"no index":  func(t *testing.T, pack string) { must(t, os.Remove(strings.TrimSuffix(pack, packSuffix)+indexSuffix)) },
		"half an index": func(t *testing.T, pack string) {
			must(t, os.Truncate(strings.TrimSuffix(pack, packSuffix)+indexSuffix, 2000))
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, manyFiles(3*eachFlushed, "one"))
			l.snap("s/1")
			damage(t, l.listPacks()[0])
			l.reopen()
			tree := l.snap("s/2")
			for _, path := range []string{"many/0/file7", "many/1/file190"} {
				id := strings.Fields(l.kept("ls-tree", tree.ID, path))[2]
				if _, err := l.snapshots.readObject(t.Context(), id); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		})
	}
}

// TestPackThatIsRemovedMeanwhile: a process that knows a pack which is gone stores its objects again.
func TestPackThatIsRemovedMeanwhile(t *testing.T) {
	l := newLab(t, manyFiles(3*eachFlushed, "one"))
	l.snap("s/1")
	pack := l.listPacks()[0]
	id := objectID("blob", []byte("one 150\n"))
	wantEqual(t, "has it", l.store.hasObject(id), true)
	must(t, os.Remove(pack))
	wantEqual(t, "has it without the pack", l.store.hasObject(id), false)
}

// TestLargeFilesStayLoose: what is not held in memory does not come into a pack.
func TestLargeFilesStayLoose(t *testing.T) {
	files := manyFiles(2*eachFlushed, "one")
	l := newLab(t, files)
	for i := range 3 {
		l.write(fmt.Sprintf("large%d", i), strings.Repeat(fmt.Sprintf("%d", i), inMemory+1))
	}
	l.snap("s/1")
	for i := range 3 {
		id := objectID("blob", []byte(strings.Repeat(fmt.Sprintf("%d", i), inMemory+1)))
		wantEqual(t, "is loose", l.store.hasLoose(id), true)
		wantEqual(t, "is packed", l.store.packs.hasID(id), false)
	}
	l.kept("fsck", "--full")
}

// TestPackPassesPoints: the crash matrix can end the process right before and right after a pack is stored.
func TestPackPassesPoints(t *testing.T) {
	l := newLab(t, manyFiles(2*eachFlushed, "one"))
	must(t, l.Workspace.Close())
	var packs []int // how many there are at each point
	w, err := Open(t.Context(), Options{Dir: l.dir, Snapshots: l.snaps, Before: func(point string) {
		if strings.HasPrefix(point, "pack") {
			names, err := filepath.Glob(filepath.Join(l.snaps, packFolder, "pack-*"+indexSuffix))
			must(t, err)
			packs = append(packs, len(names))
		}
	}})
	must(t, err)
	defer w.Close()
	_, err = w.Snapshot(t.Context(), "s/1")
	must(t, err)
	wantEqual(t, "packs at the points", fmt.Sprint(packs), "[0 1]")
}
