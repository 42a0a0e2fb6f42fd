package viewtest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every kind of event is among those that views are tried with.
func TestEveryKindIsThere(t *testing.T) {
	have := map[string]bool{}
	for _, b := range Bodies() {
		have[b.Kind()] = true
	}
	all := declared(t)
	if len(all) < len(have) {
		t.Fatalf("only %d kinds are found in the source", len(all))
	}
	for _, kind := range all {
		if !have[kind] {
			t.Errorf("no view is tried with %s", kind)
		}
	}
}

// declared are the kinds that the root package declares.
func declared(t *testing.T) (kinds []string) {
	t.Helper()
	files, err := filepath.Glob("../../*.go")
	if err != nil {
		t.Fatal(err)
	}
	kind := regexp.MustCompile(`(?m)^func \(\w+\) Kind\(\) string\s+\{ return "([a-z_.]+)" \}$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range kind.FindAllStringSubmatch(string(text), -1) {
			kinds = append(kinds, m[1])
		}
	}
	return kinds
}
