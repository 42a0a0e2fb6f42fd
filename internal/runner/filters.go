package runner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"mulligan/internal/confine"
	"mulligan/internal/process"
	"mulligan/workspace"
)

// runFiltered runs a git that may start filters: it has what an agent has, and may write what it is given.
func (j *job) runFiltered(ctx context.Context, t process.Tool, writable []string, limit time.Duration) ([]byte, error) {
	env := process.AgentEnv(j.Env.Environ, nil, false)
	var stdout, stderr bytes.Buffer
	spec := process.Spec{
		Argv: t.Argv, Dir: t.Dir, Stdin: t.Stdin, Stdout: &stdout, Stderr: &stderr, Timeout: limit, Role: process.RoleAgent,
		Env: process.Set(env, slices.DeleteFunc(slices.Clone(t.Env), func(kv string) bool { return !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") })...),
	}
	if process.DescribeLandlock(process.LandlockABI()).Confines {
		spec.Confine = confine.Request{Dir: writable[0], Writable: writable, Environ: env, Root: os.Geteuid() == 0}.Confinement(process.Landlock)
	}
	exit, err := j.pool.Run(ctx, spec)
	switch {
	case err != nil:
		return nil, &process.ToolError{Argv: t.Argv, Err: err, Stderr: stderr.String()}
	case exit.TimedOut:
		return nil, &workspace.LimitError{Command: t.Argv[1], Dir: t.Dir, Limit: limit}
	case !exit.OK():
		return stdout.Bytes(), &process.ToolError{Argv: t.Argv, Err: fmt.Errorf("%v", exit), Stderr: stderr.String()}
	}
	return stdout.Bytes(), nil
}
