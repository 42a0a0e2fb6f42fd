package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mulligan"
)

func (l *lab) restore(to mulligan.Tree, label string) {
	l.t.Helper()
	must(l.t, l.Restore(l.t.Context(), to, label))
	wantEqual(l.t, "the tree after restore", l.snap("check/"+filepath.Base(label)), to)
}

// A restore that is given again, after a process was killed, has nothing to replace: what the first one kept stays.
func TestRestoreAgainKeepsWhatWasReplaced(t *testing.T) {
	l := newLab(t, map[string]string{"f": "1"})
	to := l.snap("s/1")
	l.write("f", "work")
	worked := l.snap("s/2")
	l.restore(to, "s/2-rolled-back")
	l.reopen()
	l.restore(to, "s/2-rolled-back")
	all, err := l.Snapshots(t.Context(), "s")
	must(t, err)
	for _, s := range all {
		if s.Label == "s/2-rolled-back" {
			wantEqual(t, "what was replaced", s.Tree, worked)
		}
	}
}

func TestRestoreFiles(t *testing.T) {
	l := newLab(t, map[string]string{"mod": "1", "del": "1", "exec": "1", "d/x": "1", "d/e/y": "1", "f": "1", "ro/z": "1", ".gitignore": "*.log\n"})
	l.write("untracked/one", "u")
	l.write("keep.log", "ignored")
	must(t, os.Symlink("mod", l.path("link")))
	to := l.snap("s/1")

	l.write("mod", "2")
	l.remove("del")
	must(t, os.Chmod(l.path("exec"), 0o755))
	l.remove("d")
	l.write("d", "file now")
	l.remove("f")
	l.write("f/deep/er", "folder now")
	l.write("f/own.log", "ignored, in the way")
	l.remove("untracked")
	l.remove("link")
	l.write("link/x", "folder now")
	l.write("extra/deep/file", "e")
	l.write("ro/z", "2")
	must(t, os.Chmod(l.path("ro"), 0o555))
	broken := l.snap("s/2")

	l.restore(to, "s/before-restore-1")
	for path, want := range map[string]string{"mod": "1", "del": "1", "d/e/y": "1", "f": "1", "untracked/one": "u", "keep.log": "ignored"} {
		wantEqual(t, path, l.read(path), want)
	}
	if l.exists("extra") {
		t.Error("a folder that was not there is left")
	}
	l.wantNote("f held only what git ignores")

	// And forth again, in another process: what was there had been kept.
	l.reopen()
	all, err := l.Snapshots(t.Context(), "s")
	must(t, err)
	var kept mulligan.Tree
	for _, s := range all {
		if s.Label == "s/before-restore-1" {
			kept = s.Tree
		}
	}
	wantEqual(t, "kept before", kept, broken)
	l.restore(kept, "s/before-restore-2")
	wantEqual(t, "f/deep/er", l.read("f/deep/er"), "folder now")
	wantEqual(t, "d", l.read("d"), "file now")
}

// A folder replaced by a link out of the workspace is not written through.
func TestRestoreStaysInside(t *testing.T) {
	l := newLab(t, map[string]string{"d/x": "1", "d/y/z": "1"})
	to := l.snap("s/1")
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "x"), []byte("theirs"), 0o644))
	l.remove("d")
	must(t, os.Symlink(outside, l.path("d")))
	l.restore(to, "s/before-restore-1")
	data, err := os.ReadFile(filepath.Join(outside, "x"))
	must(t, err)
	wantEqual(t, "the file outside", string(data), "theirs")
	if _, err := os.Lstat(filepath.Join(outside, "y")); err == nil {
		t.Error("something was written outside")
	}
	wantEqual(t, "d/x", l.read("d/x"), "1")
}

// What the snapshot's rules ignore is left alone, though the agent has dropped the rules;
// what only the agent's rules ignore is its doing.
func TestRestoreUnderTheSnapshotsRules(t *testing.T) {
	l := newLab(t, map[string]string{".gitignore": ".env\nmodules/\n", "a": "1", "sub/.gitignore": "local\n"})
	l.write(".env", "secret")
	l.write("modules/big/file", "x")
	l.write("sub/local", "x")
	to := l.snap("s/1")
	l.remove(".gitignore")
	l.remove("sub/.gitignore")
	l.git("add", "-A")
	l.snap("s/2")
	l.restore(to, "s/before-restore-1")
	wantEqual(t, ".env", l.read(".env"), "secret")
	wantEqual(t, "modules", l.read("modules/big/file"), "x")
	wantEqual(t, "sub/local", l.read("sub/local"), "x")

	l.write(".gitignore", ".env\nmodules/\njunk*\n")
	l.write("junk", "hidden by the agent")
	l.snap("s/3")
	l.restore(to, "s/before-restore-2")
	if l.exists("junk") {
		t.Error("what the agent hid is left")
	}
	all, err := l.Snapshots(t.Context(), "s")
	must(t, err)
	found := false
	for _, s := range all {
		for _, f := range l.files(s.Tree) {
			found = found || f == "100644 junk"
		}
	}
	if !found {
		t.Error("what the agent hid is in no snapshot")
	}
}

func TestRestoreForcedFile(t *testing.T) {
	l := newLab(t, map[string]string{".gitignore": "*.log\n"})
	l.write("forced.log", "1")
	l.git("add", "-f", "forced.log")
	to := l.snap("s/1")
	l.wantFiles(to, "100644 .gitignore", "100644 forced.log")
	l.git("rm", "-q", "--cached", "forced.log")
	l.write("forced.log", "2")
	l.snap("s/2")
	l.restore(to, "s/before-restore-1")
	wantEqual(t, "forced.log", l.read("forced.log"), "1")
}

func TestRestoreHead(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.git("branch", "other")
	l.write("a", "2")
	l.git("commit", "-qam", "two")
	to := l.snap("s/1")
	other := l.git("rev-parse", "other")
	for name, act := range map[string]func(){
		"commit":       func() { l.write("a", "3"); l.git("commit", "-qam", "three") },
		"reset":        func() { l.git("reset", "-q", "--hard", "HEAD~1") },
		"other branch": func() { l.git("checkout", "-q", "other") },
		"new branch":   func() { l.git("checkout", "-q", "-B", "fresh") },
		"detached":     func() { l.git("checkout", "-q", "--detach", "HEAD~1") },
		"orphan":       func() { l.git("checkout", "-q", "--orphan", "alone") },
		"staged":       func() { l.write("b", "1"); l.git("add", "b") },
		"amended":      func() { l.git("commit", "-q", "--amend", "-m", "changed") },
	} {
		act()
		l.restore(to, "s/before-restore-1")
		wantEqual(t, name+": branch", l.git("symbolic-ref", "HEAD"), "refs/heads/main")
		wantEqual(t, name+": commit", l.git("rev-parse", "main"), to.Head)
		wantEqual(t, name+": other", l.git("rev-parse", "other"), other)
		l.wantClean()
	}
}

func TestRestoreTheSessionsBranch(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	// The same state, snapshot by another session on another branch.
	l.snap("other/1")
	l.settle("mulligan/s")
	to := l.snap("s/1")
	l.write("a", "2")
	l.git("commit", "-qam", "two")
	l.git("checkout", "-q", "main")
	l.restore(to, "s/before-restore-1")
	wantEqual(t, "HEAD", l.git("symbolic-ref", "HEAD"), "refs/heads/mulligan/s")
	wantEqual(t, "main", l.git("rev-parse", "main"), to.Head)
}

func TestDropLocks(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	to := l.snap("s/1")
	l.write("a", "2")
	for _, path := range []string{".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"} {
		l.write(path, "")
	}
	l.write(".git/packed-refs.lock", "")
	held, err := os.OpenFile(filepath.Join(l.dir, ".git/packed-refs.lock"), os.O_WRONLY, 0)
	must(t, err)
	defer held.Close()
	done := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() { // a git that lives: it writes to the file that it has, and makes no other
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				fmt.Fprint(held, n)
			}
		}
	})
	err = l.DropLocks(t.Context())
	close(done)
	busy.Wait()
	must(t, err)
	wantEqual(t, "the lock of a git that lives", l.exists(".git/packed-refs.lock"), true)
	l.remove(".git/packed-refs.lock")
	l.restore(to, "s/cut-short")
	l.wantClean()
}

func TestRestoreAfterAKill(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b": "1"})
	to := l.snap("s/1")
	l.write("a", "2")
	l.snap("s/2")
	// Killed half way: one file back, a temporary one left.
	l.write("b", "2")
	l.write(".mulligan-1-0", "half")
	l.reopen()
	l.restore(to, "s/before-restore-1")
	if l.exists(".mulligan-1-0") {
		t.Error("a temporary file is left")
	}
}

func TestRestoreModule(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.module("lib")
	l.git("add", ".")
	l.git("commit", "-qm", "module")
	l.remove("lib/.git")
	l.remove("lib/x")
	to := l.snap("s/1") // as after a clone: the folder is there, nothing is checked out
	l.wantFiles(to, "100644 a", "160000 lib")
	l.remove("lib")
	l.write("lib", "file now")
	l.restore(to, "s/before-restore-1")
	if !isFolder(l.path("lib")) {
		t.Error("the module's folder is not there")
	}
}

func TestRestoreWithALockedIndex(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	to := l.snap("s/1")
	l.write("a", "2")
	l.write(".git/index.lock", "")
	must(t, l.Restore(t.Context(), to, "s/before-restore-1"))
	wantEqual(t, "a", l.read("a"), "1")
	l.wantNote("index could not be brought up to date")
}

func TestReaderIsStartedAgain(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	one := l.snap("s/1")
	l.write("a", "2")
	two := l.snap("s/2")
	l.Workspace.snapshots.folder = "" // all objects are read by git
	for range 2 {
		changes, err := l.diff(one, two)
		must(t, err)
		wantEqual(t, "changes", len(changes), 1)
		// As if it had died: its input has ended.
		must(t, l.Workspace.snapshots.conversation.Stdin.Close())
	}
}
