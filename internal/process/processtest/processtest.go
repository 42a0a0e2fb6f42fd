// Package processtest is for tests that start processes: a test binary is the keeper of its own children.
package processtest

import (
	"os"
	"testing"
	"time"

	"mulligan/internal/process"
)

// HangGuard is far longer than anything in a test takes: it only bounds a hang.
const HangGuard = 10 * time.Minute

// Main is the TestMain of a package whose tests start processes.
func Main(m *testing.M) {
	Keep()
	os.Exit(m.Run())
}

// Keep is for a TestMain that does more. If this process was started as a keeper, it runs the keeper and
// does not return.
func Keep() {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		os.Exit(0)
	}
}

// Pool returns a pool whose keepers do not wait for the race detector when they end.
func Pool(t testing.TB) *process.Pool {
	t.Helper()
	return process.NewPool(process.PoolOptions{Env: []string{"GORACE=atexit_sleep_ms=0"}})
}
