//go:build !race

package claudecode

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// F1-F3, F5: what the agent gets is bounded and has the failing tests; the whole is kept.
func TestHugeOutput(t *testing.T) {
	b := newBench(t)
	got := b.commands(`echo "--- FAIL: TestAdd (0.00s)"; echo "    add_test.go:12: got 3"; echo FAIL;
		seq -f "some line of the output, %015.0f" 1 500000; seq -f "some warning, %015.0f" 1 100000 >&2; echo the end >&2; exit 2`)
	if got.Decision != mulligan.Block || len([]rune(got.Feedback)) > 8000 || len([]rune(got.Reason)) > reasonLength+2 {
		t.Fatalf("%s: %d characters, reason %d", got.Decision, len(got.Feedback), len(got.Reason))
	}
	for _, want := range []string{"TestAdd", "the end", b.kept} {
		if !strings.Contains(got.Feedback, want) {
			t.Errorf("no %q in %s", want, got.Feedback)
		}
	}
	info, err := os.Stat(got.Runs[0].Whole)
	if err != nil || info.Size() < 23_000_000 || info.Size() != got.Runs[0].Bytes {
		t.Errorf("the whole: %v, %v, run %+v", info, err, got.Runs[0])
	}
}

func TestHugeAnswer(t *testing.T) {
	b := newBench(t)
	got := b.commands(`yes "some line of the output" | head -c 9000000; echo; echo '{"decision":"block","reason":"no"}'`)
	if got.Decision != mulligan.Block || got.Reason != "no" || !strings.Contains(got.Feedback, "left out") || len([]rune(got.Feedback)) > 8000 {
		t.Errorf("got %.500s", fmt.Sprintf("%+v", got))
	}
	got = b.commands(`printf '{"decision":"block","reason":"'; yes "x" | tr -d '\n' | head -c 2000000; echo '"}'`)
	if got.Decision != mulligan.Block || len([]rune(got.Reason)) > reasonLength+2 {
		t.Errorf("got %.500s", fmt.Sprintf("%+v", got))
	}
	got = b.commands(`printf '{"decision":"block","reason":"'; yes "x" | tr -d '\n' | head -c 6000000; echo '","meta":{"a":1}}'`)
	if got.Decision != mulligan.HookBroken || !strings.Contains(got.Reason, "larger than") {
		t.Errorf("an answer that does not fit is not an allow: %.500s", fmt.Sprintf("%+v", got))
	}
	got = b.commands(`printf '{"decision":"block","reason":"'; yes "x" | tr -d '\n' | head -c 6000000`)
	if got.Decision != mulligan.HookBroken || !strings.Contains(got.Reason, "or cut") {
		t.Errorf("an answer that is cut is not an allow: %.500s", fmt.Sprintf("%+v", got))
	}
	got = b.commands(`yes '{"level":"info"}' | head -c 6300000; echo '{"decision":"block","reason":"no"}'`)
	if got.Decision != mulligan.Block || got.Reason != "no" {
		t.Errorf("a log before the answer: %.500s", fmt.Sprintf("%+v", got))
	}
}

// A hook that prints without end costs what is kept of it, and no more.
func TestMemoryIsBounded(t *testing.T) {
	b := newBench(t)
	done, peak := make(chan struct{}), make(chan uint64)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	go func() {
		var most uint64
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapInuse)
			}
		}
	}()
	got := b.commands(`head -c 150000000 /dev/zero | tr '\0' x; head -c 50000000 /dev/zero | tr '\0' y >&2; exit 2`)
	close(done)
	if most := <-peak; most > before.HeapInuse+80<<20 {
		t.Errorf("%d MiB more in use", (most-before.HeapInuse)>>20)
	}
	if got.Decision != mulligan.Block || got.Runs[0].Bytes != 200_000_000 {
		t.Errorf("%s, %+v", got.Decision, got.Runs)
	}
}
