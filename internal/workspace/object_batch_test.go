package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBatchIsLooseOrPacked: a walk stores few objects as loose ones, and of many or much none but the snapshot's commit.
func TestBatchIsLooseOrPacked(t *testing.T) {
	large := make(map[string]string)
	for i := range 8 {
		large[fmt.Sprintf("large%d", i)] = strings.Repeat(fmt.Sprint(i), inMemory-1)
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		packs int
		loose string
	}{
		{"few", manyFiles(20, "one"), 0, "30 objects"}, // 20 files, 9 folders, a commit
		{"many", manyFiles(3*eachFlushed, "one"), 1, "1 objects"},
		{"much", large, 1, "1 objects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, nil)
			l.writeAll(c.files)
			l.snap("s/1")
			wantEqual(t, "packs", len(l.listPacks()), c.packs)
			if got := l.kept("count-objects"); !strings.HasPrefix(got, c.loose) {
				t.Errorf("loose are %s, want %s", got, c.loose)
			}
			l.kept("fsck", "--full", "--strict")
		})
	}
}

// TestFailedLooseObjectsAreForgotten: objects that cannot be stored when a walk ends are stored by the next.
func TestFailedLooseObjectsAreForgotten(t *testing.T) {
	l := newLab(t, manyFiles(5, "one"))
	objects := filepath.Join(l.snaps, "objects")
	must(t, os.Rename(objects, objects+".away"))
	if _, err := l.scan.walkTree(t.Context()); err == nil {
		t.Fatal("the walk did not fail")
	}
	wantEqual(t, "lost", l.store.lost.Load(), uint64(1))
	must(t, os.Rename(objects+".away", objects))
	l.scan.root.settle()
	l.snap("s/1")
	l.wantWhole()
}
