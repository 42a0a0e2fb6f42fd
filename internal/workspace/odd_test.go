//go:build unix

package workspace

import (
	"syscall"
	"testing"
)

func TestSnapshotLeavesOutOddThings(t *testing.T) {
	l := newLab(t, map[string]string{"a.txt": "a", "src/kept.txt": "k"})
	must(t, syscall.Mkfifo(l.path("pipe"), 0o600))
	l.write("other/file", "o")
	gitIn(t, l.path("other"), "init", "-q")
	l.write("junk/file", "j")
	l.write("junk/.git/nothing", "j")
	// A repository begun around tracked files hides nothing.
	gitIn(t, l.path("src"), "init", "-q")
	l.write("src/kept.txt", "changed")
	tree := l.snap("s/1")
	l.wantFiles(tree, "100644 a.txt", "100644 src/kept.txt", "100644 junk/file")
	wantEqual(t, "content", l.kept("cat-file", "blob", tree.ID+":src/kept.txt"), "changed")
	l.wantNote("pipe is neither")
	l.wantNote("other is a repository of its own")
	before := l.started.Load()
	l.snap("s/2")
	wantEqual(t, "processes", l.started.Load()-before, 0)
	l.remove("other/.git")
	l.remove("pipe")
	l.write("pipe", "a file now")
	l.wantFiles(l.snap("s/3"), "100644 a.txt", "100644 src/kept.txt", "100644 junk/file", "100644 other/file", "100644 pipe")
}
