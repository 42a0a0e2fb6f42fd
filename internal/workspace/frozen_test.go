//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/gitfolder"
	"mulligan/internal/regular/regulartest"
)

// openSession opens the lab's repository as a process of a session does.
func (l *lab) openSession(opt Options) *Workspace {
	l.t.Helper()
	opt.Dir, opt.Snapshots = l.dir, l.snaps
	w, err := Open(l.t.Context(), opt)
	must(l.t, err)
	l.t.Cleanup(func() { w.Close() })
	return w
}

// A session that was killed works with the config of its start; after its end the config of then counts.
func TestFrozenConfigSurvivesACrash(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", ".gitattributes": "*.up filter=upper\n"})
	must(t, l.openSession(Options{Session: "s"}).Close()) // as a killed process: nothing is forgotten
	l.git("config", "filter.upper.clean", "tr a-z A-Z")
	l.write("x.up", "shout\n")
	commit := func(w *Workspace) string {
		t.Helper()
		tree, err := w.Snapshot(t.Context(), "s/1")
		must(t, err)
		id, err := w.Commit(t.Context(), mulligan.Commit{Tree: tree, Parent: tree.Head, Message: "m\n", Time: noon})
		must(t, err)
		return l.git("cat-file", "blob", id+":x.up")
	}
	w := l.openSession(Options{Session: "s"})
	wantEqual(t, "resumed", commit(w), "shout")
	w.ForgetStart()
	must(t, w.Close())
	l.write("x.up", "louder\n")
	wantEqual(t, "begun again", commit(l.openSession(Options{Session: "s"})), "LOUDER")
}

// What an agent writes into the frozen folder itself is put right before the next git.
func TestFrozenFolderIsPutRight(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", ".gitattributes": "* filter=x\n"})
	evil := filepath.Join(t.TempDir(), "ran")
	config := filepath.Join(l.Workspace.git.folder.Dir(), "config")
	l.write("b", "2")
	tree := l.snap("s/1")
	must(t, os.WriteFile(config, []byte("[filter \"x\"]\n\tclean = touch "+evil+"; cat\n"), 0o600))
	l.done(tree, tree.Head)
	if _, err := os.Lstat(evil); err == nil {
		t.Error("the filter ran")
	}
}

// A filter that does not end is stopped, with all that it started.
func TestFilterHasALimit(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.git("config", "filter.slow.clean", "sleep 1000")
	l.git("config", "filter.slow.required", "true")
	w := l.openSession(Options{Limit: 3 * time.Second})
	l.write(".gitattributes", "*.slow filter=slow\n")
	l.write("x.slow", "x")
	tree, err := w.Snapshot(t.Context(), "s/1")
	must(t, err)
	_, err = w.Commit(t.Context(), mulligan.Commit{Tree: tree, Parent: tree.Head, Message: "m\n", Time: noon})
	if limit, ok := errors.AsType[*LimitError](err); !ok || limit.Command != "update-index" {
		t.Errorf("the error is %v, want a limit of update-index", err)
	}
}

// A filter has the environment of an agent.
func TestFilterEnvironment(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "hunter2")
	l := newLab(t, map[string]string{".gitattributes": "*.env filter=env\n"})
	l.git("config", "filter.env.clean", "env")
	l.reopen()
	l.write("x.env", "x")
	tree := l.snap("s/1")
	got := l.git("cat-file", "blob", l.done(tree, tree.Head)+":x.env")
	if strings.Contains(got, "hunter2") || !strings.Contains(got, "PATH=") {
		t.Errorf("the filter has the environment\n%s", got)
	}
}

// A fifo where git reads a file is an error at once.
func TestFifosAreNotRead(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	for _, name := range []string{".git/HEAD", ".git/packed-refs", ".git/index", ".git/config"} {
		path := l.path(name)
		had, _ := os.ReadFile(path)
		_ = os.Remove(path)
		must(t, regulartest.MakeFifo(path))
		_, err := l.Dirty(t.Context())
		if _, ok := errors.AsType[*gitfolder.NotFileError](err); !ok && name != ".git/config" {
			t.Errorf("%s: the error is %v", name, err)
		}
		_, err = Open(t.Context(), Options{Dir: l.dir, Snapshots: l.snaps})
		if _, ok := errors.AsType[*gitfolder.NotFileError](err); !ok && (name == ".git/HEAD" || name == ".git/config") {
			t.Errorf("%s: to open it gives %v", name, err)
		}
		must(t, os.Remove(path))
		if had != nil {
			must(t, os.WriteFile(path, had, 0o644))
		}
	}
}

// A .gitignore that is no file counts as not there.
func TestIgnoreFileThatIsAFifo(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", ".gitignore": "*.log\n", "d/.gitignore": "x\n", "d/y": "1"})
	l.snap("s/1")
	l.remove(".gitignore")
	must(t, regulartest.MakeFifo(l.path(".gitignore")))
	l.write("d/x", "ignored")
	l.write("d/z.log", "no more")
	l.wantFiles(l.snap("s/2"), "100644 a", "100644 d/.gitignore", "100644 d/y", "100644 d/z.log")
}
