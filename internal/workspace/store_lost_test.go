package workspace

import (
	"os"
	"testing"
	"time"
)

// wantWhole fails unless the snapshot repository has all that its snapshots name.
func (l *lab) wantWhole() {
	l.t.Helper()
	l.kept("fsck", "--full", "--strict")
	l.kept("rev-list", "--objects", "--all")
}

// settle makes the walk take all that it has read for read long after its last change, so that it reads nothing again
// without a reason.
func (f *folder) settle() {
	f.read += int64(time.Hour)
	for _, n := range f.nodes {
		if n.read != 0 {
			n.read += int64(time.Hour)
		}
		if n.sub != nil {
			n.sub.settle()
		}
	}
}

// TestFailedFlushIsForgotten: after a flush that failed the next snapshot stores again what the failed one had.
func TestFailedFlushIsForgotten(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "sub/b": "2"})
	l.snap("s/1")
	l.write("a", "changed")
	l.write("sub/b", "changed too")
	_, err := l.scan.walkTree(t.Context())
	must(t, err)
	l.scan.root.settle()
	for _, w := range l.store.unflushed {
		must(t, w.file.Close()) // so that its flush fails
	}
	if err := l.store.flush(); err == nil {
		t.Fatal("the flush did not fail")
	}
	l.snap("s/2")
	l.wantWhole()
	l.reopen()
	wantEqual(t, "a", l.kept("cat-file", "blob", l.snap("s/3").ID+":sub/b"), "changed too")
}

// TestFailedFlushOfTheFileSystemIsForgotten: the same for objects whose files are closed before.
func TestFailedFlushOfTheFileSystemIsForgotten(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	id, err := l.store.putObject("blob", []byte("of many"))
	must(t, err)
	must(t, l.store.flush())
	l.store.overflowed = []string{l.store.objectPath(id)}
	dir := l.store.dir
	l.store.dir = dir + "-gone" // so that its flush fails
	err = l.store.flush()
	l.store.dir = dir
	if err == nil {
		t.Skip("this system has no flush of a file system")
	}
	wantEqual(t, "has it", l.store.hasObject(id), false)
	wantEqual(t, "lost", l.store.lost.Load(), uint64(1))
}

// TestFailedPackIsForgotten: a pack that cannot be stored leaves nothing behind, and the next snapshot stores its objects.
func TestFailedPackIsForgotten(t *testing.T) {
	for name, fault := range map[string]func(l *lab) (mend func()){
		"no folder when it begins": func(l *lab) func() {
			must(l.t, os.Remove(l.store.packs.dir))
			return func() { must(l.t, os.Mkdir(l.store.packs.dir, 0o700)) }
		},
		"its file is closed when it ends": func(l *lab) func() {
			l.store.before = func(string) {
				if p := l.store.batch.pack; p != nil {
					p.file.Close()
				}
			}
			return func() { l.store.before = func(string) {} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, manyFiles(3*eachFlushed, "one"))
			mend := fault(l)
			if _, err := l.Snapshot(t.Context(), "s/1"); err == nil {
				t.Fatal("the snapshot did not fail")
			}
			mend()
			l.scan.root.settle()
			wantEqual(t, "packs", len(l.listPacks()), 0)
			l.snap("s/1")
			l.wantWhole()
			wantEqual(t, "packs", len(l.listPacks()), 1)
		})
	}
}

// TestFailedFlushOfWatchedFiles: what WatchIgnored remembers of files that git ignores is forgotten too.
func TestFailedFlushOfWatchedFiles(t *testing.T) {
	l := newLab(t, map[string]string{".gitignore": ".env\n"})
	l.write(".env", "secret=1")
	var mode uint32
	var id string
	var size int64
	read := func() {
		t.Helper()
		if ok, err := l.readWatched(l.fullPath(".env"), &mode, &id, &size); !ok || err != nil {
			t.Fatalf("%v, %v", ok, err)
		}
	}
	read()
	known := l.watched[l.fullPath(".env")]
	known.read += int64(time.Hour)
	l.watched[l.fullPath(".env")] = known
	for _, w := range l.store.unflushed {
		must(t, w.file.Close())
	}
	if err := l.store.flush(); err == nil {
		t.Fatal("the flush did not fail")
	}
	read()
	must(t, l.store.flush())
	want, err := parseOID(id)
	must(t, err)
	wantEqual(t, "is stored", l.store.hasObject(want), true)
}
