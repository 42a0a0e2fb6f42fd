package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestCompareWithThePackOfTheFirstWalk: the trees of a first walk, which are in a pack, are compared without git.
func TestCompareWithThePackOfTheFirstWalk(t *testing.T) {
	l := newLab(t, manyFiles(3*eachFlushed, "one"))
	first := l.snap("s/1")
	wantEqual(t, "packs", len(l.listPacks()), 1)
	l.write("many/3/file10", "two\n")
	second := l.snap("s/2")
	before := l.started.Load()
	paths, _, err := l.Changed(t.Context(), first, second, 10)
	must(t, err)
	wantEqual(t, "what changed", strings.Join(paths, ", "), "M many/3/file10")
	wantEqual(t, "processes", l.started.Load()-before, 0)
}

// TestReadPackedObjects: each object of a pack of ours is read as git reads it, and without it. For one that git has packed
// as a difference, and for a large one, git is asked.
func TestReadPackedObjects(t *testing.T) {
	files := manyFiles(3*eachFlushed, "one")
	files["empty"] = ""
	files["long"] = strings.Repeat("line\n", 100_000)
	files["large"] = strings.Repeat("l", inMemory-1)
	l := newLab(t, files)
	l.snap("s/1")
	l.compareAllObjects(0)
	l.kept("repack", "-q", "-a", "-d", "-f", "--depth=50")
	l.compareAllObjects(1)
}

// compareAllObjects reads all objects of the snapshot repository, with at most so many processes.
func (l *lab) compareAllObjects(processes int64) {
	l.t.Helper()
	before := l.started.Load()
	rest := gitBytes(l.t, l.snaps, "--git-dir="+l.snaps, "cat-file", "--batch-all-objects", "--batch=%(objectname) %(objectsize)")
	if len(rest) == 0 {
		l.t.Error("there is no object")
	}
	for len(rest) > 0 {
		head, more, _ := bytes.Cut(rest, []byte("\n"))
		id, digits, _ := strings.Cut(string(head), " ")
		size, err := strconv.Atoi(digits)
		must(l.t, err)
		want := more[:size]
		rest = more[size+len("\n"):]
		data, err := l.snapshots.readObject(l.t.Context(), id)
		must(l.t, err)
		if !bytes.Equal(data, want) {
			l.t.Errorf("%s is %.100q, git has %.100q", id, data, want)
		}
	}
	if n := l.started.Load() - before; n > processes {
		l.t.Errorf("%d processes, want %d", n, processes)
	}
}

// TestRefuseDamagedPackedObjects: an object of a pack that is not what its id says is none, and git tells what is wrong.
func TestRefuseDamagedPackedObjects(t *testing.T) {
	l := newLab(t, manyFiles(3*eachFlushed, "one"))
	tree := l.snap("s/1")
	pack := l.listPacks()[0]
	good, err := os.ReadFile(pack)
	must(t, err)
	if _, _, ok := l.store.packs.readPacked(tree.ID); !ok {
		t.Fatal("the tree is not read from its pack")
	}
	for name, damage := range map[string]func(data []byte){
		"zeroes":  func(data []byte) { clear(data[packHeader : len(data)-len(oid{})]) },
		"flipped": func(data []byte) { flip(data[packHeader : len(data)-len(oid{})]) },
		"unending": func(data []byte) {
			copy(data[packHeader:], bytes.Repeat([]byte{0xff}, len(data)-packHeader-len(oid{})))
		},
	} {
		data := bytes.Clone(good)
		damage(data)
		must(t, os.Remove(pack))
		must(t, os.WriteFile(pack, data, 0o600))
		if _, _, ok := l.store.packs.readPacked(tree.ID); ok {
			t.Errorf("%s: an object was read", name)
		}
		if _, err := l.snapshots.readObject(t.Context(), tree.ID); err == nil {
			t.Errorf("%s: no error tells of it", name)
		}
		l.snapshots.close()
	}
	must(t, os.Remove(pack))
	must(t, os.WriteFile(pack, good[:packHeader], 0o600))
	if _, _, ok := l.store.packs.readPacked(tree.ID); ok {
		t.Error("an object was read behind the pack's end")
	}
	must(t, os.Rename(pack, filepath.Join(t.TempDir(), "gone")))
	for _, id := range []string{tree.ID, "", "../../HEAD", tree.ID[:10], strings.Repeat("0", 40)} {
		if _, _, ok := l.store.packs.readPacked(id); ok {
			t.Errorf("%q was read from a pack that is gone", id)
		}
	}
}

// flip changes every byte.
func flip(data []byte) {
	for i := range data {
		data[i] ^= 0x55
	}
}
