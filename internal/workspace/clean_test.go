package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// openForSession opens the workspace as a session does.
func (l *lab) openForSession() {
	l.t.Helper()
	must(l.t, l.Workspace.Close())
	w, err := Open(l.t.Context(), Options{Dir: l.dir, Snapshots: l.snaps, Session: "s"})
	must(l.t, err)
	l.Workspace = w
	l.t.Cleanup(func() { must(l.t, w.Close()) })
}

// A checkout without uncommitted work is found to be clean without git, and one with some never is.
func TestFindCleanCheckout(t *testing.T) {
	for name, test := range map[string]struct {
		change func(l *lab)
		clean  bool // as found without git
	}{
		"nothing": {func(*lab) {}, true},
		"an ignored file": {func(l *lab) {
			l.write(".gitignore", "*.o\n")
			l.git("add", "-A")
			l.git("commit", "-q", "-m", "i")
			l.write("x.o", "o")
		}, true},
		"an empty folder":    {func(l *lab) { must(l.t, os.MkdirAll(l.path("empty/more"), 0o755)) }, true},
		"a changed file":     {func(l *lab) { l.write("a", "2") }, false},
		"changed as before":  {func(l *lab) { l.changeUnseen("a", "2") }, false},
		"a new file":         {func(l *lab) { l.write("b/new", "n") }, false},
		"a deleted file":     {func(l *lab) { l.remove("a") }, false},
		"an executable file": {func(l *lab) { must(l.t, os.Chmod(l.path("a"), 0o755)) }, false},
		"a staged file":      {func(l *lab) { l.write("a", "2"); l.git("add", "a"); l.write("a", "1") }, false},
		"staged alone":       {func(l *lab) { l.write("n", "2"); l.git("add", "n"); l.remove("n") }, false},
		"a repository": {func(l *lab) {
			l.git("init", "-q", "other")
			l.git("-C", "other", "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-m", "m")
		}, false},
		"a skipped file":  {func(l *lab) { l.git("update-index", "--skip-worktree", "a"); l.write("a", "2") }, false},
		"an assumed file": {func(l *lab) { l.git("update-index", "--assume-unchanged", "a"); l.write("a", "2") }, false},
		"another commit": {func(l *lab) {
			l.git("commit", "-q", "--allow-empty", "-m", "x")
			l.write("a", "2")
			l.git("commit", "-q", "-a", "-m", "y")
			l.git("reset", "-q", "--soft", "HEAD^")
		}, false},
		"attributes": {func(l *lab) {
			l.write(".gitattributes", "* text\n")
			l.git("add", "-A")
			l.git("commit", "-q", "-m", "x")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{"a": "1", "b/c": "2"})
			test.change(l)
			l.openForSession()
			clean := l.isPlainlyClean(t.Context())
			wantEqual(t, "clean", clean, test.clean)
			if clean && l.git("status", "--porcelain") != "" {
				t.Errorf("git finds %q", l.git("status", "--porcelain"))
			}
			before := l.started.Load()
			dirty, err := l.Dirty(t.Context())
			must(t, err)
			if name != "attributes" {
				wantEqual(t, "dirty", len(dirty) > 0, !test.clean)
			}
			if name == "nothing" {
				wantEqual(t, "processes", l.started.Load()-before, 0)
			}
		})
	}
}

// changeUnseen changes a file and none of its times but the one that no program can set.
func (l *lab) changeUnseen(name, text string) {
	l.t.Helper()
	st, err := os.Stat(l.path(name))
	must(l.t, err)
	must(l.t, os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o644))
	must(l.t, os.Chtimes(l.path(name), time.Now(), st.ModTime()))
}
