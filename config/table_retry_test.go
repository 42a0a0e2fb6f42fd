package config

import (
	"strings"
	"testing"
)

// What `mulligan config` prints of a step's retries is what holds, and means the same when it is read again.
func TestRenderedRetry(t *testing.T) {
	s := NewSchema(testCatalog())
	for text, want := range map[string]bool{
		"version: 1\npipelines: {p: [{name: s}]}\n":                     true,
		"version: 1\npipelines: {p: [{name: s}]}\nadaptive_retry: {}\n": false,
	} {
		var out strings.Builder
		if err := Render(&out, s.Decode("mulligan.yaml", []byte(text)).Value); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "retry: 0  # default"); got != want {
			t.Errorf("%s: got:\n%s", text, out.String())
		}
	}
}
