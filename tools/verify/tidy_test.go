package main

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckTidy needs no network: a leftover line of go.sum is found without one, and a module
// that cannot be fetched is listed as not run.
func TestCheckTidy(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	const (
		tidy     = "module m\n\ngo 1.26\n"
		missing  = tidy + "\nrequire example.invalid/x v1.0.0\n"
		leftover = "example.invalid/x v1.0.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
	)
	for _, test := range []struct {
		name            string
		main, sum, tool string
		untidy, notRun  bool
	}{
		{"tidy", tidy, "", tidy, false, false},
		{"a leftover line", tidy, leftover, tidy, true, false},
		{"a module out of reach", tidy, "", missing, false, true},
		{"both", tidy, leftover, missing, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "go.mod"), test.main, 0o644)
			write(t, filepath.Join(root, "go.sum"), test.sum, 0o644)
			write(t, filepath.Join(root, "tools", "go.mod"), test.tool, 0o644)
			source := "package m\n"
			if test.notRun {
				source += "import _ \"example.invalid/x\"\n"
			}
			write(t, filepath.Join(root, "tools", "m.go"), source, 0o644)
			r := &run{root: root, out: io.Discard}
			err := checkTidy(t.Context(), r)
			if untidy := err != nil && !errors.Is(err, errNotRun); untidy != test.untidy {
				t.Errorf("error %v", err)
			}
			if test.untidy && !strings.Contains(err.Error(), strings.TrimSpace(leftover)) {
				t.Errorf("the difference is not shown: %v", err)
			}
			if notRun := len(r.missing) == 1 && strings.HasPrefix(r.missing[0], "go -C tools mod tidy -diff: "); notRun != test.notRun {
				t.Errorf("not run %q", r.missing)
			}
		})
	}
}
