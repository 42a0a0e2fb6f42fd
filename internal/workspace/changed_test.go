package workspace

import (
	"os"
	"strings"
	"testing"

	"mulligan"
)

func changed(t *testing.T, l *lab, from, to mulligan.Tree, limit int) (string, int) {
	t.Helper()
	paths, all, err := l.Changed(t.Context(), from, to, limit)
	must(t, err)
	return strings.Join(paths, "\n"), all
}

func TestChanged(t *testing.T) {
	l := newLab(t, map[string]string{"mod": "1", "del": "1", "exec": "1", "type": "1", "same": "1", "d/x": "1", "old name": "moved"})
	from := l.snap("s/1")
	l.write("mod", "2")
	l.remove("del")
	l.remove("d")
	l.write("d", "a file now")
	must(t, os.Chmod(l.path("exec"), 0o755))
	l.remove("type")
	must(t, os.Symlink("same", l.path("type")))
	l.write("new/x", "1")
	l.remove("old name")
	l.write("new name", "moved")
	to := l.snap("s/2")
	l.reopen() // as a resumed session asks
	got, all := changed(t, l, from, to, 100)
	wantEqual(t, "changed", got, strings.Join([]string{
		"A d", "D d/x", "D del", "M exec", "M mod", "A new name", "A new/x", "D old name", "M type",
	}, "\n"))
	wantEqual(t, "all", all, 9)

	got, all = changed(t, l, from, to, 2)
	wantEqual(t, "the first two", got, "A d\nD d/x")
	wantEqual(t, "all of them", all, 9)
	got, all = changed(t, l, from, to, 0)
	wantEqual(t, "none wanted", got, "")
	wantEqual(t, "still counted", all, 9)
}

func TestChangedOddNames(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	from := l.snap("s/1")
	for _, name := range []string{"sp ace", "quo\"te", "new\nline\nM faked", "back\\slash", "lat\xe9n", "ünï", " led", "esc\x1b[2J"} {
		l.write(name, "x")
	}
	got, all := changed(t, l, from, l.snap("s/2"), 100)
	wantEqual(t, "changed", got, strings.Join([]string{
		`A " led"`, `A "back\\slash"`, `A "esc\x1b[2J"`, `A "lat\xe9n"`, `A "new\nline\nM faked"`, `A "quo\"te"`, "A sp ace", "A ünï",
	}, "\n"))
	wantEqual(t, "all", all, 8)
}

func TestChangedNothing(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	tree := l.snap("s/1")
	before := l.started.Load()
	got, all := changed(t, l, tree, tree, 10)
	wantEqual(t, "changed", got, "")
	wantEqual(t, "all", all, 0)
	wantEqual(t, "processes", l.started.Load()-before, 0)
}

func TestChangedUnknownTree(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	tree := l.snap("s/1")
	for _, id := range []string{strings.Repeat("0", len(tree.ID)-1) + "1", "no id", ""} {
		for _, pair := range [][2]mulligan.Tree{{tree, {ID: id}}, {{ID: id}, tree}} {
			if paths, all, err := l.Changed(t.Context(), pair[0], pair[1], 10); err == nil {
				t.Errorf("tree %q: no error, but %q and %d", id, paths, all)
			}
		}
	}
	l.write("b", "1") // and the workspace can be asked again
	got, _ := changed(t, l, tree, l.snap("s/2"), 10)
	wantEqual(t, "changed", got, "A b")
}

// TestChangedIsReadOnce: the same question is answered from memory, also after a caller has changed the answer; another limit is another
// question.
func TestChangedIsReadOnce(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b": "1"})
	from := l.snap("s/1")
	l.write("a", "2")
	l.write("b", "2")
	to := l.snap("s/2")
	paths, _, err := l.Changed(t.Context(), from, to, 9)
	must(t, err)
	paths[0] = "changed by the caller"
	must(t, os.Rename(l.store.objectPath(mustOID(t, to.ID)), l.path("elsewhere")))
	for range 2 {
		got, all := changed(t, l, from, to, 9)
		wantEqual(t, "from memory", got, "M a\nM b")
		wantEqual(t, "all", all, 2)
	}
	if _, _, err := l.Changed(t.Context(), from, to, 1); err == nil {
		t.Error("another limit, which has to read the tree that is gone, was answered")
	}
}

func mustOID(t *testing.T, id string) oid {
	t.Helper()
	o, err := parseOID(id)
	must(t, err)
	return o
}

// TestChangedMemoryIsBounded: answers that are too many are forgotten.
func TestChangedMemoryIsBounded(t *testing.T) {
	var m changedMemory
	long := changedPaths{paths: []string{strings.Repeat("x", maxKnownBytes/10)}}
	for i := range 100 {
		asked := changedBetween{limit: i}
		m.put(asked, long)
		if _, ok := m.get(asked); !ok || m.bytes > maxKnownBytes || len(m.known) > 10 {
			t.Fatalf("answer %d is known: %t; %d answers, %d bytes", i, ok, len(m.known), m.bytes)
		}
	}
}
