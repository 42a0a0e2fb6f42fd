package workspace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/regular/regulartest"
)

// Whatever is done to the tree, after PutBack the chosen paths are what they were, and the others what
// they had become.
func TestPutBackWhateverWasDone(t *testing.T) {
	files := map[string]string{"a/x": "x\n", "a/y": "y\n", "a/b/z": "z\n", "c": "c\n", "src/s": "s\n", ".gitignore": "*.log\n"}
	for seed := range uint64(15) {
		l := newLab(t, files)
		before := l.snap("s/1")
		done := mangle(l.dir, rand.New(rand.NewPCG(seed, 1)))
		after := l.snap("s/2")
		changes, err := l.Changes(t.Context(), before, after)
		must(t, err)
		protected := func(path string) bool {
			return path == "a" || strings.HasPrefix(path, "a/") || path == "c" || strings.HasPrefix(path, "c/")
		}
		var paths []string
		for _, c := range changes {
			if protected(c.Path) {
				paths = append(paths, c.Path)
			}
		}
		now, err := l.PutBack(t.Context(), before, paths, "s/3")
		if err != nil {
			t.Fatalf("seed %d, %v: %v", seed, done, err)
		}
		left, err := l.Changes(t.Context(), before, now)
		must(t, err)
		if slices.ContainsFunc(left, func(c mulligan.Change) bool { return protected(c.Path) }) {
			t.Errorf("seed %d: after %v there is still %v", seed, done, left)
		}
		free, err := l.Changes(t.Context(), after, now)
		must(t, err)
		for _, c := range free {
			if !protected(c.Path) {
				t.Errorf("seed %d: after %v putting back has changed %v", seed, done, c)
			}
		}
	}
}

// What takes the place of a folder is named so, and gives way to the whole folder.
func TestPutBackFolder(t *testing.T) {
	l := newLab(t, map[string]string{"src/a": "a\n", "src/b/c": "c\n", "other": "o\n"})
	before := l.snap("s/1")
	must(t, os.Rename(filepath.Join(l.dir, "src"), filepath.Join(l.dir, "away")))
	must(t, os.Symlink("away", filepath.Join(l.dir, "src")))
	after := l.snap("s/2")
	changes, err := l.Changes(t.Context(), before, after)
	must(t, err)
	if !slices.Contains(changes, mulligan.Change{Path: "src", Kind: mulligan.BecameLink}) {
		t.Errorf("got %v", changes)
	}
	now, err := l.PutBack(t.Context(), before, []string{"src"}, "s/3")
	must(t, err)
	left, err := l.Changes(t.Context(), before, now)
	must(t, err)
	if len(left) != 2 || left[0].Path != "away/a" || left[1].Path != "away/b/c" {
		t.Errorf("left: %v", left)
	}
}

// mangle does a few things to the files of dir, and returns them in words.
func mangle(dir string, r *rand.Rand) (done []string) {
	paths := []string{"a", "a/x", "a/y", "a/b", "a/b/z", "a/new", "a/b/new", "c", "src/s", "src/new"}
	for range 1 + r.IntN(5) {
		path := paths[r.IntN(len(paths))]
		full := filepath.Join(dir, path)
		what := r.IntN(8)
		done = append(done, fmt.Sprintf("%d %s", what, path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			continue // a file is in the way
		}
		switch what {
		case 0:
			_ = os.WriteFile(full, []byte("other\n"), 0o644)
		case 1:
			_ = os.RemoveAll(full)
		case 2:
			_ = os.Chmod(full, 0o755)
		case 3:
			_ = os.RemoveAll(full)
			_ = os.Symlink("../src", full)
		case 4:
			_ = os.RemoveAll(full)
			_ = os.MkdirAll(full, 0o755)
			_ = os.WriteFile(filepath.Join(full, "in"), []byte("in\n"), 0o644)
		case 5:
			_ = os.RemoveAll(full)
			_ = regulartest.MakeFifo(full)
		case 6:
			_ = os.RemoveAll(filepath.Join(dir, "src", "moved"))
			_ = os.Rename(full, filepath.Join(dir, "src", "moved"))
		case 7:
			_ = os.Remove(full)
			_ = os.Link(filepath.Join(dir, "src", "s"), full)
		}
	}
	return done
}
