package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVetSource looks at a module of which each fault shows on one system alone.
func TestVetSource(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	const fine = "package p\n\nfunc f() {}\n"
	for _, test := range []struct {
		name, file, source string
		want               string // on windows; elsewhere nothing is wrong
	}{
		{"fine", "p_windows.go", fine, ""},
		{"a type", "p_windows.go", "package p\n\nvar x int = \"\"\n", "p_windows.go:3"},
		{"a type in a test", "p_windows_test.go", "package p\n\nvar x int = \"\"\n", "p_windows_test.go:3"},
		{"a type in an outer test", "p_windows_test.go", "package p_test\n\nvar x int = \"\"\n", "p_windows_test.go:3"},
		{"what another system has", "p_linux.go", "package p\n\nfunc onlyLinux() {}\n", "p_test.go:3"},
		{"syntax", "p_windows.go", "package p\n\nfunc {\n", "p_windows.go:3"},
		{"an import", "p_windows.go", "package p\n\nimport _ \"m/nowhere\"\n", "p_windows.go:3"},
		{"what vet finds", "p_windows.go", "package p\n\nfunc g() {\n\tvar x int\n\tx = x\n}\n", "p_windows.go:5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "go.mod"), "module m\n\ngo 1.26\n")
			write(t, filepath.Join(root, "p.go"), "package p\n")
			if test.file == "p_linux.go" {
				write(t, filepath.Join(root, "p_test.go"), "package p\n\nvar _ = onlyLinux\n")
			}
			write(t, filepath.Join(root, test.file), test.source)
			if err := vetSource(t.Context(), root, []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}); err != nil {
				t.Errorf("on linux: %v", err)
			}
			err := vetSource(t.Context(), root, []string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"})
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("on windows: %v, want %q", err, test.want)
			}
		})
	}
	if err := vetSource(t.Context(), t.TempDir(), nil); err == nil {
		t.Error("a folder without a module is fine")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
