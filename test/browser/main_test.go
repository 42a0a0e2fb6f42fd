// Package browser drives the page of the built mulligan in a real browser, Debian's Chromium.
package browser

import (
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	_ "mulligan/internal/cli" // of the program that is built here: without it go would take an old result for one of a changed program
	"mulligan/internal/process/processtest"
)

// TestMain is also the keeper of what is run.
func TestMain(m *testing.M) {
	processtest.Keep()
	signal.Ignore(syscall.SIGPIPE)
	code := m.Run()
	if path, err := built(); err == nil {
		os.RemoveAll(filepath.Dir(path)) // a folder of the system's temporary ones
	}
	os.Exit(code)
}

// built is the program, built once for all tests.
var built = sync.OnceValues(processtest.BuildProgram)
