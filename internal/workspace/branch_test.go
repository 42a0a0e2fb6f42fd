package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
)

func TestFind(t *testing.T) {
	l := newLab(t, map[string]string{"d/e/x": "1"})
	root, err := Find(l.path("d/e"))
	must(t, err)
	wantEqual(t, "root", root.Dir, l.dir)
	// A .git that leads nowhere is walked past.
	l.write("d/e/.git", "gitdir: nowhere\n")
	root, err = Find(l.path("d/e"))
	must(t, err)
	wantEqual(t, "root", root.Dir, l.dir)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(l.path("d"), link))
	root, err = Find(link)
	must(t, err)
	wantEqual(t, "root through a link", root.Dir, l.dir)
	if _, err := Find(t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("error is %v", err)
	}
}

func TestHead(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	want := l.git("rev-parse", "HEAD")
	check := func(branch string) {
		t.Helper()
		b, c, err := l.Head(t.Context())
		must(t, err)
		wantEqual(t, "branch", b, branch)
		wantEqual(t, "commit", c, want)
	}
	before := l.started.Load()
	check("main")
	l.git("pack-refs", "--all")
	check("main")
	l.git("checkout", "-q", "-b", "feature/x")
	check("feature/x")
	l.git("pack-refs", "--all")
	check("feature/x")
	l.git("checkout", "-q", "--detach")
	check("")
	l.git("symbolic-ref", "HEAD", "refs/heads/alias")
	l.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
	check("main")
	l.git("checkout", "-q", "--orphan", "feature")
	_, _, err := l.Head(t.Context())
	if !errors.Is(err, ErrUnborn) {
		t.Errorf("error is %v", err)
	}
	wantEqual(t, "processes", l.started.Load()-before, 0)
}

func TestDirty(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b": "1", "c": "1", "hid": "1", "same": "1", ".gitignore": "*.log\n"})
	l.git("update-index", "--assume-unchanged", "hid")
	l.git("update-index", "--skip-worktree", "same")
	dirty := func(want ...string) {
		t.Helper()
		got, err := l.Dirty(t.Context())
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("dirty is %q, want %q", got, want)
		}
	}
	l.write("x.log", "ignored")
	dirty()
	l.write("a", "2")
	l.remove("b")
	l.write("c", "2")
	l.git("add", "c")
	l.write("new\nline", "n")
	l.write("hid", "2")
	dirty("M a", "D b", "M c", "h hid", "? new\nline")
	for i := range 100 {
		l.write(fmt.Sprintf("many-%03d", i), "x")
	}
	got, err := l.Dirty(t.Context())
	must(t, err)
	wantEqual(t, "lines", len(got), dirtyLines+1)
	wantEqual(t, "the last", got[dirtyLines], "… and 55 more")
}

func TestSettle(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	head := l.git("rev-parse", "HEAD")
	l.write("a", "uncommitted")
	for range 2 { // the second time is after a kill
		l.settle("mulligan/x")
		wantEqual(t, "HEAD", l.git("symbolic-ref", "HEAD"), "refs/heads/mulligan/x")
		wantEqual(t, "commit", l.git("rev-parse", "HEAD"), head)
		wantEqual(t, "files stay", l.read("a"), "uncommitted")
	}
	l.git("commit", "-qam", "two")
	l.git("branch", "other")
	l.git("checkout", "-q", "main")
	for _, bad := range []string{"other", "bad..name", "-x "} {
		if err := l.Settle(t.Context(), bad, head); err == nil {
			t.Errorf("HEAD was put on branch %q", bad)
		}
	}
	l.git("symbolic-ref", "HEAD", "refs/heads/unborn")
	if err := l.Settle(t.Context(), "y", head); !errors.Is(err, ErrUnborn) {
		t.Errorf("error is %v", err)
	}
}

func TestSwitchTo(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "only": "1"})
	l.settle("side")
	l.write("a", "2")
	l.remove("only")
	l.write("new/x", "2")
	tree := l.snap("s/1")
	l.done(tree, tree.Head)
	ctx := t.Context()
	must(t, l.SwitchTo(ctx, "main"))
	wantEqual(t, "a", l.read("a"), "1")
	wantEqual(t, "only", l.read("only"), "1")
	if l.exists("new") {
		t.Error("a folder of the other branch is left")
	}
	l.wantClean()
	must(t, l.SwitchTo(ctx, "side"))
	must(t, l.SwitchTo(ctx, "side"))
	wantEqual(t, "tree", l.snap("s/2").ID, tree.ID)
	l.wantClean()
	l.write("a", "work")
	if err := l.SwitchTo(ctx, "main"); err == nil || !strings.Contains(err.Error(), "uncommitted work (M a)") {
		t.Errorf("error is %v", err)
	}
	wantEqual(t, "a", l.read("a"), "work")
	l.git("checkout", "-q", "a")
	if err := l.SwitchTo(ctx, "none"); err == nil {
		t.Error("switched to a branch that is not there")
	}
}

func TestCarry(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b": "1", ".gitignore": "*.log\n"})
	l.write("a", "staged")
	l.git("add", "a")
	l.write("a", "2")
	l.remove("b")
	l.write("new", "n")
	l.write("x.log", "ignored")
	head := l.git("rev-parse", "HEAD")
	id, err := l.Carry(t.Context(), "work in progress")
	must(t, err)
	wantEqual(t, "main", l.git("rev-parse", "main"), head)
	wantHolds := func(commit string, want bool) {
		t.Helper()
		got, err := l.Holds(t.Context(), commit)
		must(t, err)
		wantEqual(t, "holds "+commit, got, want)
	}
	wantHolds(head, false)
	wantHolds(id, true)
	// Killed half way: the branch is there, and HEAD not yet on it.
	l.git("branch", "mulligan/x", id)
	wantHolds(id, true)
	must(t, l.Settle(t.Context(), "mulligan/x", id))
	wantEqual(t, "HEAD", l.git("rev-parse", "HEAD"), id)
	wantEqual(t, "main", l.git("rev-parse", "main"), head)
	wantEqual(t, "files", l.git("ls-tree", "-r", "--name-only", id), ".gitignore\na\nnew")
	wantEqual(t, "a", l.git("show", id+":a"), "2")
	l.wantClean()
}

func TestMadeSince(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	began := time.Now()
	l.git("branch", "new")
	for _, test := range []struct {
		branch string
		since  time.Time
		want   bool
	}{
		{"new", began, true},
		{"new", began.Add(time.Hour), false},
		{"none", began, false},
		{"", began, false},
	} {
		if got := l.MadeSince(test.branch, test.since); got != test.want {
			t.Errorf("branch %q made since %s: %v", test.branch, test.since, got)
		}
	}
}

func TestIsAt(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.write("left", "by a check")
	tree := l.snap("s/end")
	at, err := l.IsAt(t.Context(), tree)
	must(t, err)
	wantEqual(t, "as it was left", at, true)
	l.write("a", "a person's")
	at, err = l.IsAt(t.Context(), tree)
	must(t, err)
	wantEqual(t, "changed since", at, false)
}

func TestInProgress(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	wantEqual(t, "nothing", l.InProgress(t.Context()), "")
	l.git("bisect", "start")
	wantEqual(t, "bisect", l.InProgress(t.Context()), "a bisect")
	l.git("bisect", "reset")
	l.write(".git/rebase-merge/interactive", "")
	wantEqual(t, "rebase", l.InProgress(t.Context()), "a rebase")
	l.remove(".git/rebase-merge")
	l.write(".git/CHERRY_PICK_HEAD", l.git("rev-parse", "HEAD"))
	wantEqual(t, "cherry-pick", l.InProgress(t.Context()), "a cherry-pick")
}

// A linked worktree is a workspace like any other, also under an odd path.
func TestWorktree(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b": "1"})
	ctx, main := t.Context(), l.git("rev-parse", "HEAD")
	path := filepath.Join(t.TempDir(), "odd \"path\"\nhere")
	must(t, AddWorktree(ctx, l.dir, path, "mulligan/w", "HEAD"))
	w, err := Open(ctx, Options{Dir: path, Snapshots: l.snaps})
	must(t, err)
	defer w.Close()
	branch, _, err := w.Head(ctx)
	must(t, err)
	wantEqual(t, "branch", branch, "mulligan/w")
	must(t, os.WriteFile(filepath.Join(path, "a"), []byte("2"), 0o644))
	must(t, os.WriteFile(filepath.Join(path, "new"), []byte("2"), 0o644))
	tree, err := w.Snapshot(ctx, "w/1")
	must(t, err)
	id, err := w.Commit(ctx, mulligan.Commit{Tree: tree, Parent: main, Message: "m", Time: noon})
	must(t, err)
	wantEqual(t, "its branch", l.git("rev-parse", "mulligan/w"), id)
	wantEqual(t, "the user's branch", l.git("rev-parse", "main"), main)
	wantEqual(t, "the user's file", l.read("a"), "1")
	l.wantClean()
	must(t, os.Remove(filepath.Join(path, "b")))
	must(t, w.Restore(ctx, mulligan.Tree{ID: tree.ID, Head: id}, "w/before-restore-1"))
	if _, err := os.Lstat(filepath.Join(path, "b")); err != nil {
		t.Error(err)
	}
	must(t, RemoveWorktree(ctx, l.dir, path))
	if _, err := os.Lstat(path); err == nil {
		t.Error("the worktree is still there")
	}
	wantEqual(t, "its branch stays", l.git("rev-parse", "mulligan/w"), id)
	must(t, AddWorktree(ctx, l.dir, path, "mulligan/w", "HEAD"))
	wantEqual(t, "resumed", gitIn(t, path, "rev-parse", "HEAD"), id)
}

// Variables that would point git elsewhere do not reach it.
func TestEnvironment(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	for name, value := range map[string]string{
		"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "GIT_OBJECT_DIRECTORY": "/nowhere",
		"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_LITERAL_PATHSPECS": "1", "GIT_NAMESPACE": "x", "LC_ALL": "de_DE.UTF-8",
	} {
		t.Setenv(name, value)
	}
	l.reopen()
	l.write("a", "2")
	tree := l.snap("s/1")
	id := l.done(tree, tree.Head)
	env := cleanEnv(os.Environ())
	for _, kv := range env {
		if strings.Contains(kv, "nowhere") || strings.Contains(kv, "de_DE") {
			t.Errorf("git would get %s", kv)
		}
	}
	if !slices.Contains(env, "GIT_CONFIG_NOSYSTEM=1") || !slices.Contains(env, "LC_ALL=C") {
		t.Errorf("git would not get its config: %q", env)
	}
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE", "LC_ALL"} {
		must(t, os.Unsetenv(name))
	}
	wantEqual(t, "HEAD", l.git("rev-parse", "main"), id)
	wantEqual(t, "date", l.git("log", "-1", "--format=%at"), fmt.Sprint(noon.Unix()))
}
