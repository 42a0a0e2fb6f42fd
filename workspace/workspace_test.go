//go:build unix

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

	"golang.org/x/sys/unix"

	"mulligan"
)

// A fixture is a person's repository with a site of it.
type fixture struct {
	*testing.T
	root string
	site *Site
}

// environ is all that git has of this machine in these tests.
func environ(t *testing.T) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
}

func newFixture(t *testing.T, files map[string]string) *fixture {
	t.Helper()
	f := &fixture{T: t, root: filepath.Join(t.TempDir(), "person")}
	if err := os.MkdirAll(f.root, 0o755); err != nil {
		t.Fatal(err)
	}
	f.git(f.root, "init", "-q", "-b", "main")
	f.git(f.root, "config", "user.name", "A User")
	f.git(f.root, "config", "user.email", "user@example.com")
	f.write(f.root, files)
	f.git(f.root, "add", "-A")
	f.git(f.root, "commit", "-q", "--allow-empty", "-m", "start")
	f.open(filepath.Join(t.TempDir(), "state"))
	return f
}

// open opens a site whose store and slot are in state.
func (f *fixture) open(state string) {
	f.Helper()
	env := environ(f.T)
	c, err := LookAt(f.Context(), f.root, env)
	f.check(err)
	store := OpenStore(StoreOptions{Dir: filepath.Join(state, "store.git"), Environ: env})
	f.check(store.Update(f.Context(), c))
	f.site, err = OpenSite(f.Context(), SiteOptions{
		Store: store, Slot: filepath.Join(state, "1"), Checkout: c, Branch: "mulligan/work-1", Head: c.Head, Environ: env, MaxFile: 1 << 20,
	})
	f.check(err)
	tree, err := store.TreeOf(f.Context(), c.Head)
	f.check(err)
	f.check(f.site.Workspace.Prepare(f.Context(), mulligan.Tree{ID: tree, Head: c.Head}))
	f.check(f.site.Proof.Prepare(f.Context()))
}

func (f *fixture) check(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) git(dir string, args ...string) string {
	f.Helper()
	g := git{dir: dir, env: environ(f.T), limit: gitLimit}
	out, err := g.run(f.Context(), args...)
	f.check(err)
	return strings.TrimSpace(string(out))
}

func (f *fixture) write(dir string, files map[string]string) {
	f.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		f.check(os.MkdirAll(filepath.Dir(path), 0o755))
		f.check(os.WriteFile(path, []byte(text), 0o644))
	}
}

func (f *fixture) read(path string) string {
	f.Helper()
	text, err := os.ReadFile(path)
	f.check(err)
	return string(text)
}

func (f *fixture) take(label string) mulligan.Tree {
	f.Helper()
	tree, err := f.site.Workspace.Take(f.Context(), "s1/"+label, mulligan.AtFiles)
	f.check(err)
	return tree
}

// files lists what is in a folder, without .git.
func (f *fixture) files(dir string) []string {
	f.Helper()
	var list []string
	f.check(filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			list = append(list, name)
		}
		return err
	}))
	slices.Sort(list)
	return list
}

func TestLook(t *testing.T) {
	f := newFixture(t, map[string]string{
		"changed": "1", "deleted": "1", "file-to-folder": "1", "folder-to-file/x": "1", "same": "1", "folder/same": "1", ".gitignore": "*.o\nbuild/\n",
	})
	dir := f.site.Workspace.Dir()
	for _, path := range []string{"deleted", "file-to-folder", "folder-to-file"} {
		f.check(os.RemoveAll(filepath.Join(dir, path)))
	}
	f.write(dir, map[string]string{
		"changed": "2", "file-to-folder/new": "1", "file-to-folder/x.o": "1", "folder-to-file": "1", "folder/new": "1", "folder/x.o": "1",
		"new folder/deep/ä*[x]": "1", "new folder/x.o": "1", "only ignored/x.o": "1", "build/x/y": "1", "venv/.gitignore": "*", "venv/bin/python": "1",
	})
	f.check(os.Mkdir(filepath.Join(dir, "empty"), 0o700))
	for _, path := range []string{"nested", "new folder/nested"} {
		f.check(os.MkdirAll(filepath.Join(dir, path), 0o700))
		f.git(filepath.Join(dir, path), "init", "-q")
		f.git(filepath.Join(dir, path), "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x")
	}
	differing, err := f.site.Workspace.clone.look(t.Context())
	f.check(err)
	want := []string{
		"changed", "deleted", "file-to-folder", "file-to-folder/new", "folder-to-file", "folder-to-file/x", "folder/new", "nested/",
		"new folder/deep/ä*[x]", "new folder/nested/",
	}
	if !slices.Equal(differing, want) {
		t.Errorf("these differ: %q\nwant %q", differing, want)
	}
	want = []string{"build/", "file-to-folder/x.o", "folder/x.o", "new folder/x.o", "only ignored/", "venv/"}
	if ignored := slices.Sorted(slices.Values(f.site.Workspace.clone.ignored)); !slices.Equal(ignored, want) {
		t.Errorf("git ignores %q\nwant %q", ignored, want)
	}
}

// What git does not see is nothing that a new session or a fresh proof has; a submodule that is not checked out is.
func TestUnseen(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	f.git(f.root, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",lib")
	f.git(f.root, "commit", "-q", "-m", "link")
	f.open(filepath.Join(t.TempDir(), "state"))
	ws, proof := f.site.Workspace, f.site.Proof
	tree, err := f.site.store.TreeOf(t.Context(), f.site.Head())
	f.check(err)
	to := mulligan.Tree{ID: tree, Head: f.site.Head()}
	for _, dir := range []string{"lib", "new/deep", "locked/in"} {
		f.check(os.MkdirAll(filepath.Join(ws.Dir(), dir), 0o700))
	}
	f.check(os.Chmod(filepath.Join(ws.Dir(), "locked"), 0o500))
	f.check(ws.Prepare(t.Context(), to))
	f.check(ws.RemoveUnseen(t.Context()))
	entries, err := os.ReadDir(ws.Dir())
	f.check(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{".git", "a", "lib"}) {
		t.Errorf("a session begins with %q", names)
	}

	isFresh := func() bool {
		_, err := proof.Read(t.Context())
		f.check(err)
		fresh, err := proof.IsFresh(t.Context())
		f.check(err)
		return fresh
	}
	f.check(proof.LayFresh(t.Context(), to))
	if !isFresh() {
		t.Error("a proof with a submodule that is not checked out is not fresh")
	}
	f.check(os.Mkdir(filepath.Join(proof.Dir(), "left"), 0o700))
	if isFresh() {
		t.Error("a proof with an empty folder is fresh")
	}
}

// A look at many new folders lists each file once.
func TestLookAtManyFolders(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	files, want := map[string]string{"a": "2", "b": "1"}, []string{"a", "b"}
	for i := range maxPathspecs + 1 {
		name := fmt.Sprintf("folder-%03d/file", i)
		files[name], want = "1", append(want, name)
	}
	f.write(f.site.Workspace.Dir(), files)
	got, err := f.site.Workspace.clone.look(t.Context())
	f.check(err)
	if !slices.Equal(got, want) {
		t.Errorf("%d paths differ, want %d: %.300q", len(got), len(want), got)
	}
}

// TestProofIsCleanAfterEachCheck: what a check has made is gone before the next candidate is examined, whether the proof was
// read after the check or not, and so is what only the rules of the candidate before ignored.
func TestProofIsCleanAfterEachCheck(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "one\n", ".gitignore": "*.ignored\n*.old\n"})
	ws, proof := f.site.Workspace, f.site.Proof
	first := f.take("1")
	f.write(ws.Dir(), map[string]string{"a.txt": "two\n"})
	second := f.take("2")
	f.write(ws.Dir(), map[string]string{".gitignore": "*.ignored\n"})
	third := f.take("3")
	f.check(os.Symlink("b", filepath.Join(ws.Dir(), "l")))
	link := f.take("4")
	f.check(os.Remove(filepath.Join(ws.Dir(), "l")))
	f.write(ws.Dir(), map[string]string{"l/x": "x"})
	folder := f.take("5")
	f.check(proof.Lay(t.Context(), link))
	_, err := proof.Read(t.Context())
	f.check(err)
	for _, step := range []struct {
		name string
		made map[string]string
		read bool
		next mulligan.Tree
		want []string
	}{
		{"nothing made", nil, true, second, []string{".gitignore", "a.txt"}},
		{"a folder in the place of a link", nil, true, folder, []string{".gitignore", "a.txt", "l/x"}},
		{"a link in the place of a folder", nil, true, link, []string{".gitignore", "a.txt", "l"}},
		{"gone again", nil, true, second, []string{".gitignore", "a.txt"}},
		{"read, laid and then made", map[string]string{"made": "x"}, false, first, []string{".gitignore", "a.txt"}},
		{"still the same", nil, false, second, []string{".gitignore", "a.txt"}},
		{"made and read", map[string]string{"made": "x"}, true, first, []string{".gitignore", "a.txt"}},
		{"made and not read", map[string]string{"made": "x"}, false, second, []string{".gitignore", "a.txt"}},
		{"ignored", map[string]string{"x.ignored": "x", "x.old": "x"}, true, first, []string{".gitignore", "a.txt", "x.ignored", "x.old"}},
		{"not ignored any more", nil, true, third, []string{".gitignore", "a.txt", "x.ignored"}},
	} {
		f.write(proof.Dir(), step.made)
		if step.read {
			_, err := proof.Read(t.Context())
			f.check(err)
		}
		f.check(proof.Lay(t.Context(), step.next))
		if got := f.files(proof.Dir()); !slices.Equal(got, step.want) {
			t.Errorf("%s: the proof has %q, want %q", step.name, got, step.want)
		}
	}
}

func TestAttemptBecomesBranch(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "one\n", "b/c.txt": "two\n", ".gitignore": "*.ignored\n"})
	f.git(f.root, "tag", "v1")
	ws, proof := f.site.Workspace, f.site.Proof
	if got := f.git(ws.Dir(), "status", "--porcelain", "-b"); got != "## mulligan/work-1" {
		t.Errorf("git status in the workspace prints %q", got)
	}
	f.write(ws.Dir(), map[string]string{"a.txt": "changed\n", "new.txt": "new\n", "x.ignored": "ignored\n"})
	f.check(os.Remove(filepath.Join(ws.Dir(), "b/c.txt")))
	tree := f.take("1-after")
	changed, all, err := f.site.Store().Changed(t.Context(), mulligan.Tree{ID: f.site.Head()}, tree, 10)
	f.check(err)
	if want := []string{"M a.txt", "D b/c.txt", "A new.txt"}; all != 3 || !slices.Equal(changed, want) {
		t.Errorf("the candidate changes %q, want %q", changed, want)
	}
	f.check(proof.Lay(t.Context(), tree))
	if got := f.files(proof.Dir()); !slices.Equal(got, []string{".gitignore", "a.txt", "new.txt"}) {
		t.Errorf("the proof has %q", got)
	}
	f.write(proof.Dir(), map[string]string{"a.txt": "by a check\n", "made": "by a check\n", "warm.ignored": "build\n"})
	f.check(proof.Lay(t.Context(), tree))
	if got := f.files(proof.Dir()); !slices.Equal(got, []string{".gitignore", "a.txt", "new.txt", "warm.ignored"}) {
		t.Errorf("after a check the proof has %q", got)
	}
	if text, _ := os.ReadFile(filepath.Join(proof.Dir(), "a.txt")); string(text) != "changed\n" {
		t.Errorf("a tracked file that a check wrote has %q", text)
	}
	f.check(proof.LayFresh(t.Context(), tree))
	if got := f.files(proof.Dir()); !slices.Equal(got, []string{".gitignore", "a.txt", "new.txt"}) {
		t.Errorf("a fresh proof has %q", got)
	}
	c := mulligan.Commit{Tree: tree, Parent: f.site.Head(), Message: "mulligan(make): it\n", Time: time.Unix(1e9, 0)}
	id, err := f.site.Commit(t.Context(), "s1", c)
	f.check(err)
	if again, err := f.site.Commit(t.Context(), "s1", c); again != id {
		t.Errorf("the same commit again is %s, want %s (%v)", again, id, err)
	}
	before := f.git(f.root, "status", "--porcelain", "-b")
	f.check(f.site.Deliver(t.Context(), "s1/verified", "refs/heads/mulligan/work-1"))
	if got := f.git(f.root, "rev-parse", "mulligan/work-1"); got != id {
		t.Errorf("the branch is at %s, want %s", got, id)
	}
	if after := f.git(f.root, "status", "--porcelain", "-b"); after != before {
		t.Errorf("the person's status was %q and is %q", before, after)
	}
	f.take("2")
	f.check(ws.Ready(t.Context()))
	if got := f.git(ws.Dir(), "status", "--porcelain", "-b"); got != "## mulligan/work-1" {
		t.Errorf("after the commit git status in the workspace prints %q", got)
	}
}

func TestTakeLeavesOutWhatNoCommitHas(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "one\n", "big.bin": "small\n"})
	dir := f.site.Workspace.Dir()
	f.write(dir, map[string]string{"nested/file": "x", "ok.txt": "ok\n", "big.bin": strings.Repeat("x", 1<<20+1), "sub/.git/config": "no repository\n"})
	f.git(filepath.Join(dir, "nested"), "init", "-q")
	f.check(os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	f.check(unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	tree := f.take("1")
	if got := f.git(f.root, "--git-dir", f.site.store.dir, "ls-tree", "-r", "--name-only", tree.ID); got != "a.txt\nok.txt" {
		t.Errorf("the candidate has %q", got)
	}
	var lacks []string
	found, err := f.site.Workspace.Lacks(t.Context())
	f.check(err)
	for _, l := range found {
		lacks = append(lacks, l.Path)
	}
	if want := []string{"big.bin", "nested/", "empty/", "pipe"}; !slices.Equal(lacks, want) {
		t.Errorf("it lacks %q, want %q", lacks, want)
	}
}

func TestHostileGitFolderRunsNothing(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "one\n"})
	ws, mark := f.site.Workspace, filepath.Join(t.TempDir(), "ran")
	victim := filepath.Join(t.TempDir(), "victim")
	f.write(filepath.Dir(victim), map[string]string{"victim": "the person's\n"})
	f.git(ws.Dir(), "config", "core.fsmonitor", "touch "+mark)
	f.git(ws.Dir(), "config", "filter.x.clean", "touch "+mark)
	f.write(ws.Dir(), map[string]string{".gitattributes": "* filter=x\n", "a.txt": "two\n", ".git/hooks/post-checkout": "#!/bin/sh\ntouch " + mark + "\n"})
	f.check(os.Chmod(filepath.Join(ws.Dir(), ".git/hooks/post-checkout"), 0o755))
	f.check(os.Remove(filepath.Join(ws.Dir(), ".git/HEAD")))
	f.check(os.Symlink(victim, filepath.Join(ws.Dir(), ".git/HEAD")))
	f.take("1")
	f.check(ws.Ready(t.Context()))
	if exists(mark) {
		t.Error("a program of the agent's git config ran")
	}
	if text, _ := os.ReadFile(victim); string(text) != "the person's\n" {
		t.Errorf("a link in the agent's git folder led to the person's file, which has %q", text)
	}
	f.check(removeAll(filepath.Join(ws.Dir(), ".git")))
	f.check(os.Symlink(f.root+"/.git", filepath.Join(ws.Dir(), ".git")))
	before := f.git(f.root, "rev-parse", "HEAD")
	ws.brought = ""
	f.check(ws.Ready(t.Context()))
	if got := f.git(f.root, "rev-parse", "HEAD"); got != before {
		t.Errorf("the person's HEAD moved to %s", got)
	}
}

func TestCombine(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1", "dir/b": "2", "c": "3"})
	dir := f.site.Workspace.Dir()
	base := f.take("base")
	f.write(dir, map[string]string{"a": "x", "new": "n"})
	f.check(os.RemoveAll(filepath.Join(dir, "dir")))
	f.write(dir, map[string]string{"dir": "a file now"})
	now := f.take("now")
	tree, err := f.site.Combine(t.Context(), now, base, []string{"a", "dir", "dir/b", "new"})
	f.check(err)
	if tree.ID != base.ID {
		t.Errorf("with all paths put back the tree is %s, want %s", tree.ID, base.ID)
	}
	f.check(f.site.Workspace.Lay(t.Context(), base))
	if got := f.files(dir); !slices.Equal(got, []string{"a", "c", "dir/b"}) {
		t.Errorf("the workspace has %q", got)
	}
}

// A file that git refuses is no reason to leave out another.
func TestTakeSaysWhyGitRefuses(t *testing.T) {
	f := newFixture(t, map[string]string{"a.txt": "one\n"})
	f.write(f.site.Workspace.Dir(), map[string]string{".gitattributes": "made working-tree-encoding=nonsense\n", "made": "made\n", "other": "other\n"})
	tree := f.take("1")
	if got := f.git(f.root, "--git-dir", f.site.store.dir, "ls-tree", "-r", "--name-only", tree.ID); got != ".gitattributes\na.txt\nother" {
		t.Errorf("the candidate has %q", got)
	}
	lacks, err := f.site.Workspace.Lacks(t.Context())
	f.check(err)
	if want := (mulligan.Lack{Path: "made", Why: "git refuses it: failed to encode 'made' from nonsense to UTF-8"}); len(lacks) != 1 || lacks[0] != want {
		t.Errorf("the candidate lacks %v, want %v", lacks, want)
	}
}

// A submodule is laid where the tree has it, whatever an agent has put in its way, and nothing outside of the workspace changes.
func TestSubmodulesBehindLinks(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "a\n"})
	lib, outside := filepath.Join(t.TempDir(), "lib"), t.TempDir()
	f.write(lib, map[string]string{"in": "one\n", ".gitignore": "*.o\n"})
	f.write(outside, map[string]string{"in": "precious\n", "other": "precious\n", "HEAD": "precious\n", "deep/lib/in": "precious\n"})
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "lib"}} {
		f.git(lib, args...)
	}
	f.git(f.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "deep/lib")
	f.git(f.root, "commit", "-qm", "submodule")
	f.open(filepath.Join(t.TempDir(), "state"))
	w := f.site.Workspace
	tree := f.take("1")
	at := func(name string) string { return filepath.Join(w.Dir(), name) }
	for _, spoil := range []func(){
		func() {},
		func() { f.check(errors.Join(os.RemoveAll(at("deep/lib")), os.Symlink(outside, at("deep/lib")))) },
		func() { f.check(errors.Join(os.RemoveAll(at("deep")), os.Symlink(outside, at("deep")))) },
		func() {
			f.check(errors.Join(os.RemoveAll(at(".git/modules")), os.Symlink(outside, at(".git/modules"))))
		},
		func() {
			f.check(errors.Join(os.RemoveAll(at(".git/modules/deep/lib")), os.Symlink(outside, at(".git/modules/deep/lib"))))
		},
		func() { f.check(errors.Join(os.RemoveAll(at(".git")), os.Symlink(outside, at(".git")))) },
		func() {
			f.check(errors.Join(os.Remove(at("deep/lib/.git")), os.Symlink(outside+"/HEAD", at("deep/lib/.git"))))
		},
		func() { f.check(errors.Join(os.Remove(at("deep/lib/in")), os.Mkdir(at("deep/lib/in"), 0o700))) },
	} {
		spoil()
		f.check(w.Lay(t.Context(), tree))
		f.check(w.Ready(t.Context()))
		if got := f.read(at("deep/lib/in")); got != "one\n" {
			t.Errorf("the submodule has %q", got)
		}
		if got := f.git(w.Dir(), "status", "--porcelain"); got != "" {
			t.Errorf("git status: %s", got)
		}
		if got := f.git(w.Dir(), "submodule", "status"); !strings.HasPrefix(got, f.git(lib, "rev-parse", "HEAD")) {
			t.Errorf("git submodule status: %s", got)
		}
		for _, name := range []string{"in", "other", "HEAD", "deep/lib/in"} {
			if got := f.read(filepath.Join(outside, name)); got != "precious\n" {
				t.Fatalf("%s has %q", name, got)
			}
		}
	}
}
