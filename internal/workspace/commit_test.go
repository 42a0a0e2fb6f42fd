package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
)

var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.FixedZone("", 3600))

// done commits the tree as the step of a session does.
func (l *lab) done(tree mulligan.Tree, parent string) string {
	l.t.Helper()
	id, err := l.Commit(l.t.Context(), mulligan.Commit{Tree: tree, Parent: parent, Message: "mulligan(x): y\n\nStep: x", Time: noon})
	must(l.t, err)
	return id
}

func (l *lab) wantClean() {
	l.t.Helper()
	wantEqual(l.t, "git status", l.git("status", "--porcelain", "--untracked-files=all"), "")
}

// P7: exactly the tree that the gates saw, whatever a check did after.
func TestCommitIsWhatTheGatesSaw(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "gone": "1", "d/x": "1", "f": "1"})
	base := l.git("rev-parse", "HEAD")
	l.write("a", "2")
	l.remove("gone")
	l.remove("d")
	l.write("d", "file now")
	l.remove("f")
	l.write("f/x", "folder now")
	l.write("new one", "n")
	must(t, os.Chmod(l.path("new one"), 0o755))
	must(t, os.Symlink("a", l.path("link")))
	tree := l.snap("s/1")
	l.write("a", "3")
	l.write("coverage.txt", "of a check")
	id := l.done(tree, base)
	wantEqual(t, "tree", l.git("rev-parse", id+"^{tree}"), tree.ID)
	wantEqual(t, "HEAD", l.git("rev-parse", "main"), id)
	wantEqual(t, "parent", l.git("rev-parse", id+"^"), base)
	wantEqual(t, "who and when", l.git("log", "-1", "--format=%an <%ae> %ad|%cd", "--date=iso"), "Ada <ada@example.com> 2030-01-02 12:00:00 +0100|2030-01-02 12:00:00 +0100")
	wantEqual(t, "message", l.git("log", "-1", "--format=%B"), "mulligan(x): y\n\nStep: x")
	wantEqual(t, "files stay", l.read("a"), "3")
	wantEqual(t, "status", l.git("status", "--porcelain"), " M a\n?? coverage.txt")
	wantEqual(t, "reflog", l.git("reflog", "-1", "--format=%gs"), "mulligan: mulligan(x): y")
}

func TestCommitTwiceIsOne(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	base := l.git("rev-parse", "HEAD")
	l.write("a", "2")
	tree := l.snap("s/1")
	one := l.done(tree, base)
	l.reopen()
	wantEqual(t, "again", l.done(tree, base), one)
	// Killed after the commit was made, before the branch moved.
	l.git("reset", "-q", "--soft", base)
	wantEqual(t, "once more", l.done(tree, base), one)
	wantEqual(t, "commits", l.git("rev-list", "--count", "HEAD"), "2")
	l.wantClean()
}

// 12.11: nothing to commit is no error.
func TestCommitOfNothing(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	base := l.git("rev-parse", "HEAD")
	wantEqual(t, "commit", l.done(l.snap("s/1"), base), base)
	l.git("commit", "-q", "--allow-empty", "-m", "the agent's")
	wantEqual(t, "commit", l.done(l.snap("s/2"), base), base)
	wantEqual(t, "HEAD", l.git("rev-parse", "HEAD"), base)
}

func TestCommitFoldsTheAgentsOwn(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	base := l.git("rev-parse", "HEAD")
	l.write("a", "2")
	l.git("commit", "-qam", "the agent's first")
	l.write("b", "2")
	l.git("add", "b")
	l.git("commit", "-qm", "the agent's second")
	l.write("c", "staged")
	l.git("add", "c")
	l.write("c", "and changed")
	tree := l.snap("s/1")
	id := l.done(tree, base)
	wantEqual(t, "history", l.git("rev-list", "HEAD"), id+"\n"+base)
	wantEqual(t, "tree", l.git("rev-parse", id+"^{tree}"), tree.ID)
	l.wantClean()
}

// No hook, editor or signature of the user's config runs.
func TestCommitRunsNoHook(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	for _, name := range []string{"pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "reference-transaction", "post-index-change", "post-checkout", "fsmonitor"} {
		l.write(".git/hooks/"+name, "#!/bin/sh\ntouch "+l.path("hook-ran")+"\nexit 1\n")
		must(t, os.Chmod(l.path(".git/hooks/"+name), 0o755))
	}
	l.git("config", "core.fsmonitor", l.path(".git/hooks/fsmonitor"))
	l.git("config", "commit.gpgSign", "true")
	l.git("config", "core.editor", "false")
	ctx := t.Context()
	l.settle("mulligan/x")
	l.write("a", "2")
	before := l.snap("s/1")
	l.done(before, before.Head)
	l.write("a", "3")
	must(t, l.Restore(ctx, before, "s/before-restore-1"))
	carried, err := l.Carry(ctx, "carried")
	must(t, err)
	must(t, l.Settle(ctx, "mulligan/x", carried))
	_, err = l.Dirty(ctx)
	must(t, err)
	must(t, l.SwitchTo(ctx, "main"))
	tree := filepath.Join(t.TempDir(), "tree")
	must(t, AddWorktree(ctx, l.dir, tree, "other", "HEAD"))
	must(t, RemoveWorktree(ctx, l.dir, tree))
	if l.exists("hook-ran") {
		t.Error("a hook ran")
	}
}

func TestCommitIdentityFallsBack(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.git("config", "--unset", "user.name")
	l.git("config", "--unset", "user.email")
	l.reopen()
	l.write("a", "2")
	tree := l.snap("s/1")
	l.done(tree, tree.Head)
	wantEqual(t, "who", l.git("log", "-1", "--format=%an <%ae> %cn <%ce>"), "mulligan <mulligan@localhost> mulligan <mulligan@localhost>")
	t.Setenv("GIT_AUTHOR_NAME", "Env")
	t.Setenv("GIT_AUTHOR_EMAIL", "env@example.com")
	l.reopen()
	l.write("a", "3")
	tree = l.snap("s/2")
	l.done(tree, tree.Head)
	wantEqual(t, "who", l.git("log", "-1", "--format=%an <%ae> %cn"), "Env <env@example.com> mulligan")
}

// The user's filters apply to what is committed, and not to what is snapshot.
func TestCommitHonoursFilters(t *testing.T) {
	l := newLab(t, map[string]string{"a.txt": "one\n", "crlf.txt": "kept\r\n", ".gitattributes": "*.up filter=upper\n"})
	l.git("config", "core.autocrlf", "true")
	l.git("config", "filter.upper.clean", "tr a-z A-Z")
	l.git("config", "filter.upper.smudge", "tr A-Z a-z")
	l.reopen()
	l.write("a.txt", "one\r\ntwo\r\n")
	l.write("x.up", "shout\n")
	l.write("sub/.gitattributes", "*.bin -text\n")
	l.write("sub/y.bin", "raw\r\n")
	tree := l.snap("s/1")
	wantEqual(t, "snapshot", l.kept("cat-file", "blob", tree.ID+":a.txt"), "one\r\ntwo\r")
	id := l.done(tree, tree.Head)
	for path, want := range map[string]string{"a.txt": "one\ntwo", "x.up": "SHOUT", "sub/y.bin": "raw\r", "crlf.txt": "kept\r"} {
		wantEqual(t, path, l.git("cat-file", "blob", id+":"+path), want)
	}
	l.wantClean()
	before := l.git("rev-parse", "HEAD")
	wantEqual(t, "nothing more", l.done(l.snap("s/2"), before), before)
	must(t, l.Restore(t.Context(), tree, "s/before-restore-1"))
	wantEqual(t, "restored", l.read("a.txt"), "one\r\ntwo\r\n")
}

func TestCommitSigned(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	// A signer whose signature is another each time, as gpg's is.
	signer := filepath.Join(t.TempDir(), "signer")
	script := "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\ndate +%s%N\necho '-----END PGP SIGNATURE-----'\n"
	must(t, os.WriteFile(signer, []byte(script), 0o755))
	l.git("config", "gpg.program", signer)
	l.reopen()
	l.write("a", "2")
	tree := l.snap("s/1")
	c := mulligan.Commit{Tree: tree, Parent: tree.Head, Message: "signed\n", Time: noon, Sign: true}
	one, err := l.Commit(t.Context(), c)
	must(t, err)
	if !strings.Contains(l.git("cat-file", "commit", one), "BEGIN PGP SIGNATURE") {
		t.Error("the commit is not signed")
	}
	two, err := l.Commit(t.Context(), c)
	must(t, err)
	wantEqual(t, "again", two, one)
}

func TestCommitGoesToTheSessionsBranch(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.settle("mulligan/s")
	base := l.git("rev-parse", "HEAD")
	l.git("checkout", "-q", "main")
	l.write("a", "2")
	id := l.done(l.snap("s/1"), base)
	wantEqual(t, "HEAD", l.git("symbolic-ref", "HEAD"), "refs/heads/mulligan/s")
	wantEqual(t, "branch", l.git("rev-parse", "mulligan/s"), id)
	wantEqual(t, "main", l.git("rev-parse", "main"), base)
	l.wantNote("the commit goes to mulligan/s")
	// Resumed in another process.
	must(t, l.Workspace.Close())
	w, err := Open(t.Context(), Options{Dir: l.dir, Snapshots: l.snaps, Branch: "mulligan/s"})
	must(t, err)
	defer w.Close()
	l.git("checkout", "-q", "--detach")
	l.write("a", "3")
	tree, err := w.Snapshot(t.Context(), "s/2")
	must(t, err)
	id2, err := w.Commit(t.Context(), mulligan.Commit{Tree: tree, Parent: id, Message: "m", Time: noon})
	must(t, err)
	wantEqual(t, "branch", l.git("rev-parse", "mulligan/s"), id2)
	wantEqual(t, "HEAD", l.git("symbolic-ref", "HEAD"), "refs/heads/mulligan/s")
}

func TestCommitDetachedAndFirst(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.git("checkout", "-q", "--detach")
	l.write("a", "2")
	tree := l.snap("s/1")
	id := l.done(tree, tree.Head)
	wantEqual(t, "HEAD", l.git("rev-parse", "HEAD"), id)
	wantEqual(t, "main", l.git("rev-parse", "main"), tree.Head)
	l.git("symbolic-ref", "HEAD", "refs/heads/fresh")
	tree = l.snap("s/2")
	wantEqual(t, "head", tree.Head, "")
	id = l.done(tree, "")
	wantEqual(t, "fresh", l.git("rev-parse", "fresh"), id)
	wantEqual(t, "tree", l.git("rev-parse", "fresh^{tree}"), tree.ID)
	l.wantClean()
}

func TestCommitEndsAMerge(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	base := l.git("rev-parse", "HEAD")
	l.git("checkout", "-qb", "side")
	l.write("b", "1")
	l.git("add", "b")
	l.git("commit", "-qm", "side")
	l.git("checkout", "-q", "main")
	l.git("merge", "--no-commit", "--no-ff", "side")
	wantEqual(t, "in progress", l.InProgress(t.Context()), "a merge")
	l.done(l.snap("s/1"), base)
	wantEqual(t, "in progress", l.InProgress(t.Context()), "")
	l.wantClean()
}

func TestCommitInSparseCheckout(t *testing.T) {
	l := newLab(t, map[string]string{"in/a": "1", "out/b": "1", "top": "1"})
	l.git("sparse-checkout", "set", "in")
	if l.exists("out/b") {
		t.Skip("this git has no sparse checkout")
	}
	l.reopen()
	l.write("in/a", "2")
	tree := l.snap("s/1")
	id := l.done(tree, tree.Head)
	wantEqual(t, "what is not checked out stays", l.git("show", id+":out/b"), "1")
	wantEqual(t, "change", l.git("show", id+":in/a"), "2")
	l.wantClean()
	must(t, l.Restore(t.Context(), tree, "s/before-restore-1"))
	if l.exists("out/b") {
		t.Error("restore has written what is not checked out")
	}
}

func TestCommitModules(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	lib := l.module("lib")
	l.git("add", ".")
	l.git("commit", "-qm", "module")
	tree := l.snap("s/1")
	l.wantFiles(tree, "100644 a", "160000 lib")
	l.write("lib/x", "2")
	wantEqual(t, "its files are its own", l.snap("s/1"), tree)
	gitIn(t, lib, "commit", "-qam", "two")
	id := l.done(l.snap("s/2"), tree.Head)
	wantEqual(t, "module", l.git("rev-parse", id+":lib"), gitIn(t, lib, "rev-parse", "HEAD"))
	l.wantClean()
}

// module makes a repository inside the workspace, with one commit.
func (l *lab) module(name string, init ...string) string {
	l.write(name+"/x", "1")
	dir := l.path(name)
	gitIn(l.t, dir, append([]string{"init", "-q"}, init...)...)
	gitIn(l.t, dir, "config", "user.email", "ada@example.com")
	gitIn(l.t, dir, "config", "user.name", "Ada")
	gitIn(l.t, dir, "add", ".")
	gitIn(l.t, dir, "commit", "-qm", "one")
	return dir
}

func TestSHA256Repository(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b": "1", "d/c": "1"}, "--object-format=sha256")
	lib := l.module("lib", "--object-format=sha256")
	l.git("add", ".")
	l.git("commit", "-qm", "module")
	tree := l.snap("s/1")
	wantEqual(t, "length of a tree's id", len(tree.ID), 40)
	wantEqual(t, "length of HEAD", len(tree.Head), 64)
	wantEqual(t, "nothing to do", l.done(tree, tree.Head), tree.Head)
	l.write("a", "2")
	gitIn(t, lib, "commit", "-q", "--allow-empty", "-m", "two")
	changed := l.snap("s/2")
	id := l.done(changed, tree.Head)
	wantEqual(t, "change", l.git("show", id+":a"), "2")
	wantEqual(t, "module", l.git("rev-parse", id+":lib"), gitIn(t, lib, "rev-parse", "HEAD"))
	wantEqual(t, "changed", l.git("diff", "--name-only", tree.Head, id), "a\nlib")
	l.write("b", "junk")
	must(t, l.Restore(t.Context(), tree, "s/before-restore-1"))
	wantEqual(t, "HEAD", l.git("rev-parse", "HEAD"), tree.Head)
	wantEqual(t, "a", l.read("a"), "1")
	wantEqual(t, "b", l.read("b"), "1")
}
