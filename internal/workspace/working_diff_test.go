package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mulligan/internal/process"
)

// workingDiff returns the diff, and fails the test if anything below .git changed meanwhile.
func workingDiff(t *testing.T, dir, since string, limit int) Diff {
	t.Helper()
	root, err := Find(dir)
	must(t, err)
	before := hashFiles(t, root.git) + hashFiles(t, root.common)
	d, err := WorkingDiff(t.Context(), dir, since, limit)
	must(t, err)
	if after := hashFiles(t, root.git) + hashFiles(t, root.common); after != before {
		t.Error("the git folder changed")
	}
	if n := utf8.RuneCountInString(d.Text); n > limit || !utf8.ValidString(d.Text) {
		t.Errorf("%d characters of %d", n, limit)
	}
	return d
}

// hashFiles returns a hash of the names and contents below a folder.
func hashFiles(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path)
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			h.Write(data)
		}
		return nil
	}))
	return fmt.Sprintf("%x", h.Sum(nil))
}

func wantText(t *testing.T, d Diff, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(d.Text, part) {
			t.Errorf("no %q in\n%s", part, d.Text)
		}
	}
}

func wantPaths(t *testing.T, d Diff, want ...string) {
	t.Helper()
	if !slices.Equal(d.Paths, want) {
		t.Errorf("paths %q, want %q", d.Paths, want)
	}
}

func TestWorkingDiff(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n2\n", "gone": "x\n", "same": "s\n", "staged": "1\n", ".gitignore": "*.log\n", "sub/b": "1\n"})
	first := l.git("rev-parse", "HEAD")
	marker := filepath.Join(t.TempDir(), "ran")
	for _, kv := range [][2]string{{"diff.external", "touch " + marker}, {"diff.x.textconv", "touch " + marker}, {"color.ui", "always"}, {"diff.noprefix", "true"}} {
		l.git("config", kv[0], kv[1])
	}
	if d := workingDiff(t, l.dir, "", 1000); len(d.Paths) > 0 || d.Cut || !strings.HasPrefix(d.Text, "nothing changed since "+first[:10]) {
		t.Errorf("%+v", d)
	}
	l.write("a", "1\n3\x1b[31m\n")
	l.remove("gone")
	l.write("new/file", "fresh\n")
	l.write("x.log", "ignored\n")
	l.write("staged", "2\n")
	l.git("add", "staged")
	l.write("binary", "\x00\x01\x02")
	must(t, os.Symlink("a", l.path("link")))
	l.git("config", "core.fsmonitor", "touch "+marker)
	d := workingDiff(t, filepath.Join(l.dir, "sub"), "", 30_000)
	l.git("config", "core.fsmonitor", "false")
	wantEqual(t, "base", d.Base, first)
	wantEqual(t, "cut", d.Cut, false)
	wantPaths(t, d, "M a", "A binary", "D gone", "A link", "A new/file", "M staged")
	wantText(t, d, "6 files changed since "+first[:10]+":\n  M a (+1 -1)\n  A binary\n  D gone\n  A link (+1 -0)\n  A new/file (+1 -0)\n  M staged (+1 -1)\n",
		"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n", "deleted file mode 100644", "+fresh\n", "Binary files /dev/null and b/binary differ", "new file mode 120000")
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program of the repository was run")
	}
	// What was committed since counts too.
	l.git("commit", "-qm", "second")
	wantPaths(t, workingDiff(t, l.dir, first, 30_000), "M a", "A binary", "D gone", "A link", "A new/file", "M staged")
	wantPaths(t, workingDiff(t, l.dir, "", 30_000), "M a", "A binary", "D gone", "A link", "A new/file")
	for _, gone := range []string{strings.Repeat("1", 40), "--output=x", "nonsense"} {
		_, err := WorkingDiff(t.Context(), l.dir, gone, 100)
		if missing, ok := errors.AsType[*GoneError](err); !ok || missing.ID != gone {
			t.Errorf("%s: %v", gone, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := WorkingDiff(stopped, l.dir, "", 100); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// No flag in the index hides a change, and no index that is damaged or locked stands in the way.
func TestWorkingDiffIndex(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n", "b": "1\n", "c": "1\n"})
	l.git("update-index", "--assume-unchanged", "a")
	l.git("update-index", "--skip-worktree", "b")
	for _, name := range []string{"a", "b"} {
		l.write(name, "2\n")
	}
	l.write(".git/index.lock", "")
	wantPaths(t, workingDiff(t, l.dir, "", 1000), "M a", "M b")
	l.write(".git/index", "damaged")
	wantPaths(t, workingDiff(t, l.dir, "", 1000), "M a", "M b")
	l.remove(".git/index")
	wantPaths(t, workingDiff(t, l.dir, "", 1000), "M a", "M b")
}

// A change of the same size in the same moment as the index was written is seen.
func TestWorkingDiffRacy(t *testing.T) {
	for range 5 {
		l := newLab(t, map[string]string{"a": "1\n"})
		l.write("a", "2\n")
		wantPaths(t, workingDiff(t, l.dir, "", 1000), "M a")
	}
}

func TestWorkingDiffUnborn(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("1\n"), 0o600))
	d := workingDiff(t, dir, "", 1000)
	wantEqual(t, "base", d.Base, "")
	wantPaths(t, d, "A a")
	commit, err := HeadCommit(t.Context(), dir)
	must(t, err)
	wantEqual(t, "HEAD", commit, "")
}

func TestWorkingDiffWorktree(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n"})
	tree := filepath.Join(t.TempDir(), "tree")
	l.git("worktree", "add", "-q", "-b", "other", tree)
	l.git("pack-refs", "--all")
	l.write("a", "main\n")
	must(t, os.WriteFile(filepath.Join(tree, "b"), []byte("1\n"), 0o600))
	wantPaths(t, workingDiff(t, tree, "", 1000), "A b")
	gitIn(t, tree, "commit", "-q", "--allow-empty", "-m", "next")
	for _, dir := range []string{tree, l.dir} {
		commit, err := HeadCommit(t.Context(), dir)
		must(t, err)
		wantEqual(t, "HEAD of "+dir, commit, gitIn(t, dir, "rev-parse", "HEAD"))
	}
	gitIn(t, tree, "checkout", "-q", "--detach")
	commit, err := HeadCommit(t.Context(), tree)
	must(t, err)
	wantEqual(t, "detached HEAD", commit, gitIn(t, tree, "rev-parse", "HEAD"))
}

func TestWorkingDiffSubmodule(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n"})
	other := t.TempDir()
	gitIn(t, other, "init", "-q")
	commit := []string{"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x"}
	gitIn(t, other, commit...)
	l.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "module")
	l.git("commit", "-qm", "module")
	must(t, os.WriteFile(l.path("module/new"), []byte("x"), 0o600))
	wantPaths(t, workingDiff(t, l.dir, "", 1000))
	gitIn(t, l.path("module"), commit...)
	d := workingDiff(t, l.dir, "", 1000)
	wantPaths(t, d, "M module")
	wantText(t, d, "+Subproject commit ")
	// One that git does not track.
	gitIn(t, l.dir, "init", "-q", "nested")
	gitIn(t, l.path("nested"), commit...)
	d = workingDiff(t, l.dir, "", 1000)
	wantPaths(t, d, "M module")
	wantText(t, d, "nested/ is a repository of its own")
	wantEqual(t, "cut", d.Cut, true)
}

func TestWorkingDiffOddNames(t *testing.T) {
	l := newLab(t, map[string]string{"was/x": "1\n", "file": "1\n"})
	names := []string{"-dash", ":(glob)*", "a\nb", "b\tc", `q"uote`, "sp ace", "ü", "was", "file/inner"}
	l.remove("was")
	l.remove("file")
	for _, name := range names {
		l.write(name, "1\n")
	}
	d := workingDiff(t, l.dir, "", 30_000)
	wantPaths(t, d, "A -dash", "A :(glob)*", `A "a\nb"`, `A "b\tc"`, "D file", "A file/inner", `A "q\"uote"`, "A sp ace", "A was", "D was/x", "A ü")
	wantText(t, d, `b/a\nb"`, `"b/\303\274"`)
	wantEqual(t, "patches", strings.Count(d.Text, "diff --git "), len(d.Paths))
}

// A file that is huge or cannot be read does not hide the others.
func TestWorkingDiffUnshown(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n", "secret": "1\n", "z": "1\n"})
	l.write("a", "2\n")
	l.write("z", "2\n")
	l.write("secret", "2\n")
	must(t, os.Chmod(l.path("secret"), 0))
	must(t, os.Truncate(l.path("a"), maxDiffed+1))
	l.write("m", strings.Repeat("a long line of text\n", 200_000))
	d := workingDiff(t, l.dir, "", 5000)
	wantPaths(t, d, "M a", "A m", "M secret", "M z")
	wantText(t, d, "a has 16 MB and is not shown", "A m (+200000 -0)", "bytes of this patch left out here", "--- a/z\n+++ b/z\n")
	wantEqual(t, "cut", d.Cut, true)
	if os.Geteuid() != 0 {
		wantText(t, d, "secret cannot be read")
	}
}

func TestWorkingDiffManyFiles(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n"})
	for i := range 5000 {
		l.write(fmt.Sprintf("d%d/f%d", i%50, i), "1\n")
	}
	for _, limit := range []int{1, 100, 3000, 30_000} {
		d := workingDiff(t, l.dir, "", limit)
		wantEqual(t, "paths", len(d.Paths), 5000)
		wantEqual(t, "cut", d.Cut, true)
		if limit >= 3000 {
			wantText(t, d, "5000 files changed since ", " more\n", "diff --git ", "files left out here …]")
		}
	}
}

// In the middle of a merge the files are shown as they lie in the tree.
func TestWorkingDiffMerging(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n", "b": "1\n"})
	l.git("checkout", "-q", "-b", "other")
	l.write("a", "theirs\n")
	l.git("commit", "-qam", "theirs")
	l.git("checkout", "-q", "main")
	l.write("a", "ours\n")
	l.git("commit", "-qam", "ours")
	merge := process.Tool{Dir: l.dir, Argv: []string{"git", "merge", "-q", "other"}}
	if _, err := merge.Output(t.Context()); exitCode(err) != 1 {
		t.Fatalf("the merge has no conflict: %v", err)
	}
	l.write("b", "2\n")
	d := workingDiff(t, l.dir, "", 5000)
	wantPaths(t, d, "M a", "M b")
	wantText(t, d, "+<<<<<<< HEAD\n", "+>>>>>>> other\n", "--- a/b\n")
}

func TestWorkingDiffSHA256(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n"}, "--object-format=sha256")
	l.write("b", "1\n")
	d := workingDiff(t, l.dir, "", 1000)
	wantPaths(t, d, "A b")
	wantText(t, d, "+1\n")
}

func TestShareRoom(t *testing.T) {
	for _, test := range []struct {
		sizes []int
		room  int
		want  int
	}{
		{[]int{10, 10}, 1000, 978},
		{[]int{10, 5000}, 1000, 909},
		{[]int{5000, 5000}, 1000, 420},
		{nil, 7, 7},
	} {
		if got := shareRoom(test.sizes, test.room); got != test.want {
			t.Errorf("%v in %d: %d, want %d", test.sizes, test.room, got, test.want)
		}
	}
}
