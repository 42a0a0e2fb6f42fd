package history

import (
	"slices"
	"time"

	"mulligan"
)

// A Week is how the sessions went that ended in it.
type Week struct {
	Week     string `json:"week"`     // its Monday, in UTC
	Sessions int    `json:"sessions"` // that have ended
	Counted  int    `json:"counted"`  // that tell how likely a failure is
	Failed   int    `json:"failed"`   // of those: neither verified nor accepted
	// FailureRate is Failed over Counted.
	FailureRate float64       `json:"failure_rate"`
	Worked      time.Duration `json:"worked"` // the median of a session
	CostUSD     float64       `json:"cost_usd"`
	Tokens      int64         `json:"tokens"` // in and out

	worked []time.Duration
}

// maxWeeks is how many weeks a trend has at most, up to the newest session.
const maxWeeks = 26

// weeksOf returns the weeks from the first session to the last, those without a session among them.
func weeksOf(sessions []Session) []Week {
	byWeek := map[time.Time]*Week{}
	var first, last time.Time
	for _, s := range sessions {
		if s.Ended == "" {
			continue
		}
		monday := mondayOf(s.Time())
		if byWeek[monday] == nil {
			byWeek[monday] = &Week{}
		}
		byWeek[monday].add(s)
		if first.IsZero() || monday.Before(first) {
			first = monday
		}
		if monday.After(last) {
			last = monday
		}
	}
	list := []Week{}
	if first.IsZero() {
		return list
	}
	if oldest := last.AddDate(0, 0, -7*(maxWeeks-1)); first.Before(oldest) {
		first = oldest
	}
	for monday := first; !monday.After(last); monday = monday.AddDate(0, 0, 7) {
		w := byWeek[monday]
		if w == nil {
			w = &Week{}
		}
		w.Week = monday.Format(time.DateOnly)
		w.FailureRate = divide(float64(w.Failed), float64(w.Counted))
		w.Worked = medianOf(w.worked)
		w.worked = nil
		list = append(list, *w)
	}
	return list
}

// mondayOf returns the beginning of a time's week.
func mondayOf(t time.Time) time.Time {
	t = t.UTC()
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}

func (w *Week) add(s Session) {
	w.Sessions++
	w.CostUSD += s.Usage.CostUSD
	w.Tokens += s.Usage.InputTokens + s.Usage.OutputTokens
	w.worked = append(w.worked, s.Worked)
	if !Counts(s.Ended) {
		return
	}
	w.Counted++
	if !(mulligan.Outcome{Ended: s.Ended}).Good() {
		w.Failed++
	}
}

// medianOf returns the middle of a list, the mean of both of an even number, and 0 of none.
func medianOf[T ~int64 | ~float64](list []T) T {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return sorted[middle-1] + (sorted[middle]-sorted[middle-1])/2
}
