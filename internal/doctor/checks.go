package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"mulligan"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/internal/process"
)

// RunChecks runs checks on the checkout in dir as it is, one after the other, as a session would. Their
// outputs are written to files in output. report is called with each check before it runs, with a nil
// verdict, and after it. A judge is not asked: it is an agent, and costs money.
func RunChecks(ctx context.Context, env *environ.Env, dir, output string, checks []mulligan.CheckSpec, report func(mulligan.CheckSpec, *mulligan.Verdict)) error {
	if err := os.MkdirAll(output, 0o700); err != nil {
		return err
	}
	pool := process.NewPool(process.PoolOptions{})
	for i, check := range checks {
		if check.Agent != "" {
			continue
		}
		gate, err := builtin.NewGate(check, builtin.Deps{Pool: pool, Environ: env.Environ, Filter: env.Filter})
		if err != nil {
			return err
		}
		report(check, nil)
		v := gate.Examine(ctx, mulligan.Work{
			Session: "check", Step: "check", Attempt: 1, Iteration: 1, Dir: dir, Output: filepath.Join(output, fmt.Sprintf("%d.log", i+1)),
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report(check, &v)
	}
	return nil
}
