package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
)

// TestConfinedScripts runs the scripts of confined agents. Their folders are outside of /tmp, as a home is:
// where a home lies in /tmp, agents may not write /tmp.
func TestConfinedScripts(t *testing.T) {
	if !process.DescribeLandlock(process.LandlockABI()).Confines {
		t.Skip("the kernel has no Landlock that can confine")
	}
	root, err := os.MkdirTemp(processtest.CacheDir(t), "mt") // short: sockets are made below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	testscript.Run(t, testscript.Params{
		Dir: "testdata/confined", WorkdirRoot: root, Setup: setupConfined,
		RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: scriptCommands(), Condition: condition,
	})
}

// setupConfined leaves it to a script's config what confines agents: a variable would be stronger than a config.
func setupConfined(env *testscript.Env) error {
	if err := setup(env); err != nil {
		return err
	}
	env.Setenv("MULLIGAN_SANDBOX", "")
	return nil
}
