package claudecode

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/process/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }

const hangGuard = processtest.HangGuard

// A bench is a workspace and a runner of hooks in it.
type bench struct {
	t      testing.TB
	runner Runner
	call   mulligan.AgentHookCall
	kept   string // the folder for whole outputs
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{t: t, kept: t.TempDir(), runner: Runner{Pool: processtest.Pool(t), Environ: append(os.Environ(), "STARTED_WITH=kept")}}
	b.call = mulligan.AgentHookCall{
		Event: mulligan.EventStop, Session: "s1", Step: "implement", Attempt: 2, Iteration: 5,
		Dir: t.TempDir(), Transcript: "/logs/turn-7.log", Message: "I am done.",
		Output: func(i int) (string, error) { return filepath.Join(b.kept, fmt.Sprint(i)), nil },
	}
	return b
}

// commands runs hooks that are shell commands.
func (b *bench) commands(commands ...string) mulligan.AgentHookReply {
	b.t.Helper()
	var hooks []mulligan.AgentHook
	for _, c := range commands {
		hooks = append(hooks, mulligan.AgentHook{Event: b.call.Event, Name: c, Type: TypeCommand, Command: c, Timeout: hangGuard})
	}
	return b.run(hooks...)
}

func (b *bench) run(hooks ...mulligan.AgentHook) mulligan.AgentHookReply {
	b.t.Helper()
	b.call.Hooks = hooks
	ctx, stop := context.WithTimeout(b.t.Context(), hangGuard)
	defer stop()
	reply := b.runner.Run(ctx, b.call)
	if ctx.Err() != nil {
		b.t.Fatalf("the hooks hung: %+v", reply)
	}
	return reply
}

// whole is what the file of a hook's whole output has.
func (b *bench) whole(index int) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.kept, fmt.Sprint(index)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// script puts a file into the workspace.
func (b *bench) script(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.call.Dir, name), []byte(text), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// censor takes a secret out of what is written to it.
type censor struct {
	to   io.Writer
	held []byte
}

func (c *censor) Write(p []byte) (int, error) { c.held = append(c.held, p...); return len(p), nil }

func (c *censor) Close() error {
	_, err := io.WriteString(c.to, strings.ReplaceAll(string(c.held), "hunter2", "[secret:PASSWORD]"))
	return err
}
