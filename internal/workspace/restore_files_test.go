package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mulligan"
)

// state is what RestoreFiles must not change: HEAD, every ref, and the index.
func (l *lab) state() string {
	l.t.Helper()
	ref, err := os.ReadFile(filepath.Join(l.dir, ".git", "HEAD"))
	must(l.t, err)
	return string(ref) + l.git("for-each-ref") + "\n" + l.git("ls-files", "--stage")
}

func (l *lab) restoreFiles(to mulligan.Tree, label string) {
	l.t.Helper()
	before := l.state()
	must(l.t, l.RestoreFiles(l.t.Context(), to, label))
	wantEqual(l.t, "HEAD, refs and index", l.state(), before)
}

func TestRestoreFilesOnly(t *testing.T) {
	l := newLab(t, map[string]string{"mod": "1", "del": "1", "d/x": "1", ".gitignore": "*.log\n"})
	l.write("untracked/one", "u")
	l.write("keep.log", "ignored")
	to := l.snap("s/1")
	l.git("switch", "-q", "-c", "session")
	l.write("mod", "2")
	l.git("commit", "-qam", "two")
	for name, act := range map[string]func(){
		"on another branch": func() { l.git("switch", "-q", "main") },
		"detached":          func() { l.git("checkout", "-q", "--detach", "session") },
		"staged":            func() { l.write("mod", "staged"); l.write("new", "n"); l.git("add", "-A") },
		"a merge": func() {
			l.git("reset", "-q", "--hard", "main")
			must(t, os.WriteFile(filepath.Join(l.dir, ".git", "MERGE_HEAD"), []byte(l.git("rev-parse", "session")+"\n"), 0o644))
		},
		"other files": func() { l.remove("d"); l.write("d", "file now"); l.remove("del"); l.remove("untracked") },
	} {
		t.Run(name, func(t *testing.T) {
			act()
			before := l.snap("s/found")
			label := "s/before-" + filepath.Base(t.Name())
			l.restoreFiles(to, label)
			wantEqual(t, "the files", l.snap("check/now").ID, to.ID)
			wantEqual(t, "keep.log", l.read("keep.log"), "ignored")
			wantEqual(t, "the merge", l.exists(".git/MERGE_HEAD"), name == "a merge")
			l.restoreFiles(before, label+"-undone")
			wantEqual(t, "the files after the undoing", l.snap("check/now").ID, before.ID)
			_ = os.Remove(filepath.Join(l.dir, ".git", "MERGE_HEAD"))
			l.git("reset", "-q", "--hard")
			l.git("clean", "-qfd")
		})
	}
}

// What git ignored before, or ignores after, stays: no snapshot has it.
func TestRestoreFilesKeepsIgnored(t *testing.T) {
	l := newLab(t, map[string]string{".gitignore": "mine\n", "a": "1"})
	l.write("mine", "m")
	first := l.snap("s/1")
	l.write(".gitignore", "yours\n")
	l.write("yours", "y")
	second := l.snap("s/2")
	l.wantFiles(second, "100644 .gitignore", "100644 a", "100644 mine")
	l.restoreFiles(first, "s/before-1")
	wantEqual(t, "yours", l.read("yours"), "y")
	wantEqual(t, "mine", l.read("mine"), "m")
	l.restoreFiles(second, "s/before-2")
	wantEqual(t, "yours", l.read("yours"), "y")
	wantEqual(t, "mine", l.read("mine"), "m")
}

// An ignored file where the snapshot has another is neither overwritten nor deleted: nothing is changed.
func TestRestoreFilesRefusesHidden(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.write("data", "the snapshot's")
	l.write("f", "a file")
	l.write("g/x", "below")
	to := l.snap("s/1")
	for name, hide := range map[string]struct{ path, blocks string }{
		"a file":               {"data", "data"},
		"in a folder":          {"f/own", "f/own"},
		"for a folder":         {"g", "g"},
		"same content is fine": {"data", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l.remove("data")
			l.remove("f")
			l.remove("g")
			l.write(".gitignore", hide.path+"\n")
			content := "the person's"
			if hide.blocks == "" {
				content = "the snapshot's"
			}
			l.write(hide.path, content)
			l.write("a", "2")
			err := l.RestoreFiles(t.Context(), to, "s/before-"+filepath.Base(t.Name()))
			refused, ok := errors.AsType[*HiddenError](err)
			wantEqual(t, "refused", ok, hide.blocks != "")
			if ok {
				wantEqual(t, "the paths", joinPaths(refused.Paths), hide.blocks)
				wantEqual(t, "a", l.read("a"), "2")
			} else {
				must(t, err)
				wantEqual(t, "a", l.read("a"), "1")
			}
			wantEqual(t, hide.path, l.read(hide.path), content)
		})
	}
}

// A file that git ignores is in the snapshot where it was tracked; the index that tracked it is not brought back.
func TestRestoreFilesForced(t *testing.T) {
	l := newLab(t, map[string]string{".gitignore": "*.log\n"})
	l.write("forced.log", "1")
	l.git("add", "-f", "forced.log")
	to := l.snap("s/1")
	l.git("rm", "-q", "--cached", "forced.log")
	l.remove("forced.log")
	l.restoreFiles(to, "s/before-1")
	wantEqual(t, "forced.log", l.read("forced.log"), "1")
}

// A repository inside the workspace stays where it is, whether the snapshot has it or not.
func TestRestoreFilesModules(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	bare := l.snap("s/1")
	gitIn(t, l.dir, "init", "-q", "-b", "main", "sub")
	l.git("-C", "sub", "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "x")
	l.write("sub/file", "in it")
	l.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
	with := l.snap("s/2")
	l.restoreFiles(bare, "s/before-1")
	wantEqual(t, "sub/file", l.read("sub/file"), "in it")
	l.git("rm", "-q", "-f", "--cached", "sub")
	l.restoreFiles(with, "s/before-2")
	wantEqual(t, "sub/file", l.read("sub/file"), "in it")
}
