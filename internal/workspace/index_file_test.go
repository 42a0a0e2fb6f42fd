package workspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan/internal/process"
)

// wantSameIndex fails unless the index is read as git lists it, or git is left to list it.
func wantSameIndex(t *testing.T, l *lab, asked bool) {
	t.Helper()
	x, err := readIndexFile(l.path(".git/index"), l.idLen/2)
	if asked != (err != nil) {
		t.Fatalf("git is asked: %v, want %v", err, asked)
	}
	if asked {
		return
	}
	want, err := parseIndex([]byte(l.git("ls-files", "-z", "-s", "-v")))
	must(t, err)
	if got := x.listEntries(); !maps.Equal(got, want) {
		t.Fatalf("the index has %v, git lists %v", got, want)
	}
}

// A file's stat, flags and the cached trees are read as git wrote them, whatever the version and the ids.
func TestReadIndexLikeGit(t *testing.T) {
	long := strings.Repeat("d/", 60) + strings.Repeat("n", 200)
	for _, format := range []string{"sha1", "sha256"} {
		for version := 2; version <= 4; version++ {
			t.Run(fmt.Sprintf("%s, version %d", format, version), func(t *testing.T) {
				l := newLab(t, map[string]string{"a": "1", "b/c": "2", "b/d": "3", "b/e/f": "4", "ü ö\n": "5", long: "6"}, "--object-format="+format)
				l.git("update-index", "--index-version", fmt.Sprint(version))
				wantSameIndex(t, l, false)
				must(t, os.Chmod(l.path("a"), 0o755))
				must(t, os.Symlink("a", l.path("link")))
				l.git("add", "-A")
				l.git("update-index", "--assume-unchanged", "b/c")
				wantSameIndex(t, l, false)
			})
		}
	}
}

// What is rare in an index is left to git.
func TestLeaveOddIndexToGit(t *testing.T) {
	for name, change := range map[string]func(l *lab){
		"skip-worktree": func(l *lab) { l.git("update-index", "--skip-worktree", "a") },
		"to be added":   func(l *lab) { l.write("new", "n"); l.git("add", "-N", "new") },
		"split":         func(l *lab) { l.git("update-index", "--split-index") },
		"monitored":     func(l *lab) { l.git("-c", "core.fsmonitor=true", "update-index", "--fsmonitor") },
		"cut":           func(l *lab) { l.damageIndex(func(data []byte) []byte { return data[:len(data)-1] }) },
		"changed":       func(l *lab) { l.damageIndex(func(data []byte) []byte { data[20]++; return data }) },
		"empty":         func(l *lab) { l.damageIndex(func([]byte) []byte { return nil }) },
		"a folder":      func(l *lab) { l.remove(".git/index"); must(l.t, os.Mkdir(l.path(".git/index"), 0o700)) },
		"without a sum": func(l *lab) {
			l.damageIndex(func(data []byte) []byte { return append(data[:len(data)-20], make([]byte, 20)...) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{"a": "1", "b/c": "2"})
			change(l)
			wantSameIndex(t, l, true)
		})
	}
}

func (l *lab) damageIndex(change func([]byte) []byte) {
	l.t.Helper()
	data, err := os.ReadFile(l.path(".git/index"))
	must(l.t, err)
	must(l.t, os.WriteFile(l.path(".git/index"), change(data), 0o644))
}

// Merges with conflicts, and no index at all, are read too.
func TestReadUnmergedIndex(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n", "b": "1\n"})
	l.git("checkout", "-q", "-b", "other")
	l.write("a", "2\n")
	l.git("commit", "-q", "-a", "-m", "two")
	l.git("checkout", "-q", "main")
	l.write("a", "3\n")
	l.git("commit", "-q", "-a", "-m", "three")
	if _, err := (process.Tool{Dir: l.dir, Argv: []string{"git", "merge", "-q", "other"}}).Output(t.Context()); err == nil {
		t.Fatal("the merge has no conflict")
	}
	wantSameIndex(t, l, false)
	l.remove(".git/index")
	wantSameIndex(t, l, false)
}

// An index that git has changed at random is read as git lists it.
func TestReadRandomIndex(t *testing.T) {
	l := newLab(t, nil)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		for range 1 + r.IntN(4) {
			name := fmt.Sprintf("d%d/e%d/f%d", r.IntN(3), r.IntN(3), r.IntN(5))
			if r.IntN(4) == 0 {
				l.remove(name)
			} else {
				l.write(name, fmt.Sprint(r.IntN(10)))
			}
		}
		switch r.IntN(6) {
		case 0:
			l.git("commit", "-q", "--allow-empty", "-m", "more")
		case 1:
			l.git("read-tree", "--reset", "HEAD")
		case 2:
			l.git("update-index", "--index-version", fmt.Sprint(2+r.IntN(3)))
		default:
			l.git("add", "-A")
		}
		wantSameIndex(t, l, false)
	}
}

// FuzzReadIndex changes an index anywhere: it is read or left to git, and never more than that.
func FuzzReadIndex(f *testing.F) {
	l := newLab(f, map[string]string{"a": "1", "b/c": "2"})
	data, err := os.ReadFile(filepath.Join(l.dir, ".git", "index"))
	must(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 20 {
			return
		}
		h := newObjectHash(strings.Repeat("0", sha1Hex))
		h.Write(data[:len(data)-20])
		_, _ = parseIndexFile(append(data[:len(data)-20:len(data)-20], h.Sum(nil)...), 20)
	})
}
