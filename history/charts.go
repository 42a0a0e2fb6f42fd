package history

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mulligan"
)

// A Day is how the sessions ended that ended on it.
type Day struct {
	Day                                       time.Time // its beginning, in UTC
	Verified, Accepted, GaveUp, Limits, Other int
}

// Total returns how many sessions have ended.
func (d Day) Total() int { return d.Verified + d.Accepted + d.GaveUp + d.Limits + d.Other }

// Days returns the last days up to the given time, those without a session among them.
func Days(sessions []Session, until time.Time, count int) []Day {
	last := startOfDay(until)
	days := make([]Day, count)
	for i := range days {
		days[i].Day = last.AddDate(0, 0, i-count+1)
	}
	for _, s := range sessions {
		if s.Ended == "" {
			continue
		}
		i := count - 1 - int(last.Sub(startOfDay(s.Time())).Hours()/24)
		if i < 0 || i >= count {
			continue
		}
		switch d := &days[i]; s.Ended {
		case mulligan.Verified:
			d.Verified++
		case mulligan.Accepted:
			d.Accepted++
		case mulligan.GaveUp:
			d.GaveUp++
		case mulligan.LimitReached:
			d.Limits++
		default:
			d.Other++
		}
	}
	return days
}

func startOfDay(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// StepAttempts is how many attempts a step took until it passed.
type StepAttempts struct {
	Step   string
	Passed [4]int // after one, two, three attempts, and after more
	Failed int
}

// Total returns how often the step was decided.
func (a StepAttempts) Total() int {
	return a.Passed[0] + a.Passed[1] + a.Passed[2] + a.Passed[3] + a.Failed
}

// CountAttempts returns how many attempts steps took, the step that was decided most often first. Loops do not count:
// each of their iterations is an attempt.
func CountAttempts(sessions []Session) []StepAttempts {
	all := map[string]*StepAttempts{}
	for _, s := range sessions {
		for _, step := range s.Steps {
			if !Counts(s.Ended) || !step.Status.Reached() || step.Attempts == 0 || s.Name != "" {
				continue
			}
			a := getOrAdd(all, step.Name, StepAttempts{Step: step.Name})
			if step.Status.Failed() {
				a.Failed++
			} else {
				a.Passed[min(step.Attempts, len(a.Passed))-1]++
			}
		}
	}
	return sortValues(all, func(a, b StepAttempts) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), strings.Compare(a.Step, b.Step))
	})
}

// getOrAdd returns the value of a key, after adding one if there is none.
func getOrAdd[K comparable, V any](all map[K]*V, key K, added V) *V {
	if all[key] == nil {
		all[key] = &added
	}
	return all[key]
}

func sortValues[K comparable, V any](all map[K]*V, order func(a, b V) int) []V {
	list := make([]V, 0, len(all))
	for _, v := range all {
		list = append(list, *v)
	}
	slices.SortFunc(list, order)
	return list
}

// A StepTrend is how often a step failed, week by week.
type StepTrend struct {
	Step    string
	Reached []int // by week
	Failed  []int
}

// Total returns in how many sessions the step was reached.
func (t StepTrend) Total() int {
	n := 0
	for _, reached := range t.Reached {
		n += reached
	}
	return n
}

// StepTrends returns the Mondays from the first session that counts to the last, and how often each step failed in each
// week, the step that was reached most often first.
func StepTrends(sessions []Session) ([]time.Time, []StepTrend) {
	var weeks []time.Time
	for _, w := range weeksOf(slices.DeleteFunc(slices.Clone(sessions), func(s Session) bool { return !Counts(s.Ended) })) {
		monday, _ := time.Parse(time.DateOnly, w.Week) // as weeksOf has written it
		weeks = append(weeks, monday)
	}
	all := map[string]*StepTrend{}
	for _, s := range sessions {
		week := slices.Index(weeks, mondayOf(s.Time()))
		if week < 0 || !Counts(s.Ended) {
			continue
		}
		for _, step := range s.Steps {
			if !step.Status.Reached() {
				continue
			}
			t := getOrAdd(all, step.Name, StepTrend{Step: step.Name, Reached: make([]int, len(weeks)), Failed: make([]int, len(weeks))})
			t.Reached[week]++
			if step.Status.Failed() {
				t.Failed[week]++
			}
		}
	}
	return weeks, sortValues(all, func(a, b StepTrend) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), strings.Compare(a.Step, b.Step))
	})
}

// A StepTime is where the time of a step went, over all sessions.
type StepTime struct {
	Step     string
	Sessions int
	Times
}

// SumTimes returns where the time of steps went, the longest first.
func SumTimes(sessions []Session) []StepTime {
	all := map[string]*StepTime{}
	for _, s := range sessions {
		for _, step := range s.Steps {
			if step.Time.Total() == 0 {
				continue
			}
			t := getOrAdd(all, step.Name, StepTime{Step: step.Name})
			t.Sessions++
			t.Add(step.Time)
		}
	}
	return sortValues(all, func(a, b StepTime) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), strings.Compare(a.Step, b.Step))
	})
}

// An AgentCost is what a verified step has cost with an agent and a model. What the agent spent on steps that were not
// verified is in it too.
type AgentCost struct {
	Agent, Model string
	Turns        int
	Verified     int // steps that the agent took the last turn at
	CostUSD      float64
	Estimated    bool
}

// PerStep returns the cost of a verified step, and false if none was verified.
func (c AgentCost) PerStep() (float64, bool) {
	return divide(c.CostUSD, float64(c.Verified)), c.Verified > 0
}

// SumCosts returns what agents have cost, the one with the most verified steps first.
func SumCosts(sessions []Session) []AgentCost {
	type key struct{ agent, model string }
	all := map[key]*AgentCost{}
	for _, s := range sessions {
		for _, step := range s.Steps {
			for i, use := range step.Agents {
				c := getOrAdd(all, key{use.Agent, use.Model}, AgentCost{Agent: use.Agent, Model: use.Model})
				c.Turns += use.Turns
				c.CostUSD += use.CostUSD
				c.Estimated = c.Estimated || use.Estimated
				if step.Status == StepVerified && i == len(step.Agents)-1 {
					c.Verified++
				}
			}
		}
	}
	return sortValues(all, func(a, b AgentCost) int {
		return cmp.Or(cmp.Compare(b.Verified, a.Verified), strings.Compare(a.Agent, b.Agent), strings.Compare(a.Model, b.Model))
	})
}

// A StrategyTotal is how often attempts with a strategy have passed, over all steps. Low and High are where the true
// share lies with a likelihood of 95 % (Wilson's interval).
type StrategyTotal struct {
	Strategy         string
	Tried, Worked    int
	Share, Low, High float64
}

// SumStrategies returns how often strategies have worked, the one that was tried most often first.
func SumStrategies(sessions []Session) []StrategyTotal {
	tried, worked := map[string]int{}, map[string]int{}
	for _, s := range sessions {
		for _, step := range s.Steps {
			for _, r := range step.Retries {
				if !r.Decided() {
					continue
				}
				tried[r.Strategy]++
				if r.Outcome == mulligan.Pass {
					worked[r.Strategy]++
				}
			}
		}
	}
	var list []StrategyTotal
	for _, name := range slices.Sorted(maps.Keys(tried)) {
		t := StrategyTotal{Strategy: name, Tried: tried[name], Worked: worked[name], Share: divide(float64(worked[name]), float64(tried[name]))}
		t.Low, t.High = estimateShare(t.Worked, t.Tried)
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b StrategyTotal) int { return cmp.Compare(b.Tried, a.Tried) })
	return list
}

// estimateShare returns Wilson's interval for a share, with a likelihood of 95 %.
func estimateShare(worked, tried int) (low, high float64) {
	if tried == 0 {
		return 0, 1
	}
	const z = 1.96
	n, p := float64(tried), float64(worked)/float64(tried)
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
}
