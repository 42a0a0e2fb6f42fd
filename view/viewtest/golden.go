package viewtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Golden compares what a view shows with testdata/NAME.golden. With UPDATE_GOLDEN set it
// writes the file instead.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 go test writes it anew):\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}
