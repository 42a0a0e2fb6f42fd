package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/unitchecker"
)

// TestMain is also the tool, executed by go vet.
func TestMain(m *testing.M) {
	if os.Getenv("MULLIGAN_SWITCHES") == "yes" {
		analyzer, err := newAnalyzer()
		if err != nil {
			panic(err)
		}
		unitchecker.Main(analyzer)
	}
	os.Exit(m.Run())
}

// TestSwitches vets a module in which a package names the constants of another.
func TestSwitches(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module mulligan\n\ngo 1.26\n")
	write(t, filepath.Join(root, "a", "a.go"), "package a\n\ntype Kind int\n\nconst (\n\tOne Kind = iota\n\tTwo\n)\n")
	for _, test := range []struct {
		name, body, want string
	}{
		{"every constant", "switch k {\n\tcase a.One, a.Two:\n\t}", ""},
		{"a default", "switch k {\n\tcase a.One:\n\tdefault:\n\t}", ""},
		{"a constant is left out", "switch k {\n\tcase a.One:\n\t}", "b_test.go:6:2: missing cases in expression switch: a.Two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			write(t, filepath.Join(root, "b", "b_test.go"), "package b\n\nimport \"mulligan/a\"\n\nfunc f(k a.Kind) {\n\t"+test.body+"\n}\n")
			cmd := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+os.Args[0], "./...")
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "MULLIGAN_SWITCHES=yes", "GOFLAGS=", "GOWORK=off")
			out, err := cmd.CombinedOutput()
			if (err != nil) != (test.want != "") || !strings.Contains(string(out), test.want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
