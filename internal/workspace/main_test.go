package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
)

// TestMain makes the test binary the keeper of its own children.
func TestMain(m *testing.M) { processtest.Main(m) }

// A lab is a repository of a test's own, and the workspace on it.
type lab struct {
	*Workspace
	t     testing.TB
	dir   string
	snaps string

	mu    sync.Mutex
	notes []string
}

// A change is a path that differs between two snapshots.
type change struct {
	path string
	kind changeKind
}

// diff returns what changed between two snapshots.
func (l *lab) diff(from, to mulligan.Tree) ([]change, error) {
	l.Workspace.mu.Lock()
	defer l.Workspace.mu.Unlock()
	found, err := l.compareSnapshots(l.t.Context(), from.ID, to.ID)
	changes := make([]change, len(found))
	for i, d := range found {
		changes[i] = change{d.path, d.kind()}
	}
	return changes, err
}

// A keptPool forgets nothing: with the race detector a sync.Pool forgets at random, and what compresses has so much
// memory that making it anew is most of what a small snapshot takes there.
type keptPool struct {
	make func() any
	mu   sync.Mutex
	free []any
}

var keptZips, keptEncoders = &keptPool{make: newZip}, &keptPool{make: newPackEncoder}

func (p *keptPool) Get() any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return p.make()
	}
	last := len(p.free) - 1
	used := p.free[last]
	p.free = p.free[:last]
	return used
}

func (p *keptPool) Put(used any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, used)
}

// isolate keeps git from this machine's configuration.
func isolate(t testing.TB) {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
	} {
		t.Setenv(name, value)
	}
}

// newLab makes a repository with one commit of the given files, and opens it.
func newLab(t testing.TB, files map[string]string, init ...string) *lab {
	t.Helper()
	isolate(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	l := &lab{t: t, dir: dir, snaps: filepath.Join(t.TempDir(), "snapshots")}
	l.git(append([]string{"init", "-q", "-b", "main"}, init...)...)
	config, err := os.OpenFile(l.path(".git/config"), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = config.WriteString("[user]\n\tname = Ada\n\temail = ada@example.com\n")
	must(t, errors.Join(err, config.Close()))
	for name, text := range files {
		l.write(name, text)
	}
	l.git("add", "-A")
	l.git("commit", "-q", "--allow-empty", "-m", "first")
	l.open()
	return l
}

func (l *lab) open() {
	l.t.Helper()
	w, err := Open(l.t.Context(), Options{Dir: l.dir, Snapshots: l.snaps, Log: func(s string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.notes = append(l.notes, s)
	}})
	must(l.t, err)
	l.Workspace = w
	w.store.zips, w.store.encoders = keptZips, keptEncoders
	w.scan.lookFrom = 0 // as in large repositories; scripts walk small ones
	l.t.Cleanup(func() { must(l.t, w.Close()) })
}

// reopen is what another process of mulligan does.
func (l *lab) reopen() {
	l.t.Helper()
	must(l.t, l.Workspace.Close())
	l.open()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := process.Tool{Dir: dir, Argv: append([]string{"git"}, args...)}.Output(context.Background())
	must(t, err)
	return strings.TrimSuffix(string(out), "\n")
}

func (l *lab) git(args ...string) string {
	l.t.Helper()
	return gitIn(l.t, l.dir, args...)
}

// kept asks the snapshot repository.
func (l *lab) kept(args ...string) string {
	l.t.Helper()
	return gitIn(l.t, l.snaps, append([]string{"--git-dir=" + l.snaps}, args...)...)
}

func (l *lab) path(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

func (l *lab) write(name, text string) {
	l.t.Helper()
	must(l.t, os.MkdirAll(filepath.Dir(l.path(name)), 0o755))
	must(l.t, os.WriteFile(l.path(name), []byte(text), 0o644))
}

func (l *lab) read(name string) string {
	l.t.Helper()
	data, err := os.ReadFile(l.path(name))
	must(l.t, err)
	return string(data)
}

func (l *lab) remove(name string) {
	l.t.Helper()
	must(l.t, os.RemoveAll(l.path(name)))
}

func (l *lab) exists(name string) bool {
	_, err := os.Lstat(l.path(name))
	return err == nil
}

// settle puts HEAD on a branch where it stands.
func (l *lab) settle(branch string) {
	l.t.Helper()
	must(l.t, l.Settle(l.t.Context(), branch, l.git("rev-parse", "HEAD")))
}

// snap takes a snapshot as after something has run: it walks, whatever was looked at before.
func (l *lab) snap(label string) mulligan.Tree {
	l.t.Helper()
	l.ForgetWalk()
	return l.snapAgain(label)
}

// snapAgain takes a snapshot for which the last walk may serve.
func (l *lab) snapAgain(label string) mulligan.Tree {
	l.t.Helper()
	tree, err := l.Snapshot(l.t.Context(), label)
	must(l.t, err)
	return tree
}

// files lists a snapshot: "MODE path".
func (l *lab) files(t mulligan.Tree) []string {
	l.t.Helper()
	var all []string
	for line := range strings.SplitSeq(strings.TrimSuffix(l.kept("ls-tree", "-r", "-z", t.ID), "\x00"), "\x00") {
		if line != "" {
			head, path, _ := strings.Cut(line, "\t")
			all = append(all, head[:6]+" "+path)
		}
	}
	slices.Sort(all)
	return all
}

func (l *lab) wantFiles(t mulligan.Tree, want ...string) {
	l.t.Helper()
	slices.Sort(want)
	if got := l.files(t); !slices.Equal(got, want) {
		l.t.Errorf("snapshot has %q, want %q", got, want)
	}
}

func (l *lab) wantNote(part string) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.Contains(strings.Join(l.notes, "\n"), part) {
		l.t.Errorf("no note says %q: %q", part, l.notes)
	}
}

func wantEqual[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func gitBytes(t testing.TB, dir string, args ...string) []byte {
	t.Helper()
	out, err := process.Tool{Dir: dir, Argv: append([]string{"git"}, args...)}.Output(context.Background())
	must(t, err)
	return out
}
