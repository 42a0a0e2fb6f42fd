// Package browser drives the page of the built mulligan in a real browser, Debian's Chromium.
package browser

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"mulligan/internal/process"
)

// TestMain is also the keeper of what is run.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		return
	}
	signal.Ignore(syscall.SIGPIPE)
	code := m.Run()
	if path, err := built(); err == nil {
		os.RemoveAll(filepath.Dir(path)) // a folder of the system's temporary ones
	}
	os.Exit(code)
}

// built is the program, built once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mulligan-browser-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "mulligan")
	_, err = process.Tool{
		Dir: filepath.Join("..", ".."), Argv: []string{"go", "build", "-o", path, "./cmd/mulligan"},
	}.Output(context.Background())
	return path, err
})
