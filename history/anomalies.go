package history

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// An Anomaly is an ended session of which a figure is unusual among comparable sessions: those of the same
// repository and pipeline that count.
type Anomaly struct {
	Session string `json:"session"`
	Place
	Figure string  `json:"figure"` // time (seconds), cost (USD), attempts, tokens
	Value  float64 `json:"value"`
	Median float64 `json:"median"`
	// MAD is the median of the distances from the median. Above is the value from which on one is unusual.
	MAD   float64 `json:"mad"`
	Above float64 `json:"above"`
	Of    int     `json:"of"` // how many were compared
}

const (
	// timesMedian is how often the median an unusual figure has, among minMedian sessions or more.
	timesMedian = 10
	minMedian   = 3
	// minComparable is how many sessions there have to be before their distances tell what is unusual, too.
	minComparable = 8
	// unusualDistance is how many median distances above the median an unusual figure is.
	unusualDistance = 3
	// leastDistance is the least that counts as a median distance, as a part of the median: where all
	// sessions are alike, a little more is not unusual.
	leastDistance = 0.1
)

// A figure is what sessions are compared by. Least is the least that counts as a median distance.
type figure struct {
	name  string
	least float64
	of    func(Session) float64
}

func figures() []figure {
	return []figure{
		{"time", 1, func(s Session) float64 { return s.Worked.Seconds() }},
		{"cost", 0.01, func(s Session) float64 { return s.Usage.CostUSD }},
		{"attempts", 1, func(s Session) float64 { return float64(s.Attempts()) }},
		{"tokens", 1000, func(s Session) float64 { return float64(s.Usage.InputTokens + s.Usage.OutputTokens) }},
	}
}

// findAnomalies returns the figures that are more than three median distances above the median of at least eight
// comparable sessions, or ten times the median of at least three, the newest session first.
func findAnomalies(sessions []Session) []Anomaly {
	groups := map[Place][]Session{}
	ended := map[string]time.Time{}
	for _, s := range sessions {
		if s.Ended != "" {
			place := Place{s.Root, s.Line()}
			groups[place] = append(groups[place], s)
			ended[s.ID] = s.Time()
		}
	}
	list := []Anomaly{}
	for place, group := range groups {
		for _, f := range figures() {
			list = append(list, compareFigure(place, group, f)...)
		}
	}
	slices.SortStableFunc(list, func(a, b Anomaly) int {
		return cmp.Or(ended[b.Session].Compare(ended[a.Session]), strings.Compare(a.Session, b.Session), strings.Compare(a.Figure, b.Figure))
	})
	return list
}

// compareFigure returns the sessions of which a figure is unusual.
func compareFigure(place Place, group []Session, f figure) []Anomaly {
	var values, distances []float64
	for _, s := range group {
		if Counts(s.Ended) {
			values = append(values, f.of(s))
		}
	}
	median := medianOf(values)
	for _, v := range values {
		distances = append(distances, math.Abs(v-median))
	}
	mad := medianOf(distances)
	times, far := math.Inf(1), math.Inf(1)
	if len(values) >= minMedian && median > 0 {
		times = timesMedian * median
	}
	if len(values) >= minComparable {
		far = median + unusualDistance*max(mad, leastDistance*median, f.least)
	}
	var list []Anomaly
	for _, s := range group {
		if v := f.of(s); v > far || v >= times {
			list = append(list, Anomaly{Session: s.ID, Place: place, Figure: f.name, Value: v, Median: median, MAD: mad, Above: min(far, times), Of: len(values)})
		}
	}
	return list
}
