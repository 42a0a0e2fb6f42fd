//go:build race

package main

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

//go:embed testdata/raced.txt
var racedScripts []byte

// TestRaced runs with the race detector, in every process of the program, the scripts in which things happen at the
// same time: `make race`. `make test` runs all scripts without it.
func TestRaced(t *testing.T) {
	var files []string
	for line := range bytes.Lines(racedScripts) {
		if name := strings.TrimSpace(string(line)); name != "" && name[0] != '#' {
			files = append(files, filepath.Join("testdata", "script", name+".txtar"))
		}
	}
	if len(files) == 0 {
		t.Fatal("testdata/raced.txt names no script")
	}
	testscript.Run(t, testscript.Params{
		Files: files, Setup: setup, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: scriptCommands(), Condition: condition,
	})
}
