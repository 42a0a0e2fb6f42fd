package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// C3, C5, R9: the retry file is merged key by key over the project's, below variables and flags; one that
// cannot be used is left out as a whole, with a note.
func TestRetryFile(t *testing.T) {
	dir := t.TempDir()
	project, retry := filepath.Join(dir, "mulligan.yaml"), filepath.Join(dir, "retry.yaml")
	text := "version: 1\nadaptive_retry: {max_retries: 1, window: 7, strategies: {a: [retry], b: [rollback]}}\n"
	if err := os.WriteFile(project, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want, note string }{
		"none":         {"", "1 7 [retry] [rollback]", ""},
		"two keys":     {"adaptive_retry:\n  max_retries: 2\n  strategies: {b: [incremental]}\n", "2 7 [retry] [incremental]", ""},
		"no keys":      {"adaptive_retry: {}\n", "1 7 [retry] [rollback]", ""},
		"only a space": {" ", "1 7 [retry] [rollback]", "it is empty"},
		"no YAML":      {"adaptive_retry: [\n", "1 7 [retry] [rollback]", "line 1: not valid YAML"},
		"bytes":        {"\xff\xfe", "1 7 [retry] [rollback]", "it is not UTF-8 text"},
		"a wrong type": {"adaptive_retry: {window: 9, max_retries: x}\n", "1 7 [retry] [rollback]", "line 1: adaptive_retry.max_retries: expected a whole number"},
		"another key":  {"adaptive_retry: {window: 9}\nengine: embedded\n", "1 7 [retry] [rollback]", "something else"},
		"a list":       {"[1]\n", "1 7 [retry] [rollback]", "something else"},
	} {
		t.Run(name, func(t *testing.T) {
			os.Remove(retry)
			if c.text != "" {
				if err := os.WriteFile(retry, []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := testSchema().Load(Sources{Project: project, Retry: retry, Dir: dir})
			if err := got.Err(); err != nil {
				t.Fatal(err)
			}
			a := got.Get("adaptive_retry")
			if s := a.Get("max_retries").String() + " " + a.Get("window").String() + " [" + strings.Join(a.Get("strategies", "a").Strings(), " ") + "] [" + strings.Join(a.Get("strategies", "b").Strings(), " ") + "]"; s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
			notes := strings.Join(got.Notes, "\n")
			if (notes == "") != (c.note == "") || !strings.Contains(notes, c.note) || notes != "" && !strings.Contains(notes, retry) {
				t.Errorf("got the notes %q, want %q", notes, c.note)
			}
		})
	}
}

func TestRetryFileIsAMiddleLayer(t *testing.T) {
	dir := t.TempDir()
	retry := filepath.Join(dir, "retry.yaml")
	c := testSchema().Load(Sources{
		Retry: retry, Texts: map[string][]byte{retry: []byte("adaptive_retry: {max_retries: 2, window: 3}\n")},
		Environ: []string{"MULLIGAN_ADAPTIVE_RETRY_WINDOW=4"},
	})
	a := c.Get("adaptive_retry")
	if !a.Given() || a.Get("max_retries").Int() != 2 || a.Get("window").Int() != 4 || a.Get("max_retries").Origin() != retry+":1" || a.Get("over").Origin() != "default" {
		t.Errorf("got %+v", a.Leaves())
	}
	if none := testSchema().Load(Sources{Retry: filepath.Join(dir, "none")}); none.Get("adaptive_retry").Given() {
		t.Error("a retry file that is not there counts as a mapping")
	}
}
