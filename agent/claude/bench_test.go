package claude

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// BenchmarkShare is our own share of a turn: what it takes through the agent, less what the
// program alone takes with the same command line. The real program's own time varies by far
// more than that, so the share is measured with a fake, which prints as much.
func BenchmarkShare(b *testing.B) {
	b.Run("fake", func(b *testing.B) {
		said := agenttest.Behaviour{Say: strings.Repeat("a line of what was said\n", 50)}
		share(b, agenttest.FakeCommand(b, said), os.Environ())
	})
	b.Run("real", func(b *testing.B) {
		program := modeltest.Agent(b, "claude")
		model, err := modeltest.Start(modeltest.Script{Turns: []modeltest.Turn{modeltest.Say("done").Always()}})
		if err != nil {
			b.Fatal(err)
		}
		defer model.Close()
		share(b, []string{program}, modeltest.Env(b, model, "claude"))
	})
}

func share(b *testing.B, exec, environ []string) {
	pool := process.NewPool(process.PoolOptions{})
	a := build(b, mulligan.AgentSpec{Permissions: "full", Timeout: outer}, agent.Deps{Pool: pool, Environ: environ}, Options{Exec: exec})
	turn := mulligan.Turn{Dir: b.TempDir(), Prompt: "do it"}
	var alone, through []time.Duration
	for b.Loop() {
		through = append(through, timed(func() {
			if r, err := a.Turn(b.Context(), turn); err != nil || r.Ending != mulligan.Finished {
				b.Fatalf("%+v, %v", r, err)
			}
		}))
		alone = append(alone, timed(func() {
			talk := newConversation("")
			ctx, stop := context.WithTimeout(b.Context(), outer)
			defer stop()
			tool := process.Tool{Dir: turn.Dir, Env: a.environment(turn, talk.id), Argv: a.commandLine(turn, talk), Stdin: strings.NewReader(turn.Prompt)}
			if out, err := tool.Output(ctx); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
		}))
	}
	b.ReportMetric(ms(median(alone)), "alone-ms")
	b.ReportMetric(ms(median(through)), "through-ms")
	b.ReportMetric(ms(median(through)-median(alone)), "share-ms")
}

func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
