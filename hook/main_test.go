package hook

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }

const hangGuard = processtest.HangGuard

// A bench is a workspace and a runner of hooks in it.
type bench struct {
	t      testing.TB
	runner Runner
	call   mulligan.HookCall
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return &bench{
		t:      t,
		runner: Runner{Pool: processtest.Pool(t), Environ: append(os.Environ(), "STARTED_WITH=kept")},
		call: mulligan.HookCall{
			Session: "s1", Moment: mulligan.OnError, Iteration: 3, Error: "it broke",
			Hook: mulligan.HookSpec{Name: "h", Pipe: true},
			Dir:  t.TempDir(), Output: filepath.Join(t.TempDir(), "output.txt"),
		},
	}
}

// run compiles a command and runs it, with whatever else the bench's call says.
func (b *bench) run(command string) mulligan.HookResult {
	b.t.Helper()
	script, err := Compile(command, b.call.Moment)
	if err != nil {
		b.t.Fatalf("%s: %v", command, err)
	}
	b.call.Hook.Command, b.call.Hook.Script = command, script
	ctx, stop := context.WithTimeout(b.t.Context(), hangGuard)
	defer stop()
	res := b.runner.Run(ctx, b.call)
	if ctx.Err() != nil {
		b.t.Fatalf("the hook hung: %+v", res)
	}
	return res
}

// whole is what the output's file has.
func (b *bench) whole() string {
	b.t.Helper()
	whole, err := os.ReadFile(b.call.Output)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(whole)
}

// shells returns the programs that systems have as sh, as far as they are installed.
func shells() []string {
	return slices.DeleteFunc([]string{shell, "/bin/bash", "/bin/ksh", "/bin/busybox"}, func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}

// output runs a script with nothing around it and gives what it prints.
func output(t testing.TB, pool *process.Pool, dir, sh, script string, env ...string) string {
	t.Helper()
	argv := []string{sh, "-c", script}
	if filepath.Base(sh) == "busybox" {
		argv = []string{sh, "sh", "-c", script}
	}
	var out bytes.Buffer
	exit, err := pool.Run(t.Context(), process.Spec{
		Argv: argv, Dir: dir, Env: process.Set(os.Environ(), env...), Stdout: &out, Stderr: &out, Timeout: hangGuard,
	})
	if err != nil || !exit.OK() {
		t.Fatalf("%s: %s: %v, %v: %s", sh, script, exit, err, out.String())
	}
	return out.String()
}
