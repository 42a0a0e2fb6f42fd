package environ

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestExpectEndLeavesWhatAPersonHasSet(t *testing.T) {
	for _, c := range []struct {
		environ []string
		percent int
		limit   int64
	}{
		{nil, shortGarbage, shortMemory},
		{[]string{"GOGC=50"}, 100, math.MaxInt64},
		{[]string{"GOMEMLIMIT=1GiB"}, 100, math.MaxInt64},
	} {
		percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
		(&Env{Environ: c.environ}).ExpectEnd()
		if got, most := debug.SetGCPercent(percent), debug.SetMemoryLimit(limit); got != c.percent || most != c.limit {
			t.Errorf("%q: %d %%, %d bytes; want %d %%, %d", c.environ, got, most, c.percent, c.limit)
		}
	}
}
