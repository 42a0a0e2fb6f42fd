package plan

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mulligan/config"
	"mulligan/internal/usererror"
)

func TestReadTask(t *testing.T) {
	tests := []struct{ name, file, text, pipeline, err string }{
		{name: "plain", file: "# Do it\n\nWell.\n", text: "# Do it\n\nWell."},
		{name: "front matter", file: "---\npipeline: quick\n---\n# Do it\n", text: "# Do it", pipeline: "quick"},
		{name: "with carriage returns", file: "---\r\npipeline: quick\r\n---\r\nDo it\r\n", text: "Do it", pipeline: "quick"},
		{name: "byte order mark", file: "\ufeff---\npipeline: quick\n---\nDo it\n", text: "Do it", pipeline: "quick"},
		{name: "empty front matter", file: "---\n---\nDo it\n", text: "Do it"},
		{name: "comment for front matter", file: "---\n# nothing\n---\nDo it\n", text: "Do it"},
		{name: "rule in the text", file: "Do it\n---\npipeline: x\n---\n", text: "Do it\n---\npipeline: x\n---"},
		{name: "rule after front matter", file: "---\npipeline: a\n---\nDo\n---\nit\n", text: "Do\n---\nit", pipeline: "a"},
		{name: "keys of other programs", file: "---\ntitle: x\ntags: [a, !b c]\ndue:\ntimeline: 2026\nowner: {name: y}\npipeline: quick\n---\nDo it\n", text: "Do it", pipeline: "quick"},
		{name: "misspelt key", file: "---\ntitle: x\npipelin: y\n---\nDo it\n", err: "FILE:3:1: pipelin: unknown key\n    pipelin: y\n    ^\n    did you mean \"pipeline\"?"},
		{name: "misspelt by case and two letters", file: "---\nPipelnes: y\n---\nDo it\n", err: "FILE:2:1: Pipelnes: unknown key"},
		{name: "tag in a key of ours", file: "---\npipeline: !x y\n---\nDo it\n", err: "FILE:2:11: pipeline: tags such as !x are not supported"},
		{name: "wrong type", file: "---\n\npipeline: [a]\n---\nDo it\n", err: "FILE:3:11: pipeline: expected a pipeline's name, got a list\n    pipeline: [a]\n              ^"},
		{name: "not YAML", file: "---\npipeline: [a\n---\nDo it\n", err: "FILE:2:11: not valid YAML"},
		{name: "no end", file: "---\npipeline: a\nDo it\n", err: "FILE:1:1: the front matter has no end"},
		{name: "empty", file: " \n\n", err: "the task FILE is empty; write in it what is to be done"},
		{name: "front matter alone", file: "---\npipeline: a\n---\n", err: "the task FILE is empty"},
		{name: "not text", file: "Do \xff it", err: "the task FILE is not UTF-8 text (line 1)"},
		{name: "large", file: strings.Repeat("x", config.MaxBytes+1), err: "the task FILE is larger than 1 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(workplace(t, map[string]string{"task.md": tt.file}), "task.md")
			task, front, err := ReadTask(path, path)
			if tt.err != "" {
				wantError(t, err, strings.ReplaceAll(tt.err, "FILE", path))
				wantUsage(t, err)
				return
			}
			if err != nil || task.Text != tt.text || task.Path != path || front.Pipeline.String() != tt.pipeline {
				t.Errorf("got %+v, pipeline %q, %v", task, front.Pipeline.String(), err)
			}
		})
	}
}

func TestReadTaskThatIsNone(t *testing.T) {
	dir := t.TempDir()
	_, _, err := ReadTask(dir, dir)
	wantError(t, err, "is a folder, not a file")
	wantUsage(t, err)
	_, _, err = ReadTask(filepath.Join(dir, "none.md"), "none.md")
	wantError(t, err, "none.md does not exist; give the path")
	wantUsage(t, err)
}

// wantUsage checks that a mistake of the user is distinguished from a failure.
func wantUsage(t *testing.T, err error) {
	t.Helper()
	var use *usererror.Error
	var mistakes config.Mistakes
	if !errors.As(err, &use) && !errors.As(err, &mistakes) {
		t.Errorf("%T is neither usage nor mistakes", err)
	}
}

// P8: every *.md that does not begin with _, by name.
func TestTasks(t *testing.T) {
	dir := workplace(t, map[string]string{"b.md": "b", "a.md": "a", "_draft.md": "x", "notes.txt": "x", "10.md": "x", "sub/c.md": "c"})
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := Tasks(dir)
	want := []string{filepath.Join(dir, "10.md"), filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md")}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	_, err = Tasks(filepath.Join(dir, "none"))
	wantUsage(t, err)
}
