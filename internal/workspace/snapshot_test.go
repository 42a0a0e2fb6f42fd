package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSnapshotKeepsWhatGitDoesNotIgnore(t *testing.T) {
	l := newLab(t, map[string]string{
		".gitignore": "*.log\n/build/\n", "a.txt": "a", "sub/b.txt": "b", "build/tracked": "x",
	})
	l.git("add", "-f", "build/tracked")
	l.git("commit", "-q", "-m", "tracked though ignored")
	l.write("new file.txt", "n")
	l.write("deep/er/new.txt", "n")
	l.write("noise.log", "n")
	l.write("sub/noise.log", "n")
	l.write("build/out.o", "n")
	l.write("empty/.keep.log", "n")
	must(t, os.Chmod(l.path("a.txt"), 0o755))
	must(t, os.Symlink("../a.txt", l.path("sub/link")))
	must(t, os.Symlink("nowhere", l.path("dangling")))
	tree := l.snap("s/1")
	l.wantFiles(tree, "100644 .gitignore", "100755 a.txt", "100644 sub/b.txt", "100644 build/tracked",
		"100644 new file.txt", "100644 deep/er/new.txt", "120000 sub/link", "120000 dangling")
	wantEqual(t, "head", tree.Head, l.git("rev-parse", "HEAD"))
	wantEqual(t, "link", l.kept("cat-file", "blob", tree.ID+":sub/link"), "../a.txt")
	wantEqual(t, "tree under the label", l.kept("rev-parse", "refs/mulligan/s/1^{tree}"), tree.ID)
	l.kept("fsck", "--strict", "--full")
}

// P7, V6: one walk, and no process where nothing changed; nor where known files did.
func TestSnapshotStartsNoProcess(t *testing.T) {
	l := newLab(t, map[string]string{"a.txt": "a", "sub/b.txt": "b", ".gitignore": "ignored/\n"})
	l.write("untracked.txt", "u")
	l.write("ignored/x", "u")
	first := l.snap("s/1")
	before := l.started.Load()
	wantEqual(t, "the same again", l.snap("s/1"), first)
	wantEqual(t, "another label", l.snap("s/2"), first)
	l.write("ignored/y", "more")
	wantEqual(t, "after an ignored file", l.snap("s/3"), first)
	l.write("a.txt", "A")
	l.remove("sub")
	l.wantFiles(l.snap("s/4"), "100644 .gitignore", "100644 a.txt", "100644 untracked.txt")
	wantEqual(t, "processes", l.started.Load()-before, 0)
	l.write("new.txt", "n")
	l.snap("s/5")
	wantEqual(t, "processes for a new file", l.started.Load()-before, 1)
}

func TestSnapshotFollowsTheRules(t *testing.T) {
	l := newLab(t, map[string]string{"a.txt": "a"})
	l.write("x.log", "x")
	l.write("d/y.log", "y")
	l.wantFiles(l.snap("s/1"), "100644 a.txt", "100644 x.log", "100644 d/y.log")
	l.write(".gitignore", "*.log\n")
	l.wantFiles(l.snap("s/2"), "100644 a.txt", "100644 .gitignore")
	l.write("d/.gitignore", "!y.log\n")
	l.wantFiles(l.snap("s/3"), "100644 a.txt", "100644 .gitignore", "100644 d/.gitignore", "100644 d/y.log")
	l.remove(".gitignore")
	l.wantFiles(l.snap("s/4"), "100644 a.txt", "100644 x.log", "100644 d/.gitignore", "100644 d/y.log")
	l.write(".git/info/exclude", "x.log\n")
	l.wantFiles(l.snap("s/4b"), "100644 a.txt", "100644 x.log", "100644 d/.gitignore", "100644 d/y.log")
	l.reopen() // the rules of the clone are those of the start
	l.wantFiles(l.snap("s/5"), "100644 a.txt", "100644 d/.gitignore", "100644 d/y.log")
	l.git("add", "-f", "x.log")
	_, err := l.Dirty(t.Context()) // looks at the index, too
	must(t, err)
	l.wantFiles(l.snap("s/6"), "100644 a.txt", "100644 x.log", "100644 d/.gitignore", "100644 d/y.log")
	l.git("rm", "-q", "--cached", "x.log")
	l.wantFiles(l.snap("s/7"), "100644 a.txt", "100644 d/.gitignore", "100644 d/y.log")
	l.write("d/.gitignore", "*\n")
	l.wantFiles(l.snap("s/8"), "100644 a.txt")
	l.write("d/.gitignore", "!*\n")
	l.wantFiles(l.snap("s/9"), "100644 a.txt", "100644 d/.gitignore", "100644 d/y.log")
	global := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git", "ignore")
	must(t, os.MkdirAll(filepath.Dir(global), 0o755))
	must(t, os.WriteFile(global, []byte("a.txt\nfresh\n"), 0o644))
	l.write("fresh", "f")
	l.wantFiles(l.snap("s/9b"), "100644 a.txt", "100644 d/.gitignore", "100644 d/y.log", "100644 fresh")
	l.reopen()
	l.wantFiles(l.snap("s/10"), "100644 a.txt", "100644 d/.gitignore", "100644 d/y.log")
	l.git("config", "core.excludesFile", l.path(".git/other"))
	l.reopen()
	l.wantFiles(l.snap("s/11"), "100644 a.txt", "100644 d/.gitignore", "100644 d/y.log", "100644 fresh")
}

// A change that leaves size and times as they were, made right after the file was read.
func TestSnapshotSeesRacyChange(t *testing.T) {
	l := newLab(t, map[string]string{"a.txt": "one"})
	old := l.snap("s/1")
	for i := range 20 {
		text := fmt.Sprintf("%03d", i)
		l.write("a.txt", text)
		tree := l.snap("s/2")
		wantEqual(t, "content", l.kept("cat-file", "blob", tree.ID+":a.txt"), text)
		if tree == old {
			t.Fatalf("change %d was not seen", i)
		}
		old = tree
	}
}

func TestStatSettles(t *testing.T) {
	second := int64(time.Second)
	for _, c := range []struct {
		name  string
		mtime int64
		ctime int64
		read  int64
		want  bool
	}{
		{"long ago", 5*second + 1, 5*second + 1, 9 * second, true},
		{"just now", 5*second + 1, 5*second + 1, 5*second + 2, false},
		{"dated back", 1, 5*second + 1, 5*second + 2, false},
		{"after the tick", 5*second + 1, 5*second + 1, 5*second + 2*tick, true},
		{"whole seconds", 5 * second, 5 * second, 6 * second, false},
		{"whole seconds, settled", 5 * second, 5 * second, 8 * second, true},
		{"in the future", 50*second + 1, 50*second + 1, 9 * second, false},
	} {
		if got := (stat{mtime: c.mtime, ctime: c.ctime}).isSettled(c.read); got != c.want {
			t.Errorf("%s: settled is %v", c.name, got)
		}
	}
}

func TestSnapshotOddNames(t *testing.T) {
	names := []string{
		"sp ace", "quo\"te", "new\nline", "tab\tx", "back\\slash", "lat\xe9n", ":(top)colon", "-dash", "ünï", "*",
		"d ir/\n\"", "a.b", "a-b/c", "a/x",
	}
	files, want := map[string]string{".gitignore": "ignored*\n"}, []string{"100644 .gitignore"}
	for _, n := range names {
		files[n] = "tracked " + n
		want = append(want, "100644 "+n, "100644 un/"+n+"/f")
	}
	l := newLab(t, files)
	for _, n := range names {
		l.write("un/"+n+"/f", "x")
		l.write("un/ignored"+n, "x")
	}
	tree := l.snap("s/1")
	l.wantFiles(tree, want...)
	l.kept("fsck", "--strict", "--full")
	l.remove("un")
	wantEqual(t, "the tree as git itself has it", l.snap("s/2").ID, l.git("rev-parse", "HEAD^{tree}"))
}

func TestSnapshotKinds(t *testing.T) {
	l := newLab(t, map[string]string{"file": "f", "dir/x": "x"})
	l.snap("s/1")
	l.remove("file")
	l.remove("dir")
	l.write("file/inside", "i")
	must(t, os.Symlink("file", l.path("dir")))
	l.wantFiles(l.snap("s/2"), "100644 file/inside", "120000 dir")
	l.remove("dir")
	l.remove("file")
	l.wantFiles(l.snap("s/3"))
	l.write("dir", "a file")
	l.wantFiles(l.snap("s/4"), "100644 dir")
	l.remove("dir")
	l.write("dir/x", "x")
	l.write("file", "f")
	l.wantFiles(l.snap("s/5"), "100644 file", "100644 dir/x")
}

func TestSnapshotLargeNewFolder(t *testing.T) {
	l := newLab(t, map[string]string{".gitignore": "skip\n"})
	deep := "new"
	want := []string{"100644 .gitignore"}
	for i := range 40 {
		deep += fmt.Sprintf("/d%d", i)
		for j := range 20 {
			name := fmt.Sprintf("%s/f%d", deep, j)
			l.write(name, "x")
			want = append(want, "100644 "+name)
		}
		l.write(deep+"/skip/x", "x")
	}
	l.wantFiles(l.snap("s/1"), want...)
}

// An agent that has damaged the index does not keep its work from being seen.
func TestSnapshotWithADamagedIndex(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", ".gitignore": "*.log\n"})
	l.write("x.log", "x")
	l.snap("s/1")
	l.write(".git/index", "damaged")
	l.write("a", "2")
	l.write("b", "2")
	tree := l.snap("s/2")
	l.wantFiles(tree, "100644 a", "100644 b", "100644 .gitignore")
	l.wantNote("the index cannot be read")
	l.done(tree, tree.Head)
	l.wantClean()
}

func TestSnapshotCancelled(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.snap("s/1")
	l.write("a", "2")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Snapshot(ctx, "s/2"); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	wantEqual(t, "content", l.kept("cat-file", "blob", l.snap("s/2").ID+":a"), "2")
}

func TestSnapshotLargeFile(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 200_000)
	l := newLab(t, map[string]string{"a": "a"})
	l.write("big", big)
	tree := l.snap("s/1")
	wantEqual(t, "id", l.kept("rev-parse", tree.ID+":big"), l.git("hash-object", "--no-filters", "big"))
	l.kept("fsck", "--full")
}

func TestSnapshotWithoutFileMode(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a", "b": "b"})
	l.git("update-index", "--chmod=+x", "b")
	l.git("config", "core.fileMode", "false")
	l.reopen()
	must(t, os.Chmod(l.path("a"), 0o755))
	l.wantFiles(l.snap("s/1"), "100644 a", "100755 b")
}

func TestSnapshotLabels(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a"})
	one := l.snap("s/1")
	l.write("a", "b")
	two := l.snap("s/1")
	l.snap("s/before-restore-1")
	l.snap("t/1")
	wantEqual(t, "what had the label before", l.kept("rev-parse", "refs/mulligan/s/1~1^{tree}"), one.ID)
	l.reopen()
	wantEqual(t, "the same after a restart", l.snap("s/1"), two)
	all, err := l.Snapshots(t.Context(), "s")
	must(t, err)
	if len(all) != 2 {
		t.Fatalf("snapshots are %+v", all)
	}
	for _, s := range all {
		wantEqual(t, s.Label, s.Tree, two)
		wantEqual(t, "branch", s.Branch, "main")
		if time.Since(s.Time) > time.Hour {
			t.Errorf("time is %v", s.Time)
		}
	}
	for _, bad := range []string{"", "s", "../x", "s/../x", "s/.x", "s/x.lock", "s//x", "s/x y", "/s/x"} {
		if _, err := l.Snapshot(t.Context(), bad); err == nil {
			t.Errorf("label %q was taken", bad)
		}
	}
}

// J2: the memory of a killed process is gone, the snapshots are not.
func TestDiff(t *testing.T) {
	l := newLab(t, map[string]string{"mod": "1", "del": "1", "exec": "1", "type": "1", "same": "1", "d/x": "1", "e/y": "1"})
	from := l.snap("s/1")
	l.write("mod", "2")
	l.remove("del")
	l.remove("d")
	l.write("d", "file now")
	must(t, os.Chmod(l.path("exec"), 0o755))
	l.remove("type")
	must(t, os.Symlink("same", l.path("type")))
	l.write("new/x", "1")
	to := l.snap("s/2")
	l.reopen()
	got, err := l.diff(from, to)
	must(t, err)
	want := []change{{"d", changeAdded}, {"d/x", changeDeleted}, {"del", changeDeleted}, {"exec", changeMode}, {"mod", changeModified}, {"new/x", changeAdded}, {"type", changeType}}
	wantEqual(t, "diff", fmt.Sprint(got), fmt.Sprint(want))
	none, err := l.diff(to, to)
	must(t, err)
	wantEqual(t, "nothing", len(none), 0)
}
