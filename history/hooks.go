// Package history folds the events of past sessions into figures. Every fold is fed event by
// event, session after session, and holds no more than its figures.
package history

import (
	"cmp"
	"slices"
	"time"

	"mulligan"
)

// Hooks folds events into the figures of each hook: those at moments of the session and those
// at moments of the agent. The zero value is ready for use.
type Hooks struct {
	all map[hookKey]*hookFigures
}

type hookKey struct{ moment, name string }

type hookFigures struct {
	Hook
	took Spread
	last string // the session that was counted last
	// pending are the blocks of the attempt under way.
	pending int
}

// A Hook is what became of the runs of one hook. Blocks, Halts, Broken and Failures have no
// run in common; what is in none of them went well.
type Hook struct {
	Moment   string `json:"moment"` // session_start, Stop …
	Name     string `json:"name"`
	Sessions int    `json:"sessions"` // in which it ran
	Runs     int    `json:"runs"`
	Blocks   int    `json:"blocks"`   // it sent the agent back, or refused a prompt
	Halts    int    `json:"halts"`    // it ended the session
	Broken   int    `json:"broken"`   // it could not decide
	Failures int    `json:"failures"` // it failed, and nothing followed from that
	// Helped counts the blocks in attempts that have passed then.
	Helped int           `json:"helped,omitzero"`
	P50    time.Duration `json:"p50"`
	P95    time.Duration `json:"p95"`
	Max    time.Duration `json:"max"`
}

// Apply takes in one event. The events of a session come in a row.
func (h *Hooks) Apply(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.HookEnded:
		f := h.countRun(e.Session, string(b.Moment), b.Name, b.Duration)
		if !b.Result.OK {
			f.Failures++
		}
	case mulligan.AgentHookEnded:
		for _, run := range b.Reply.Runs {
			h.countRun(e.Session, b.Event, run.Name, run.Duration).countDecision(run)
		}
	}
}

// countRun counts one more run of a hook, and returns its figures.
func (h *Hooks) countRun(session, moment, name string, took time.Duration) *hookFigures {
	f := h.figuresOf(moment, name)
	if f.last != session {
		f.last = session
		f.Sessions++
	}
	f.Runs++
	f.took.Add(took)
	return f
}

func (f *hookFigures) countDecision(run mulligan.AgentHookRun) {
	switch run.Decision {
	case mulligan.Block:
		f.Blocks++
		f.pending++
	case mulligan.Halt:
		f.Halts++
	case mulligan.HookBroken:
		f.Broken++
	default:
		if !run.OK {
			f.Failures++
		}
	}
}

// endAttempt counts the blocks of the attempt that has ended as a help, if it has passed.
func (h *Hooks) endAttempt(passed bool) {
	for _, f := range h.all {
		if passed {
			f.Helped += f.pending
		}
		f.pending = 0
	}
}

// runs returns what each hook did in the one session that was taken in, by moment and name.
func (h *Hooks) runs() []HookRuns {
	var list []HookRuns
	for _, f := range h.all {
		list = append(list, HookRuns{
			Moment: f.Moment, Name: f.Name, Runs: f.Runs, Blocks: f.Blocks, Helped: f.Helped,
			Halts: f.Halts, Broken: f.Broken, Failures: f.Failures, Took: f.took,
		})
	}
	slices.SortFunc(list, func(a, b HookRuns) int { return cmp.Or(cmp.Compare(a.Moment, b.Moment), cmp.Compare(a.Name, b.Name)) })
	return list
}

// Add takes in the record of a session.
func (h *Hooks) Add(s Session) {
	for _, r := range s.Hooks {
		f := h.figuresOf(r.Moment, r.Name)
		f.Sessions++
		f.Runs += r.Runs
		f.Blocks += r.Blocks
		f.Helped += r.Helped
		f.Halts += r.Halts
		f.Broken += r.Broken
		f.Failures += r.Failures
		f.took.Merge(r.Took)
	}
}

// figuresOf returns the figures of a hook, new ones if there are none.
func (h *Hooks) figuresOf(moment, name string) *hookFigures {
	if h.all == nil {
		h.all = map[hookKey]*hookFigures{}
	}
	key := hookKey{moment, name}
	if h.all[key] == nil {
		h.all[key] = &hookFigures{Hook: Hook{Moment: moment, Name: name}}
	}
	return h.all[key]
}

// List returns the figures, in the order in which a session meets the moments, and at each the
// hook with the most runs first.
func (h *Hooks) List() []Hook {
	list := make([]Hook, 0, len(h.all))
	for _, f := range h.all {
		f.P50, f.P95, f.Max = f.took.Quantile(0.5), f.took.Quantile(0.95), f.took.Max()
		list = append(list, f.Hook)
	}
	order := orderedMoments()
	place := func(h Hook) int {
		if i := slices.Index(order, h.Moment); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(list, func(a, b Hook) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Moment, b.Moment), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// orderedMoments returns the moments of the session and of the agent, in the order in which a session
// meets them.
func orderedMoments() []string {
	return []string{
		mulligan.EventSessionStart, string(mulligan.SessionStart), string(mulligan.PreIteration), mulligan.EventPrompt,
		mulligan.EventStop, string(mulligan.PostIteration), string(mulligan.OnTaskComplete), string(mulligan.OnError),
		mulligan.EventSessionEnd, string(mulligan.SessionEnd),
	}
}
