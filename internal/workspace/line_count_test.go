package workspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"mulligan"
)

// countBoth returns the lines that git counts, and those that are counted without it.
func countBoth(l *lab, from, to mulligan.Tree) (git, own map[string][2]int, ok bool) {
	l.t.Helper()
	l.Workspace.mu.Lock()
	defer l.Workspace.mu.Unlock()
	found, err := l.compareSnapshots(l.t.Context(), from.ID, to.ID)
	must(l.t, err)
	git, err = l.askLineCounts(l.t.Context(), from.ID, to.ID)
	must(l.t, err)
	own, ok, err = l.countPlainLines(l.t.Context(), found)
	must(l.t, err)
	return git, own, ok
}

// Lines are counted as git counts them.
func TestCountLinesLikeGit(t *testing.T) {
	for name, test := range map[string]struct {
		before, after string
		asked         bool
	}{
		"appended":             {"a\nb\n", "a\nb\nc\nd\n", false},
		"prepended":            {"a\nb\n", "c\na\nb\n", false},
		"taken away":           {"a\nb\nc\n", "a\nc\n", false},
		"replaced":             {"a\nb\nc\n", "a\nx\ny\nc\n", false},
		"an end of line":       {"a\nb", "a\nb\n", false},
		"repeated":             {"a\na\na\n", "a\na\n", false},
		"new":                  {"", "a\nb", false},
		"emptied":              {"a\nb", "", false},
		"binary":               {"a\n\x00", "b\n", false},
		"binary, late":         {strings.Repeat("a\n", 5000) + "\x00", strings.Repeat("a\n", 5001) + "\x00", false},
		"moved, which differs": {"a\nb\nc\n", "c\na\nb\nd\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{"f": test.before, "gone": "x\ny\n"})
			from := l.snap("s/1")
			l.write("f", test.after)
			l.write("sub/new", "1\n2\n3")
			l.remove("gone")
			git, own, ok := countBoth(l, from, l.snap("s/2"))
			if ok == test.asked || ok && !maps.Equal(git, own) {
				t.Errorf("counted %v %v, git counts %v", ok, own, git)
			}
		})
	}
}

// Modes and links are counted too; what changed its kind is git's.
func TestCountLinesOfKinds(t *testing.T) {
	l := newLab(t, map[string]string{"exec": "a\n", "was": "b\n"})
	from := l.snap("s/1")
	must(t, os.Chmod(l.path("exec"), 0o755))
	must(t, os.Symlink("exec", l.path("link")))
	between := l.snap("s/2")
	git, own, ok := countBoth(l, from, between)
	if !ok || own["link"] != git["link"] || own["exec"] != git["exec"] {
		t.Errorf("counted %v %v, git counts %v", ok, own, git)
	}
	l.remove("was")
	must(t, os.Symlink("exec", l.path("was")))
	if _, _, ok := countBoth(l, between, l.snap("s/3")); ok {
		t.Error("a file that became a link is not left to git")
	}
}

// Whatever is counted without git is what git counts.
func TestCountRandomLinesLikeGit(t *testing.T) {
	l := newLab(t, nil)
	r := rand.New(rand.NewPCG(3, 4))
	write := func() mulligan.Tree {
		for i := range 30 {
			var b strings.Builder
			for range r.IntN(6) {
				fmt.Fprintf(&b, "%d\n", r.IntN(9))
			}
			l.write(fmt.Sprint("f", i), strings.TrimSuffix(b.String(), strings.Repeat("\n", r.IntN(2))))
		}
		return l.snap(fmt.Sprintf("s/%d", r.Uint64()))
	}
	for range 10 {
		from, to := write(), write()
		l.Workspace.mu.Lock()
		found, err := l.compareSnapshots(t.Context(), from.ID, to.ID)
		must(t, err)
		git, err := l.askLineCounts(t.Context(), from.ID, to.ID)
		must(t, err)
		for _, d := range found {
			if own, ok, err := l.countPlainLines(t.Context(), []difference{d}); err != nil || ok && own[d.path] != git[d.path] {
				t.Errorf("%s: counted %v, git counts %v (%v)", d.path, own[d.path], git[d.path], err)
			}
		}
		l.Workspace.mu.Unlock()
	}
}
