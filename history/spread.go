package history

import (
	"maps"
	"math"
	"slices"
	"time"
)

// A Spread is how long the runs of something took. However many there were, it has one counter
// for each step of two parts in a hundred, so a quantile is off by one part in a hundred at
// most, and what it holds stays small.
type Spread struct {
	count    int
	min, max time.Duration
	steps    map[int]int
}

// step is by how much one counter's times differ from the next one's.
const step = 1.02

// Add takes in one run.
func (s *Spread) Add(d time.Duration) {
	d = max(d, 0)
	if s.steps == nil {
		s.steps = map[int]int{}
		s.min = d
	}
	s.count++
	s.min, s.max = min(s.min, d), max(s.max, d)
	s.steps[stepOf(d)]++
}

func stepOf(d time.Duration) int {
	return int(math.Ceil(math.Log(math.Max(1, float64(d))) / math.Log(step)))
}

// Max returns the longest.
func (s *Spread) Max() time.Duration { return s.max }

// Quantile returns a time that the given part of the runs did not exceed: the median for 0.5. It
// returns 0 if there was no run.
func (s *Spread) Quantile(part float64) time.Duration {
	if s.count == 0 {
		return 0
	}
	rank := int(math.Ceil(part * float64(s.count)))
	switch { // the ends are known exactly
	case rank <= 1:
		return s.min
	case rank >= s.count:
		return s.max
	}
	var found int
	for _, at := range slices.Sorted(maps.Keys(s.steps)) {
		found = at
		if rank -= s.steps[at]; rank <= 0 {
			break
		}
	}
	middle := 2 * math.Pow(step, float64(found)) / (1 + step)
	if middle >= float64(s.max) {
		return s.max
	}
	return max(time.Duration(middle), s.min)
}
