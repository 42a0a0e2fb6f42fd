//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"mulligan/internal/process"
)

// TestMain refuses to be the keeper that a pool takes if the built one is of no use.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// The built program is a keeper, and its children are the ones of its caller.
func TestKeeper(t *testing.T) {
	program := filepath.Join(t.TempDir(), "mulligan-keeper")
	build := process.Tool{Argv: []string{"go", "build", "-o", program, "."}}
	if _, err := build.Output(t.Context()); err != nil {
		t.Fatal(err)
	}
	pool := process.NewPool(process.PoolOptions{Program: program})
	for _, role := range []process.Role{process.RoleNone, process.RoleAgent} {
		exit, err := pool.Run(t.Context(), process.Spec{Argv: []string{"sh", "-c", "sleep 1000 & exit 3"}, Role: role})
		if err != nil || exit.Code != 3 || exit.Left != 1 {
			t.Errorf("%q: %v, %d left, %v", role, exit, exit.Left, err)
		}
	}
}
