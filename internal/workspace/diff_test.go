package workspace

import (
	"errors"
	"strings"
	"testing"
)

// A snapshot is compared with a commit of the user's repository, and with another snapshot.
func TestDifferTrees(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n", "b": "1\n"})
	first := l.git("rev-parse", "HEAD")
	l.git("config", "diff.external", "false")
	l.write("a", "2\n")
	one := l.snap("s/1")
	l.write("b", "2\n")
	two := l.snap("s/2")
	d := NewDiffer(l.dir, l.snaps)
	diff := func(from, to string) string {
		t.Helper()
		out, err := d.Diff(t.Context(), from, to, false)
		must(t, err)
		return string(out)
	}
	wantEqual(t, "comparable", d.Comparable(t.Context(), first, one.ID), true)
	if got := diff(first, one.ID); !strings.Contains(got, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n") || strings.Contains(got, "b/b") {
		t.Errorf("commit and snapshot: %s", got)
	}
	if got := diff(one.ID, two.ID); !strings.Contains(got, "+++ b/b") || strings.Contains(got, "a/a") {
		t.Errorf("two snapshots: %s", got)
	}
	list, err := d.Snapshots(t.Context(), "s")
	must(t, err)
	wantEqual(t, "snapshots", len(list), 2)
	gone := strings.Repeat("1", 40)
	_, err = d.Diff(t.Context(), first, gone, false)
	if missing, ok := errors.AsType[*GoneError](err); !ok || missing.ID != gone {
		t.Errorf("a tree that is gone: %v", err)
	}
	wantEqual(t, "comparable with one that is gone", d.Comparable(t.Context(), gone, one.ID), false)

	// Where git converts files, a commit has not the bytes that the checkout has.
	l.write("sub/.gitattributes", "*.txt text\n")
	wantEqual(t, "comparable with attributes", d.Comparable(t.Context(), first, l.snap("s/3").ID), false)
	l.remove("sub")
	l.git("config", "core.autocrlf", "input")
	wantEqual(t, "comparable with autocrlf", d.Comparable(t.Context(), first, one.ID), false)
}

// What a judge is shown is bounded, and no attribute or setting of the work hides a part of it.
func TestDiffOfWork(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n"})
	l.git("config", "diff.external", "false")
	before := l.snap("s/1")
	l.write("a", "2\n")
	l.write(".gitattributes", "* -diff\na diff=hidden\n")
	l.write("odd\nname", "x\n")
	after := l.snap("s/2")
	d, err := l.Diff(t.Context(), before, after, 10_000)
	must(t, err)
	wantEqual(t, "paths", strings.Join(d.Paths, ", "), `A .gitattributes, M a, A "odd\nname"`)
	wantEqual(t, "all", d.All, 3)
	if d.Cut != 0 || !strings.Contains(d.Patch, "\n-1\n+2\n") || !strings.Contains(d.Patch, "\n+x\n") || strings.Contains(d.Patch, "Binary") {
		t.Errorf("the patch, without %d bytes:\n%s", d.Cut, d.Patch)
	}
	short, err := l.Diff(t.Context(), before, after, 20)
	must(t, err)
	wantEqual(t, "short", short.Patch, d.Patch[:20])
	wantEqual(t, "cut", short.Cut, len(d.Patch)-20)
	none, err := l.Diff(t.Context(), after, after, 20)
	must(t, err)
	wantEqual(t, "none", none.All, 0)
}

func TestDifferSHA256(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n"}, "--object-format=sha256")
	first := l.git("rev-parse", "HEAD")
	one := l.snap("s/1")
	l.write("a", "2\n")
	l.git("commit", "-qam", "two")
	d := NewDiffer(l.dir, l.snaps)
	wantEqual(t, "comparable", d.Comparable(t.Context(), first, one.ID), false)
	out, err := d.Diff(t.Context(), first, l.git("rev-parse", "HEAD"), true)
	must(t, err)
	wantEqual(t, "the files", strings.Contains(string(out), "1 file changed"), true)
}
