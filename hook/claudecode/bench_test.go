package claudecode

import (
	"testing"

	"mulligan"
	"mulligan/internal/process"
)

// BenchmarkProcess is the bare cost of a hook's process under its keeper.
func BenchmarkProcess(b *testing.B) {
	bench := newBench(b)
	for b.Loop() {
		exit, err := bench.runner.Pool.Run(b.Context(), process.Spec{Argv: []string{shell, "-c", "exit 2"}, Dir: bench.call.Dir})
		if err != nil || exit.Code != 2 {
			b.Fatal(exit, err)
		}
	}
}

// BenchmarkHook is the same as a Stop hook: with its event, its files and its verdict.
func BenchmarkHook(b *testing.B) {
	bench := newBench(b)
	for b.Loop() {
		if got := bench.commands("exit 2"); got.Decision != mulligan.Block {
			b.Fatal(got)
		}
	}
}

// BenchmarkOneSlowHook and BenchmarkFourSlowHooks take about as long as each other.
func BenchmarkOneSlowHook(b *testing.B) {
	bench := newBench(b)
	for b.Loop() {
		bench.commands("sleep 0.2")
	}
}

func BenchmarkFourSlowHooks(b *testing.B) {
	bench := newBench(b)
	for b.Loop() {
		bench.commands("sleep 0.2", "sleep 0.20", "sleep 0.200", "sleep 0.2000")
	}
}
