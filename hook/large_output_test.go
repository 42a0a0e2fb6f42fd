//go:build !race

package hook

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestLargeOutput (F1, F2, F5): the text is bounded and says what was cut and where the whole
// is; memory does not grow with the output.
func TestLargeOutput(t *testing.T) {
	b := newBench(t)
	const size = 24 << 20
	const lines = "seq 1 3500000; echo the end; exit 1"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	res := b.run(lines)
	took := time.Since(begun)
	runtime.ReadMemStats(&after)
	t.Logf("%d bytes in %v, %d kB allocated", res.Bytes, took, (after.TotalAlloc-before.TotalAlloc)>>10)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 16<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
	info, err := os.Stat(b.call.Output)
	if err != nil || info.Size() != res.Bytes || res.Bytes < size {
		t.Errorf("the whole: %v, %v; %d bytes", info, err, res.Bytes)
	}
	for _, want := range []string{"[hook failed: exit status 1]\n", "left out; the whole output is in " + b.call.Output, "\nthe end"} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	if n := utf8.RuneCountInString(res.Text); n > 8000 || !res.Cut {
		t.Errorf("%d characters, cut %v", n, res.Cut)
	}
}
