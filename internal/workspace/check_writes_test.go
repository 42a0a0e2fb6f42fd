package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/process"
)

// TestUndoWrites has a check do things to a tree that has README, made, sub/a and an ignored secret.
func TestUndoWrites(t *testing.T) {
	for _, tt := range []struct {
		name    string
		check   string   // a shell command
		undone  []string // what is put back
		created []string // what stays until the attempt's end
	}{
		{name: "nothing", check: "cat made"},
		{name: "changes, deletes, creates", check: "echo x >>made; rm README; mkdir b; echo o >b/o", undone: []string{"D README", "M made"}, created: []string{"b/o"}},
		{name: "a mode", check: "chmod +x made", undone: []string{"M made"}},
		{name: "a file becomes a folder", check: "rm made; mkdir made; echo x >made/x", undone: []string{"D made"}},
		{name: "a folder becomes a file", check: "rm -r sub; echo x >sub", undone: []string{"D sub/a"}},
		{name: "a rule that hides the work", check: "echo new >>.gitignore", undone: []string{"M .gitignore"}},
		{name: "the rules are gone", check: "rm .gitignore", undone: []string{"D .gitignore"}},
		{name: "a new rule hides the work", check: "echo a >sub/.gitignore; git rm -q --cached sub/a", undone: []string{"D sub/a"}, created: []string{"sub/.gitignore"}},
		{name: "a new rule hides what is created", check: "mkdir b; echo '*.o' >b/.gitignore; echo o >b/x.o", created: []string{"b/.gitignore"}},
		{name: "a commit", check: "echo x >>made; git commit -qam x", undone: []string{"M made"}},
		{name: "staged", check: "echo x >z; git add -A", created: []string{"z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, map[string]string{"README": "hello\n", "made": "1\n", "sub/a": "a\n", ".gitignore": "secret\n"})
			l.write("secret", "s\n")
			l.write("new", "the agent's\n")
			work := l.snap("s/1-after")
			l.sh(tt.check)
			left, undone, err := l.UndoWrites(t.Context(), work, false, "s/1-checks")
			must(t, err)
			if !slices.Equal(undone, tt.undone) {
				t.Errorf("put back %q, want %q", undone, tt.undone)
			}
			found, err := l.diff(work, left)
			must(t, err)
			var created []string
			for _, c := range found {
				if c.kind != changeAdded {
					t.Errorf("%s still differs: %s", c.path, c.kind)
				}
				created = append(created, c.path)
			}
			if !slices.Equal(created, tt.created) {
				t.Errorf("created %q, want %q", created, tt.created)
			}
			if text, _ := os.ReadFile(filepath.Join(l.dir, "secret")); string(text) != "s\n" {
				t.Errorf("the ignored file has %q", text)
			}
			must(t, l.RemoveCreated(t.Context(), work, left, "s/1-created"))
			if after := l.snap("s/1-end"); after.ID != work.ID {
				found, _ := l.diff(work, after)
				t.Errorf("at the end the tree differs: %v", found)
			}
			must(t, l.RestoreCreated(t.Context(), work, left))
			if after := l.snap("s/1-end"); after.ID != left.ID {
				t.Errorf("what the check created was not brought back")
			}
		})
	}
}

// TestRemoveCreatedKeepsOthers leaves what was changed since, and what other hands have made.
func TestRemoveCreatedKeepsOthers(t *testing.T) {
	l := newLab(t, map[string]string{"made": "1\n"})
	work := l.snap("s/1-after")
	l.sh("echo 1 >coverage; echo 1 >report")
	left, _, err := l.UndoWrites(t.Context(), work, false, "s/1-checks")
	must(t, err)
	l.sh("echo mine >>report; echo mine >notes; echo mine >>made")
	must(t, l.RemoveCreated(t.Context(), work, left, "s/1-created"))
	changed, _, err := l.Changed(t.Context(), work, l.snap("s/1-end"), 10)
	must(t, err)
	if got := strings.Join(changed, ", "); got != "M made, A notes, A report" {
		t.Errorf("left: %s", got)
	}
}

// TestUndoWritesKeepsCommitted leaves what a commit on another's branch has changed meanwhile.
func TestUndoWritesKeepsCommitted(t *testing.T) {
	l := newLab(t, map[string]string{"made": "1\n", "fix": "1\n"})
	work := l.snap("s/1-after")
	l.sh("echo 2 >fix; git commit -qam fix; echo x >>made")
	left, undone, err := l.UndoWrites(t.Context(), work, true, "s/1-checks")
	must(t, err)
	if !slices.Equal(undone, []string{"M made"}) {
		t.Errorf("put back %q", undone)
	}
	changed, _, err := l.Changed(t.Context(), work, left, 10)
	must(t, err)
	if !slices.Equal(changed, []string{"M fix"}) {
		t.Errorf("differs: %q", changed)
	}
}

// TestWalkAfterAGateStartsNoProcess is what makes it cheap.
func TestWalkAfterAGateStartsNoProcess(t *testing.T) {
	l := newLab(t, map[string]string{"made": "1\n"})
	work := l.snap("s/1-after")
	before := l.started.Load()
	left, _, err := l.UndoWrites(t.Context(), work, false, "s/1-checks")
	must(t, err)
	if n := l.started.Load() - before; n != 0 || left != (mulligan.Tree{ID: work.ID, Head: work.Head}) {
		t.Errorf("%d processes, left %v", n, left)
	}
}

// sh runs a shell command in the workspace, as a check does.
func (l *lab) sh(command string) {
	l.t.Helper()
	_, err := process.Tool{Dir: l.dir, Argv: []string{"sh", "-c", command}}.Output(l.t.Context())
	must(l.t, err)
}
