package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/regular/regulartest"
)

// remember is what a session does before a turn.
func (l *lab) remember() {
	l.t.Helper()
	_, _, err := l.RememberGit(l.t.Context(), "s-1")
	must(l.t, err)
}

// restoreGit is what a session does after a turn. It returns the changes as "kind name".
func (l *lab) restoreGit(made ...string) []string {
	l.t.Helper()
	base, err := os.ReadFile(l.path(".git/refs/tags/base"))
	if err != nil { // the git folder has been moved, or the tag is packed
		base = []byte(l.git("rev-parse", "refs/tags/base"))
	}
	changes, err := l.RestoreGit(l.t.Context(), mulligan.GitCheck{Session: "s-1", Base: strings.TrimSpace(string(base)), Made: made})
	must(l.t, err)
	var all []string
	for _, c := range changes {
		all = append(all, string(c.Kind)+" "+c.Name)
	}
	return all
}

// newGuardLab makes a repository whose session works on the branch work.
func newGuardLab(t *testing.T) *lab {
	l := newLab(t, map[string]string{"a": "a\n", "b": "b\n"})
	l.git("commit", "-q", "--allow-empty", "-m", "second")
	l.git("tag", "base")
	l.git("branch", "other")
	l.git("update-ref", "refs/tags/later", l.git("commit-tree", "-p", "HEAD", "-m", "later", "HEAD^{tree}"))
	must(t, l.Settle(t.Context(), "work", l.git("rev-parse", "HEAD")))
	l.remember()
	return l
}

func (l *lab) config() string {
	data, err := os.ReadFile(l.path(".git/config"))
	must(l.t, err)
	return string(data)
}

func wantChanges(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("changes are %q; want %q", got, want)
	}
}

func TestGitFilesNothingChanged(t *testing.T) {
	l := newGuardLab(t)
	before := l.started.Load()
	wantChanges(t, l.restoreGit())
	l.remember()
	wantChanges(t, l.restoreGit())
	if n := l.started.Load() - before; n != 0 {
		t.Errorf("%d git processes ran", n)
	}
}

func TestGitConfigKeepsHarmless(t *testing.T) {
	for _, c := range []struct {
		name string
		args [][]string
		back []string // keys
		has  []string // in the config afterwards
	}{
		{"harmless", [][]string{{"user.name", "Agent"}, {"branch.x.merge", "refs/heads/main"}, {"remote.up.url", "https://example.com"}, {"pull.rebase", "true"}}, nil, []string{"name = Agent", "[remote \"up\"]"}},
		{"husky", [][]string{{"core.hooksPath", ".husky/_"}}, []string{"core.hookspath"}, []string{"name = Ada"}},
		{"both", [][]string{{"user.name", "Agent"}, {"core.fsmonitor", "evil"}, {"remote.up.url", "u"}}, []string{"core.fsmonitor"}, []string{"name = Agent", "url = u"}},
		{"remote helpers", [][]string{{"remote.up.url", "u"}, {"remote.up.vcs", "x"}, {"remote.up.uploadpack", "x"}, {"remote.up.promisor", "true"}}, []string{"remote.up.promisor", "remote.up.uploadpack", "remote.up.vcs"}, []string{"url = u"}},
		{"odd names", [][]string{{`remote.a"b\c d.url`, "line1\nline2 \"#;"}, {"alias.x", "!evil"}}, []string{"alias.x"}, []string{`[remote "a\"b\\c d"]`}},
		{"submodule", [][]string{{"submodule.a/b.url", "u"}, {"submodule.a/b.update", "!evil"}, {"submodule.a/b.ignore", "all"}}, []string{"submodule.a/b.ignore", "submodule.a/b.update"}, []string{"url = u"}},
		{"hides", [][]string{{"core.worktree", "/tmp"}, {"core.excludesFile", "x"}, {"core.autocrlf", "true"}, {"include.path", "x"}, {"includeIf.gitdir:/.path", "x"}}, []string{"core.autocrlf", "core.excludesfile", "core.worktree", "include.path", "includeif.gitdir:/.path"}, nil},
		{"changed", [][]string{{"core.bare", "true"}}, []string{"core.bare"}, []string{"bare = false"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newGuardLab(t)
			for _, kv := range c.args {
				gitIn(t, t.TempDir(), "config", "--file", l.path(".git/config"), kv[0], kv[1])
			}
			var want []string
			for _, key := range c.back {
				want = append(want, "setting "+key)
			}
			wantChanges(t, l.restoreGit(), want...)
			for _, has := range c.has {
				if !strings.Contains(l.config(), has) {
					t.Errorf("the config lacks %q:\n%s", has, l.config())
				}
			}
			wantChanges(t, l.restoreGit()) // once is enough
		})
	}
}

func TestGitConfigDeletedAndBroken(t *testing.T) {
	l := newGuardLab(t)
	was := l.config()
	for _, spoil := range []func(path string) error{
		os.Remove,
		func(path string) error { return os.WriteFile(path, []byte("[[["), 0o600) },
		func(path string) error { return os.WriteFile(path, make([]byte, 5<<20), 0o600) },
		func(path string) error { return os.Truncate(path, 0) },
		func(path string) error { return replaceBy(path, func() error { return regulartest.MakeFifo(path) }) },
		func(path string) error { return replaceBy(path, func() error { return os.Mkdir(path, 0o700) }) },
		func(path string) error { return replaceBy(path, func() error { return os.Symlink("/dev/zero", path) }) },
	} {
		must(t, spoil(l.path(".git/config")))
		if len(l.restoreGit()) == 0 || l.config() != was {
			t.Errorf("the config is\n%s", l.config())
		}
	}
}

func replaceBy(path string, make func() error) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return make()
}

func TestGitRefs(t *testing.T) {
	for _, c := range []struct {
		name string
		do   [][]string
		made []string
		want []string
	}{
		{"own commits", [][]string{{"commit", "-q", "--allow-empty", "-m", "x"}, {"commit", "-q", "--amend", "--allow-empty", "-m", "y"}}, nil, nil},
		{"packed", [][]string{{"pack-refs", "--all"}, {"gc", "-q"}}, nil, nil},
		{"tags and stash", [][]string{{"tag", "v1"}, {"update-ref", "refs/remotes/o/x", "HEAD"}, {"update-ref", "refs/notes/x", "HEAD"}}, nil, nil},
		{"made", [][]string{{"branch", "mine"}}, nil, []string{"branch_made refs/heads/mine"}},
		{"deleted", [][]string{{"branch", "-q", "-D", "other"}}, nil, []string{"branch_deleted refs/heads/other"}},
		{"deleted, in its place a folder", [][]string{{"branch", "-q", "-D", "other"}, {"branch", "other/x"}}, nil, []string{"branch_deleted refs/heads/other", "branch_made refs/heads/other/x"}},
		{"own made and deleted", [][]string{{"branch", "-q", "-D", "other"}}, []string{"other"}, nil},
		{"back", [][]string{{"branch", "-f", "other", "HEAD~"}}, nil, []string{"branch_moved refs/heads/other"}},
		{"forward", [][]string{{"commit", "-q", "--allow-empty", "-m", "x"}, {"branch", "-f", "other", "HEAD"}}, nil, []string{"branch_moved refs/heads/other"}},
		{"forward, not in this checkout", [][]string{{"push", "-q", ".", "later:other"}}, nil, []string{"branch_forward refs/heads/other"}},
		{"commit on another", [][]string{{"checkout", "-q", "other"}, {"commit", "-q", "--allow-empty", "-m", "x"}, {"checkout", "-q", "work"}}, nil, []string{"branch_moved refs/heads/other"}},
		{"base", [][]string{{"reset", "-q", "--hard", "HEAD~"}}, nil, []string{"base_rewritten refs/heads/work"}},
		{"renamed", [][]string{{"branch", "-m", "better"}}, nil, []string{"branch_made refs/heads/better", "own_gone refs/heads/work"}},
		{"linked", [][]string{{"symbolic-ref", "refs/heads/work", "refs/heads/main"}, {"commit", "-q", "--allow-empty", "-m", "x"}}, nil, []string{"branch_moved refs/heads/main", "branch_linked refs/heads/work"}},
		{"other linked", [][]string{{"symbolic-ref", "refs/heads/other", "refs/heads/work"}}, nil, []string{"branch_linked refs/heads/other"}},
		{"replaced", [][]string{{"replace", "HEAD", "HEAD~"}}, nil, nil},
		{"head elsewhere", [][]string{{"checkout", "-q", "-b", "tmp"}, {"checkout", "-q", "work"}, {"branch", "-q", "-D", "tmp"}, {"checkout", "-q", "--detach"}}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newGuardLab(t)
			base := l.git("rev-parse", "base")
			for _, args := range c.do {
				l.git(args...)
			}
			got := l.restoreGit(c.made...)
			if c.name == "replaced" {
				c.want = []string{"replaced refs/replace/" + base}
			}
			wantChanges(t, got, c.want...)
			if c.name == "deleted, in its place a folder" || c.made != nil || strings.HasPrefix(c.name, "forward, ") {
				return
			}
			if other := l.git("rev-parse", "other"); other != base {
				t.Errorf("other is at %s", other)
			}
			if main := l.git("rev-parse", "main"); main != base {
				t.Errorf("main is at %s", main)
			}
			l.git("merge-base", "--is-ancestor", base, "work")
		})
	}
}

// A person amends their commit in their own checkout while a session works in a worktree.
func TestGitRefsMovedInAnotherWorktree(t *testing.T) {
	l := newLab(t, map[string]string{"a": "a\n"})
	tree := filepath.Join(t.TempDir(), "tree")
	l.git("worktree", "add", "-q", "-b", "work", tree)
	l.git("tag", "base")
	person := l.dir
	was := l.git("rev-parse", "main")
	w, err := Open(t.Context(), Options{Dir: tree, Snapshots: l.snaps, Branch: "work"})
	must(t, err)
	defer w.Close()
	_, _, err = w.RememberGit(t.Context(), "s-1")
	must(t, err)
	gitIn(t, person, "commit", "-q", "--amend", "--allow-empty", "-m", "amended")
	amended := gitIn(t, person, "rev-parse", "main")
	changes, err := w.RestoreGit(t.Context(), mulligan.GitCheck{Session: "s-1", Base: was})
	must(t, err)
	if len(changes) != 1 || changes[0].Kind != mulligan.GitBranchOther || gitIn(t, person, "rev-parse", "main") != amended {
		t.Errorf("changes are %+v", changes)
	}
	if kept := gitIn(t, person, "rev-parse", changes[0].Kept); kept != was {
		t.Errorf("%s has %s; want %s", changes[0].Kept, kept, was)
	}
	// From the session's worktree it is a violation.
	gitIn(t, tree, "update-ref", "refs/heads/main", was+"~0", amended)
	gitIn(t, tree, "update-ref", "refs/heads/main", gitIn(t, tree, "commit-tree", "-m", "x", "HEAD^{tree}"))
	changes, err = w.RestoreGit(t.Context(), mulligan.GitCheck{Session: "s-1", Base: was})
	must(t, err)
	if len(changes) != 1 || changes[0].Kind != mulligan.GitBranchMoved || gitIn(t, person, "rev-parse", "main") != amended {
		t.Errorf("changes are %+v", changes)
	}
}

func TestGitFilesOfSubmodules(t *testing.T) {
	lib := newLab(t, map[string]string{"x": "x\n"})
	l := newGuardLab(t)
	add := []string{"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir}
	l.git(append(add, "first")...)
	wantChanges(t, l.restoreGit())
	l.remember()
	gitIn(t, l.path("first"), "config", "core.fsmonitor", "evil")
	must(t, os.WriteFile(l.path(".git/modules/first/hooks/post-checkout"), []byte("#!/bin/sh\n"), 0o700))
	l.git(append(add, "second")...)
	gitIn(t, l.path("second"), "config", "filter.x.clean", "evil")
	gitIn(t, l.path("second"), "config", "user.name", "Agent")
	wantChanges(t, l.restoreGit(), "setting core.fsmonitor", "hook .git/modules/first/hooks/post-checkout", "setting filter.x.clean")
	if name := gitIn(t, l.path("second"), "config", "user.name"); name != "Agent" {
		t.Errorf("the name is %q", name)
	}
	l.git("submodule", "--quiet", "update")
}

// A process that was killed at any point leaves what the next one needs.
func TestGitFilesAfterKill(t *testing.T) {
	l := newGuardLab(t)
	was := l.config()
	digest, _, err := l.RememberGit(t.Context(), "s-1")
	must(t, err)
	l.git("config", "core.hooksPath", "evil")
	must(t, regulartest.MakeFifo(l.path(".git/info/fifo")))
	hold, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	must(t, err)
	defer hold.Close()
	// Without the lock nothing is touched.
	l.reopen()
	if l.config() == was {
		t.Fatal("a process without the lock has put the config back")
	}
	known := Known{Killed: true, Memory: digest}
	for range 2 { // the second finds nothing to do
		w, err := Open(t.Context(), Options{Dir: l.dir, Snapshots: l.snaps, Branch: "work", Hold: hold, Known: known})
		must(t, err)
		if l.config() != was {
			t.Errorf("the config is\n%s", l.config())
		}
		must(t, w.Close())
	}
	if _, err := os.Lstat(l.path(".git/info/fifo")); err == nil {
		t.Error("the fifo is still there")
	}

	// Another session forgets it, and the journal of an earlier version has no digest.
	shelf := newShelf(l.snaps, l.dir)
	must(t, os.Rename(shelf.Path(digest), shelf.Path("")))
	l.git("config", "core.hooksPath", "evil")
	w, err := Open(t.Context(), Options{Dir: l.dir, Snapshots: l.snaps, Branch: "work", Hold: hold, Session: "s-2"})
	must(t, err)
	defer w.Close()
	if l.config() != was {
		t.Errorf("the config is\n%s", l.config())
	}
	if left := shelf.Digests(); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

func TestGitFilesMovedFolders(t *testing.T) {
	l := newGuardLab(t)
	must(t, os.Rename(l.path(".git"), l.path("../moved")))
	must(t, os.Symlink("../moved", l.path(".git")))
	if len(l.restoreGit()) != 1 {
		t.Error("it was not put back")
	}
	must(t, os.Rename(l.path(".git/objects"), l.path("../objects")))
	must(t, os.Symlink("../../objects", l.path(".git/objects")))
	wantChanges(t, l.restoreGit(), "odd_file .git/objects")
	l.git("fsck")
}

func TestGitIndexIsGone(t *testing.T) {
	l := newGuardLab(t)
	l.write(".gitignore", "b\n")
	l.git("add", "-A")
	must(t, os.Remove(l.path(".git/index")))
	l.restoreGit()
	if files := l.git("ls-files"); files != "a\nb" {
		t.Errorf("the index has %q", files)
	}
}

func TestGitFoldersGoneOrLocked(t *testing.T) {
	l := newGuardLab(t)
	base := l.git("rev-parse", "base")
	must(t, os.RemoveAll(l.path(".git/refs")))
	must(t, os.RemoveAll(l.path(".git/logs")))
	changes, err := l.RestoreGit(t.Context(), mulligan.GitCheck{Session: "s-1", Base: base})
	must(t, err)
	if len(changes) != 3 || l.git("rev-parse", "main") != base || l.git("rev-parse", "work") != base || l.git("rev-parse", "other") != base {
		t.Errorf("changes are %+v", changes)
	}
	l.git("tag", "base", base)
	must(t, os.Chmod(l.path(".git/info"), 0))
	must(t, os.Chmod(l.path(".git/config"), 0))
	l.restoreGit()
	l.git("status")
}

func TestGitRefsAreMany(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 10,000 refs")
	}
	l := newGuardLab(t)
	id := l.git("rev-parse", "HEAD")
	must(t, os.MkdirAll(l.path(".git/refs/heads/many"), 0o700))
	for i := range 10000 {
		must(t, os.WriteFile(l.path(fmt.Sprintf(".git/refs/heads/many/%d", i)), []byte(id+"\n"), 0o600))
	}
	l.remember()
	time.Sleep(2100 * time.Millisecond) // until a change of the files would show
	wantChanges(t, l.restoreGit())
	began := time.Now()
	wantChanges(t, l.restoreGit())
	t.Logf("%s for 10,000 loose refs", time.Since(began))
	began = time.Now()
	l.git("pack-refs", "--all")
	wantChanges(t, l.restoreGit())
	t.Logf("%s with git pack-refs", time.Since(began))
	began = time.Now()
	wantChanges(t, l.restoreGit())
	t.Logf("%s for 10,000 packed refs", time.Since(began))
}
