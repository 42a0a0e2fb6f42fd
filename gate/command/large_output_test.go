//go:build !race

package command

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"unicode/utf8"

	"mulligan"
)

// A passing command may print any amount, in bounded memory, and all of it is kept.
func TestHugeOutput(t *testing.T) {
	const size = 100_000_000
	b := newBench(t)
	const lines = "$(seq -f '%04.0f is a line of output as long as those of a verbose test runner tend to be' 1 1000)"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v := b.examine("yes \""+lines+"\" | head -c "+strconv.Itoa(size), "pass")
	runtime.ReadMemStats(&after)
	if v.Status != mulligan.Pass || v.Finding.Bytes != size || !v.Finding.Cut {
		t.Errorf("%s: %s: %d bytes", v.Status, v.Summary, v.Finding.Bytes)
	}
	if n := utf8.RuneCountInString(v.Finding.Text); n > shownOfPass {
		t.Errorf("a pass shows %d characters", n)
	}
	if info, err := os.Stat(b.work.Output); err != nil || info.Size() != size {
		t.Errorf("the output file: %v, %v", info, err)
	}
	if took := int64(after.HeapSys) - int64(before.HeapSys); took > 32<<20 {
		t.Errorf("%d bytes of output took %d bytes of memory", size, took)
	}
}
