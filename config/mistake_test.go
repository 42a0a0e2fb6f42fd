package config

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// C1: every mistake of a file is reported at once, in its place, with its line.
func TestAllMistakesAtOnce(t *testing.T) {
	data, err := os.ReadFile("testdata/mistakes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := testSchema().Decode("mulligan.yaml", data)
	if c.Err() == nil {
		t.Fatal("no mistakes were found")
	}
	golden(t, "mistakes.golden", c.Err().Error()+"\n")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it anew); got:\n%s", path, got)
	}
}
