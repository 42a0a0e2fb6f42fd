package gitfiles

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan/internal/regular/regulartest"
)

// A lineTool is a config tool for files with a "key=value" on each line. It fails at its n-th call.
type lineTool struct{ calls, failAt int }

var errKilled = errors.New("killed")

func (l *lineTool) call() error {
	if l.calls++; l.calls == l.failAt {
		return errKilled
	}
	return nil
}

func (l *lineTool) List(_ context.Context, data []byte) (all []Setting, err error) {
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		all = append(all, Setting{key, value})
	}
	return all, l.call()
}

func (l *lineTool) Edit(_ context.Context, data []byte, values []Setting, _ []string) ([]byte, error) {
	for _, s := range values {
		data = fmt.Appendf(data, "%s=%s\n", s.Key, s.Value)
	}
	return data, l.call()
}

// newGitFolder makes what looks like a git folder, and returns it as a repository.
func newGitFolder(t *testing.T) Repo {
	dir := t.TempDir()
	git := filepath.Join(dir, ".git")
	write(t, git, map[string]string{
		"HEAD": "ref: refs/heads/main\n", "config": "core.bare=false\n", "info/exclude": "# none\n", "hooks/pre-push": "#!/bin/sh\n",
		"objects/info/x": "", "objects/pack/x": "", "refs/heads/main": strings.Repeat("a", 40) + "\n", "logs/HEAD": "",
		"modules/lib/HEAD": "ref: refs/heads/main\n", "modules/lib/config": "core.bare=false\n",
	})
	return Repo{Dir: dir, Git: git, Common: git}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
}

// readAll returns the files of a folder, and what else is there.
func readAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		e := readEntry(path)
		all[path] = string(e.Kind) + " " + string(e.Data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// spoil changes all kinds of things in a git folder.
func spoil(t *testing.T, git string) {
	write(t, git, map[string]string{
		"config": "core.bare=false\ncore.hookspath=evil\nuser.name=a\n", "config.worktree": "core.x=1\n", "info/attributes": "* filter=x\n", "info/exclude": "*\n",
		"hooks/pre-commit": "evil", "hooks/pre-push": "evil", "objects/info/alternates": "/x\n", "HEAD": "nonsense",
		"modules/lib/config": "core.fsmonitor=evil\n", "modules/new/HEAD": "ref: refs/heads/main\n", "modules/new/config": "core.bare=false\nfilter.x.clean=evil\n",
	})
	err := errors.Join(regulartest.MakeFifo(filepath.Join(git, "index")), os.Symlink("/dev/zero", filepath.Join(git, "refs/heads/zero")))
	if err != nil {
		t.Fatal(err)
	}
}

// Killed between any two steps, the rerun comes to the same.
func TestPutBackAgain(t *testing.T) {
	want := func(m *Memory) map[string]string {
		all := readAll(t, m.Repo.Git)
		all[filepath.Join(m.Repo.Git, "config")] = "file core.bare=false\nuser.name=a\n"
		all[filepath.Join(m.Repo.Git, "modules/new/HEAD")] = "file ref: refs/heads/main\n"
		all[filepath.Join(m.Repo.Git, "modules/new/config")] = "file core.bare=false\n"
		return all
	}
	for failAt := range 20 {
		r := newGitFolder(t)
		m := Look(r, "s", new(FolderReader))
		wanted := want(m)
		spoil(t, r.Git)
		shelf := &Shelf{Base: filepath.Join(t.TempDir(), "memory")}
		digest, err := shelf.Store(m)
		if err != nil {
			t.Fatal(err)
		}
		keeper := &Keeper{Dir: t.TempDir()}
		changes, err := m.PutBack(t.Context(), keeper, &lineTool{failAt: failAt})
		if err == nil && len(changes) == 0 {
			t.Fatal("nothing was put back")
		}
		if m, err = shelf.Load(digest); err != nil {
			t.Fatal(err)
		}
		if _, err := m.PutBack(t.Context(), keeper, &lineTool{}); err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r.Git); !maps.Equal(got, wanted) {
			t.Errorf("killed at call %d: %q; want %q", failAt, got, wanted)
		}
		if again, err := m.PutBack(t.Context(), keeper, &lineTool{}); err != nil || len(again) > 0 {
			t.Errorf("killed at call %d: once more %+v, %v", failAt, again, err)
		}
	}
}

// A copy of everything that is put back is kept.
func TestPutBackKeeps(t *testing.T) {
	r := newGitFolder(t)
	m := Look(r, "s", new(FolderReader))
	spoil(t, r.Git)
	keeper := &Keeper{Dir: t.TempDir()}
	changes, err := m.PutBack(t.Context(), keeper, &lineTool{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.Kept == "" {
			t.Errorf("nothing is kept of %s", c.Name)
			continue
		}
		if data, err := os.ReadFile(c.Kept); err != nil || len(data) == 0 {
			t.Errorf("%s is kept as %q, %v", c.Name, data, err)
		}
	}
}

func TestFolderIsGone(t *testing.T) {
	r := newGitFolder(t)
	m := Look(r, "s", new(FolderReader))
	if err := errors.Join(os.RemoveAll(filepath.Join(r.Git, "objects")), os.Symlink("/nowhere", filepath.Join(r.Git, "objects"))); err != nil {
		t.Fatal(err)
	}
	if _, err := m.PutBack(t.Context(), &Keeper{Dir: t.TempDir()}, &lineTool{}); !errors.Is(err, ErrFolderGone) {
		t.Errorf("the error is %v", err)
	}
}
