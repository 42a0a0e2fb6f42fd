package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
)

// pinnedManagers are the package managers that test/projects installs, each with a pattern of its file there. Of
// packages with a program for each system only this one's are installed.
func pinnedManagers() map[string]string {
	return map[string]string{
		"pnpm":       "pnpm/bin/pnpm.cjs",
		"yarn":       "yarn/bin/yarn.js",
		"yarn-berry": "yarn-berry/bin/yarn.js",
		"bun":        "@oven/bun-*/bin/bun",
		"deno":       "@deno/*/deno",
	}
}

// findManager returns the file of a package manager of test/projects, or "" if it is not installed.
func findManager(name string) string {
	pattern, err := filepath.Abs(filepath.Join("..", "..", "test", "projects", "node_modules", filepath.FromSlash(pinnedManagers()[name])))
	if err != nil {
		return ""
	}
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[0]
}

// hasManagers reports whether all that test/projects pins is installed, and used in this run.
func hasManagers() bool {
	if os.Getenv(processtest.QuickEnv) != "" {
		return false
	}
	for name := range pinnedManagers() {
		if findManager(name) == "" {
			return false
		}
	}
	return true
}

// manager NAME [AS] puts a package manager of test/projects into the folder bin, under another name if there is one.
func manager(ts *testscript.TestScript, _ bool, args []string) {
	path := findManager(args[0])
	if path == "" {
		ts.Fatalf("%s is not installed", args[0])
	}
	link := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), "bin", args[len(args)-1]))
	ts.Check(os.MkdirAll(filepath.Dir(link), 0o755))
	if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
		ts.Check(err)
	}
	ts.Check(os.Symlink(path, link))
}

// findGoCache returns the cache in which go keeps what these tests are built of: the standard library at least.
var findGoCache = sync.OnceValues(func() (string, error) {
	out, err := process.Tool{Argv: []string{"go", "env", "GOCACHE"}}.Output(context.Background())
	return strings.TrimSpace(string(out)), err
})

// gocache lets go use that cache. In an empty home it would compile the standard library first, for most of a minute.
func gocache(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := findGoCache()
	ts.Check(err)
	ts.Setenv("GOCACHE", dir)
}
