// Package timeline makes of a session's events what a person reads back: a row for each attempt with segments of
// time, and the loop as a conversation. It holds short texts and the numbers of events and turns, never an
// output, a prompt or a patch: those stay where they are. Every text in it is fit to be shown.
package timeline

import (
	"time"

	"mulligan"
)

// A Verdict is what a row or a segment came to.
type Verdict string

const (
	Running  Verdict = "running"
	Passed   Verdict = "passed"
	Accepted Verdict = "accepted" // nothing checked it, or a gate was waived
	Failed   Verdict = "failed"
	Broken   Verdict = "broken" // the gate could not tell, or the agent failed
	Cut      Verdict = "cut short"
	Done     Verdict = "done" // it has no verdict of its own: a commit, a wait
)

// Sign returns the verdict as one character, so that nothing is told by colour alone.
func (v Verdict) Sign() string {
	switch v {
	case Running:
		return "…"
	case Passed:
		return "✓"
	case Accepted:
		return "○"
	case Failed:
		return "✗"
	case Broken:
		return "!"
	case Cut:
		return "–"
	case Done:
	}
	return "·"
}

// VerdictOf returns the verdict of a gate.
func VerdictOf(s mulligan.Status) Verdict {
	switch s {
	case mulligan.Pass:
		return Passed
	case mulligan.Fail:
		return Failed
	default:
		return Broken
	}
}

// A Kind is what a segment of time was spent on.
type Kind string

const (
	Turn      Kind = "turn"
	StopHook  Kind = "stop hook"
	Hook      Kind = "hook"
	Check     Kind = "check"
	Baseline  Kind = "baseline"
	Commit    Kind = "commit"
	RateLimit Kind = "rate limit"
	Question  Kind = "question"
	Wait      Kind = "wait" // before the agent is tried again
)

// Waits reports whether the session only waited then.
func (k Kind) Waits() bool { return k == RateLimit || k == Question || k == Wait }

// A Segment is a stretch of a row's time. Those of waits may lie in that of the turn which waits.
type Segment struct {
	Kind    Kind
	Name    string // the agent, the check, the hook, why it waits
	Start   time.Time
	End     time.Time // zero while it runs; of a wait, when it will be over
	Verdict Verdict
	Words   string // the verdict in a few words
	Event   int64  // number of the event that began it
	Turn    int    // number of the turn, or of the one that the check examines; 0 before the first
	Index   int    // of the check in its step, or the run of the hook
	Try     int    // of the check
}

// Took returns how long the segment took, or has taken until now.
func (s Segment) Took(now time.Time) time.Duration {
	if s.End.IsZero() || s.Verdict == Running && now.Before(s.End) {
		return max(0, now.Sub(s.Start))
	}
	return max(0, s.End.Sub(s.Start))
}

// A Row is one taking of an attempt, or what came before the first or after the last.
type Row struct {
	Step      string // "" of a row that belongs to no step
	Title     string // "start", "end"; "" of an attempt
	Attempt   int
	Iteration int // over the session; 0 of a row that is no attempt
	Strategy  string
	Agent     string // of its last turn
	Start     time.Time
	End       time.Time // of the last that happened in it
	Verdict   Verdict
	Reason    string
	Commit    string
	Event     int64 // number of the event that began it
	Segments  []Segment
	Said      []Entry
	LeftOut   int       // segments and entries besides those that are kept
	away      []stretch // the gaps in it
}

// A stretch is from one time to another.
type stretch struct{ from, to time.Time }

// Took returns how long the row took, or has taken until now, without the gaps in it.
func (r Row) Took(now time.Time) time.Duration {
	end := r.End
	if r.Verdict == Running && now.After(end) {
		end = now
	}
	return r.Offset(end)
}

// Offset returns how far into the row a time lies, without the gaps before it.
func (r Row) Offset(at time.Time) time.Duration {
	passed := at.Sub(r.Start)
	for _, gap := range r.away {
		switch {
		case !at.Before(gap.to):
			passed -= gap.to.Sub(gap.from)
		case at.After(gap.from):
			passed -= at.Sub(gap.from)
		}
	}
	return max(0, passed)
}

// A Gap is a time in which no process worked on the session.
type Gap struct {
	From, To time.Time
	Why      string // "killed", or how the session had ended
	Before   int    // iteration of the attempt that was taken next or again; 0 if none was
	Event    int64  // that ended it
}

const (
	maxRows     = 1_000
	maxSegments = 400 // of a row
	maxEntries  = 300 // of a row
	maxGaps     = 200
)

// A Timeline is made of a session's events, one after another. The zero value is ready to use. It is not safe for
// concurrent use.
type Timeline struct {
	rows    []Row
	gaps    []Gap
	earlier int // rows that are no longer kept
	last    time.Time
	outcome *mulligan.Outcome // of a session that has ended
	ending  bool              // the session has decided to end
	cut     int               // iteration of the attempt that its end found running; 0 if none ran
	turn    int               // number of the last that began
	open    []openSegment
}

// An openSegment is one that has not ended, by its place.
type openSegment struct {
	row, segment int
	key          openKey
}

// An openKey tells segments apart that run at the same time.
type openKey struct {
	kind Kind
	id   int
}

// Rows returns the rows, oldest first. They stay the timeline's, and are valid until the next event.
func (t *Timeline) Rows() []Row { return t.rows }

// Earlier returns how many rows came before the first of Rows.
func (t *Timeline) Earlier() int { return t.earlier }

// Gaps returns the times in which no process worked on the session, oldest first.
func (t *Timeline) Gaps() []Gap { return t.gaps }

// Last returns the time of the last event.
func (t *Timeline) Last() time.Time { return t.last }

// Attempt returns the row of an attempt by its number over the session, or nil if there is none.
func (t *Timeline) Attempt(iteration int) *Row {
	for i := range t.rows {
		if t.rows[i].Iteration == iteration && iteration > 0 {
			return &t.rows[i]
		}
	}
	return nil
}

// Longest returns how long the longest row took.
func (t *Timeline) Longest(now time.Time) time.Duration {
	longest := time.Duration(0)
	for _, r := range t.rows {
		longest = max(longest, r.Took(now))
	}
	return longest
}

// current returns the row that things happen in, a new one if there is none.
func (t *Timeline) current(e mulligan.Event) *Row {
	if len(t.rows) == 0 {
		t.addRow(Row{Title: "start", Event: e.Number, Start: e.Time, Verdict: Done})
	}
	return &t.rows[len(t.rows)-1]
}

// addRow adds a row. What has not ended in the one before it goes on there.
func (t *Timeline) addRow(r Row) {
	r.End = r.Start
	if len(t.rows) == maxRows {
		t.rows = append(t.rows[:0], t.rows[1:]...)
		t.earlier++
		for i := range t.open {
			t.open[i].row--
		}
	}
	t.rows = append(t.rows, r)
}

// begin opens a segment in the row under way.
func (t *Timeline) begin(e mulligan.Event, id int, s Segment) {
	row := t.current(e)
	s.Start, s.Event, s.Verdict = e.Time, e.Number, Running
	s.Name = shorten(s.Name)
	if len(row.Segments) >= maxSegments {
		row.LeftOut++
		return
	}
	row.Segments = append(row.Segments, s)
	t.open = append(t.open, openSegment{len(t.rows) - 1, len(row.Segments) - 1, openKey{s.Kind, id}})
}

// end closes a segment that begin opened, and reports whether there was one.
func (t *Timeline) end(at time.Time, kind Kind, id int, v Verdict, words string) bool {
	for i, o := range t.open {
		if o.key != (openKey{kind, id}) {
			continue
		}
		t.open = append(t.open[:i], t.open[i+1:]...)
		if o.row < 0 {
			return true
		}
		s := &t.rows[o.row].Segments[o.segment]
		s.Verdict, s.Words = v, shorten(words)
		if s.End.IsZero() || at.Before(s.End) {
			s.End = at
		}
		return true
	}
	return false
}

// endOrAdd closes a segment, or adds one that has ended if the timeline has missed its beginning.
func (t *Timeline) endOrAdd(e mulligan.Event, id int, s Segment, took time.Duration) {
	if t.end(e.Time, s.Kind, id, s.Verdict, s.Words) {
		return
	}
	row := t.current(e)
	if len(row.Segments) >= maxSegments {
		row.LeftOut++
		return
	}
	s.Start, s.End, s.Event = e.Time.Add(-max(0, took)), e.Time, e.Number
	s.Name, s.Words = shorten(s.Name), shorten(s.Words)
	row.Segments = append(row.Segments, s)
}

// cutOpen closes all that runs: the session's process has ended.
func (t *Timeline) cutOpen(at time.Time) {
	for len(t.open) > 0 {
		o := t.open[0]
		v := Cut
		if o.key.kind.Waits() || o.key.kind == Commit {
			v = Done
		}
		t.end(at, o.key.kind, o.key.id, v, "")
	}
}
