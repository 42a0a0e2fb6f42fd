package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
)

// TestConfinedScripts runs the scripts of confined agents. Their folders must not be in /tmp, which
// confined agents may write.
func TestConfinedScripts(t *testing.T) {
	if !process.DescribeLandlock(process.LandlockABI()).Confines {
		t.Skip("the kernel has no Landlock that can confine")
	}
	cache, err := processtest.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp(cache, "mt") // short: sockets are made below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	testscript.Run(t, testscript.Params{
		Dir: "testdata/confined", WorkdirRoot: root, Setup: setup,
		RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: scriptCommands(), Condition: condition,
	})
}
