package environ

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// spareGarbage is how much garbage a session's process may gather before it is collected. Go collects a small heap every
	// few megabytes, which would be a fifth of what a session takes between two turns.
	spareGarbage = 24 << 20
	// usualPercent is Go's own measure: as much garbage as there is in use. mostPercent bounds what a tiny heap may gather.
	usualPercent, mostPercent = 100, 400
	// firstPercent stands until the first collection, whose goal Go takes as if minHeap were in use.
	firstPercent = 100 + spareGarbage*100/minHeap
	minHeap      = 4 << 20
)

// CollectRarely tells the garbage collector that a small heap may gather spareGarbage, and a large one what it always may.
// What a person has set for it in the environment stands.
func (e *Env) CollectRarely() {
	if e.Getenv("GOGC") != "" || e.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(firstPercent)
	followCollections(firstPercent)
}

// followCollections measures the heap after each collection, and sets the percent anew. It ends, and closes over, when
// something else has set it since.
func followCollections(percent int) (over <-chan struct{}) {
	ended := make(chan struct{})
	var follow func()
	follow = func() {
		runtime.SetFinalizer(new(*int), func(**int) {
			now := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/gogc:percent"}}
			metrics.Read(now)
			if now[1].Value.Uint64() != uint64(percent) {
				close(ended)
				return
			}
			// To change it stops the program for a moment, which a small difference is not worth.
			if next := allowGarbage(now[0].Value.Uint64()); next < percent*3/4 || next > percent*4/3 {
				debug.SetGCPercent(next)
				percent = next
			}
			follow()
		})
	}
	follow()
	return ended
}

// allowGarbage returns how much garbage a heap may gather, in percent of what is in use.
func allowGarbage(live uint64) int {
	return int(min(max(spareGarbage*100/max(live, 1), usualPercent), mostPercent))
}
