package files

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/regular/regulartest"
)

// workspace has a few files, and a link that leads out of it to a file that exists.
func workspace(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "work")
	for path, content := range map[string]string{
		"outside.md":                "x",
		"work/PLAN.md":              "a plan",
		"work/empty.txt":            "",
		"work/docs/guide.md":        "x",
		"work/src/a/b/deep_test.go": "x",
		"work/app/[id].tsx":         "x",
	} {
		full := filepath.Join(base, path)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(content), 0o644))
	}
	must(t, os.Symlink("../outside.md", filepath.Join(dir, "escape.md")))
	must(t, os.Symlink("PLAN.md", filepath.Join(dir, "link.md")))
	must(t, regulartest.MakeFifo(filepath.Join(dir, "pipe.md")))
	must(t, regulartest.MakeFifo(filepath.Join(dir, "pipe")))
	must(t, os.MkdirAll(filepath.Join(dir, "folders", "a.md"), 0o755))
	must(t, os.Symlink("docs", filepath.Join(dir, "linked")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling.md")))
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func examine(t *testing.T, ctx context.Context, dir, path string) mulligan.Verdict {
	t.Helper()
	options, err := json.Marshal(Options{Path: path})
	must(t, err)
	g, err := New(mulligan.CheckSpec{Name: "there", Type: "file_exists", Options: options})
	must(t, err)
	return g.Examine(ctx, mulligan.Work{Dir: dir})
}

func TestExists(t *testing.T) {
	dir := workspace(t)
	for _, tt := range []struct {
		path string
		want mulligan.Status
		text string // in the finding
	}{
		{"PLAN.md", mulligan.Pass, ""},
		{"./PLAN.md", mulligan.Pass, ""},
		{"empty.txt", mulligan.Pass, ""},
		{"docs", mulligan.Fail, "docs is a folder. A file is wanted"},
		{"linked", mulligan.Fail, "linked is a folder"},
		{"linked/guide.md", mulligan.Pass, ""},
		{"pipe.md", mulligan.Fail, "pipe.md is a fifo"},
		{"pip*.md", mulligan.Fail, "pipe.md is a fifo"},
		{"pipe/*.md", mulligan.Fail, "does not exist"},
		{"folders/*.md", mulligan.Fail, "folders/a.md is a folder"},
		{"docs/guide.md", mulligan.Pass, ""},
		{"link.md", mulligan.Pass, ""},
		{"*.md", mulligan.Pass, ""},
		{"src/**/*_test.go", mulligan.Pass, ""},
		{"{a,empty}.txt", mulligan.Pass, ""},
		{"app/[id].tsx", mulligan.Pass, ""},
		{"plan.md", mulligan.Fail, "plan.md does not exist\nnearest names in the workspace: PLAN.md"},
		{"docs/guid.md", mulligan.Fail, "nearest names in docs: guide.md"},
		{"nowhere/x.md", mulligan.Fail, "neither does the folder nowhere"},
		{"PLAN.md/x", mulligan.Fail, "neither does the folder PLAN.md"},
		{"src/**/*.rs", mulligan.Fail, "src/**/*.rs does not exist"},
		{"dangling.md", mulligan.Fail, "dangling.md does not exist"},
		{"../outside.md", mulligan.Broken, "not a path inside the workspace"},
		{"../*.md", mulligan.Broken, "not a path inside the workspace"},
		{filepath.Join(dir, "PLAN.md"), mulligan.Broken, "not a path inside the workspace"},
		{"escape.md", mulligan.Fail, "escape.md is a link that leads out of the workspace"},
		{"esc*.md", mulligan.Fail, "esc*.md does not exist"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			v := examine(t, t.Context(), dir, tt.path)
			if v.Status != tt.want {
				t.Fatalf("status = %s (%s), want %s", v.Status, v.Summary, tt.want)
			}
			if v.Gate != "there" || v.Finding.Command != "file_exists "+tt.path {
				t.Errorf("gate %q, command %q", v.Gate, v.Finding.Command)
			}
			if !strings.Contains(v.Finding.Text, tt.text) {
				t.Errorf("text = %q, want it to have %q", v.Finding.Text, tt.text)
			}
		})
	}
}

func TestStoppedWalkIsBroken(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if v := examine(t, ctx, workspace(t), "src/**/*_test.go"); v.Status != mulligan.Broken {
		t.Errorf("status = %s, want broken", v.Status)
	}
}

func TestNoWorkspaceIsBroken(t *testing.T) {
	if v := examine(t, t.Context(), filepath.Join(t.TempDir(), "gone"), "x"); v.Status != mulligan.Broken {
		t.Errorf("status = %s, want broken", v.Status)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, options := range []string{`{}`, `{"path": 3}`, ``} {
		if _, err := New(mulligan.CheckSpec{Options: json.RawMessage(options)}); err == nil {
			t.Errorf("options %q were taken", options)
		}
	}
}
