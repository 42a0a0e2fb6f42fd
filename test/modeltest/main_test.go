package modeltest

import (
	"bytes"
	"os"
	"testing"
	"time"

	"mulligan/internal/process"
)

// TestMain is also the keeper of the programs that the tests run.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		return
	}
	os.Exit(m.Run())
}

// outer is the limit for any agent program here; it only keeps a hang from being for ever.
const outer = 5 * time.Minute

// A ran is what a program did.
type ran struct {
	exit           process.Exit
	stdout, stderr string
}

// run runs an agent program in an empty folder, below a keeper that ends all that it starts.
func run(t *testing.T, dir string, env []string, argv ...string) ran {
	t.Helper()
	pool := process.NewPool(process.PoolOptions{Env: []string{"GORACE=atexit_sleep_ms=0"}})
	var stdout, stderr bytes.Buffer
	exit, err := pool.Run(t.Context(), process.Spec{
		Argv: argv, Dir: dir, Env: env, Stdout: &stdout, Stderr: &stderr, Timeout: outer, Role: process.RoleAgent,
	})
	if err != nil {
		t.Fatal(err)
	}
	return ran{exit, stdout.String(), stderr.String()}
}

func start(t *testing.T, turns ...Turn) *Server {
	t.Helper()
	s, err := Start(Script{Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
