package history

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mulligan"
)

// Checks folds events into the figures of each check. The zero value is ready for use.
type Checks struct {
	all map[string]*checkFigures
}

type checkFigures struct {
	Check
	took  Spread
	last  string          // the session that was counted last
	trees map[string]flip // of that session, by their ids
}

// A flip is which verdicts a check has given on one tree.
type flip struct{ passed, failed bool }

// A Check is what became of the runs of one check.
type Check struct {
	Name     string `json:"name"`
	Sessions int    `json:"sessions"` // in which it ran
	Runs     int    `json:"runs"`
	Failed   int    `json:"failed"`
	Broken   int    `json:"broken"` // it could not give a verdict
	// Flips counts the trees on which it has both passed and failed in one session, Flaky the sessions
	// with such a tree.
	Flips int           `json:"flips,omitzero"`
	Flaky int           `json:"flaky,omitzero"`
	P50   time.Duration `json:"p50"`
	P95   time.Duration `json:"p95"`
	Max   time.Duration `json:"max"`
}

// Apply takes in one event. The events of a session come in a row. tree is what the check has examined, ""
// if that is not known.
func (c *Checks) Apply(e mulligan.Event, tree string) {
	b, ok := e.Body.(mulligan.GateEnded)
	if !ok {
		return
	}
	f := c.figuresOf(b.Verdict.Gate)
	if f.last != e.Session {
		f.last, f.trees = e.Session, map[string]flip{}
		f.Sessions++
	}
	f.Runs++
	f.took.Add(b.Verdict.Duration)
	switch b.Verdict.Status {
	case mulligan.Fail:
		f.Failed++
	case mulligan.Broken:
		f.Broken++
	default:
	}
	if tree != "" {
		f.trees[tree] = f.trees[tree].add(b.Verdict.Status)
	}
}

// add returns the flip with one more verdict.
func (f flip) add(s mulligan.Status) flip {
	return flip{passed: f.passed || s == mulligan.Pass, failed: f.failed || s == mulligan.Fail}
}

// runs returns what each check did in the one session that was taken in, by name.
func (c *Checks) runs() []CheckRuns {
	var list []CheckRuns
	for _, name := range slices.Sorted(maps.Keys(c.all)) {
		f := c.all[name]
		r := CheckRuns{Name: name, Runs: f.Runs, Failed: f.Failed, Broken: f.Broken, Took: f.took}
		for _, seen := range f.trees {
			if seen.passed && seen.failed {
				r.Flips++
			}
		}
		list = append(list, r)
	}
	return list
}

// Add takes in the record of a session.
func (c *Checks) Add(s Session) {
	for _, r := range s.Checks {
		f := c.figuresOf(r.Name)
		f.Sessions++
		f.Runs += r.Runs
		f.Failed += r.Failed
		f.Broken += r.Broken
		f.Flips += r.Flips
		if r.Flips > 0 {
			f.Flaky++
		}
		f.took.Merge(r.Took)
	}
}

// figuresOf returns the figures of a check, new ones if there are none.
func (c *Checks) figuresOf(name string) *checkFigures {
	if c.all == nil {
		c.all = map[string]*checkFigures{}
	}
	if c.all[name] == nil {
		c.all[name] = &checkFigures{Check: Check{Name: name}}
	}
	return c.all[name]
}

// List returns the figures, the check with the most runs first.
func (c *Checks) List() []Check {
	list := make([]Check, 0, len(c.all))
	for _, f := range c.all {
		f.P50, f.P95, f.Max = f.took.Quantile(0.5), f.took.Quantile(0.95), f.took.Max()
		list = append(list, f.Check)
	}
	slices.SortFunc(list, func(a, b Check) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	return list
}
