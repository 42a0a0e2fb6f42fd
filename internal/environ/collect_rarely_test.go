package environ

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestAllowGarbage(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 6 << 20: 400, 8 << 20: 300, 12 << 20: 200, 24 << 20: 100, 1 << 30: 100} {
		if got := allowGarbage(live); got != want {
			t.Errorf("with %d bytes in use: %d %%, want %d", live, got, want)
		}
	}
}

func TestCollectRarelyFollowsTheHeap(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	(&Env{Environ: []string{"GOGC=50"}}).CollectRarely()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Fatalf("beside what a person has set: %d %%", got)
	}
	(&Env{}).CollectRarely()
	if got := debug.SetGCPercent(100); got != 700 { // which ends what CollectRarely began
		t.Fatalf("at first: %d %%, want %d", got, 700)
	}
	runtime.GC()
	debug.SetGCPercent(mostPercent - 1)
	over := followCollections(mostPercent - 1)
	large := make([]byte, 64<<20)
	awaitPercent(t, usualPercent)
	runtime.KeepAlive(large)
	large = nil
	awaitPercent(t, mostPercent)

	debug.SetGCPercent(77)
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		select {
		case <-over:
			if got := debug.SetGCPercent(77); got != 77 {
				t.Errorf("what was set since has become %d %%", got)
			}
			return
		default:
		}
		if time.Since(start) > time.Minute {
			t.Fatal("it follows the heap although another percent was set")
		}
	}
}

// awaitPercent collects until the collector has the percent.
func awaitPercent(t *testing.T, want int) {
	t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		runtime.GC()
		now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(now)
		if now[0].Value.Uint64() == uint64(want) {
			return
		}
	}
	t.Fatalf("the collector never had %d %%", want)
}
