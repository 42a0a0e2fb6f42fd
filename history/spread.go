package history

import (
	"encoding/json"
	"errors"
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

// Total returns how long all runs took together, which is off by one part in a hundred at most.
func (s *Spread) Total() time.Duration {
	total := 0.0
	s.Each(func(d time.Duration, runs int) { total += float64(runs) * float64(d) })
	return time.Duration(min(total, math.MaxInt64/2))
}

// Each calls f with the times, the shortest first, and how many runs took each. A time is off by one part in a hundred
// at most.
func (s *Spread) Each(f func(d time.Duration, runs int)) {
	for _, at := range slices.Sorted(maps.Keys(s.steps)) {
		middle := 2 * math.Pow(step, float64(at)) / (1 + step)
		f(time.Duration(min(max(middle, float64(s.min)), float64(s.max))), s.steps[at])
	}
}

// Merge takes in the runs of another spread.
func (s *Spread) Merge(more Spread) {
	if more.count == 0 {
		return
	}
	if s.count == 0 {
		s.min, s.steps = more.min, map[int]int{}
	}
	s.count += more.count
	s.min, s.max = min(s.min, more.min), max(s.max, more.max)
	for at, n := range more.steps {
		s.steps[at] += n
	}
}

// MarshalJSON writes the spread as one list: the shortest time, the longest, and then each counter with
// its count.
func (s Spread) MarshalJSON() ([]byte, error) {
	list := []int64{int64(s.min), int64(s.max)}
	for _, at := range slices.Sorted(maps.Keys(s.steps)) {
		list = append(list, int64(at), int64(s.steps[at]))
	}
	return json.Marshal(list)
}

var errNoSpread = errors.New("the times of a check or a hook are not a spread")

// maxCounter is the highest counter that a time can have.
const maxCounter = 2300

// UnmarshalJSON reads what MarshalJSON has written.
func (s *Spread) UnmarshalJSON(data []byte) error {
	var list []int64
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	if len(list) < 2 || len(list)%2 != 0 || list[0] < 0 || list[1] < list[0] {
		return errNoSpread
	}
	read := Spread{min: time.Duration(list[0]), max: time.Duration(list[1]), steps: map[int]int{}}
	for rest := list[2:]; len(rest) > 0; rest = rest[2:] {
		at, n := rest[0], rest[1]
		if at < 0 || at > maxCounter || n < 1 || n > math.MaxInt32 {
			return errNoSpread
		}
		read.count += int(n)
		read.steps[int(at)] = int(n)
	}
	*s = read
	return nil
}
