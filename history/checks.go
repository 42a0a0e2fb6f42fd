package history

import (
	"cmp"
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
	took Spread
	last string // the session that was counted last
}

// A Check is what became of the runs of one check.
type Check struct {
	Name     string        `json:"name"`
	Sessions int           `json:"sessions"` // in which it ran
	Runs     int           `json:"runs"`
	Failed   int           `json:"failed"`
	Broken   int           `json:"broken"` // it could not give a verdict
	P50      time.Duration `json:"p50"`
	P95      time.Duration `json:"p95"`
	Max      time.Duration `json:"max"`
}

// Apply takes in one event. The events of a session come in a row.
func (c *Checks) Apply(e mulligan.Event) {
	b, ok := e.Body.(mulligan.GateEnded)
	if !ok {
		return
	}
	f := c.figuresOf(b.Verdict.Gate)
	if f.last != e.Session {
		f.last = e.Session
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
