// Package viewtest has sessions to try a view with: the same ones for every view.
package viewtest

import (
	"time"

	"mulligan"
)

// A Stream is what a viewer of a session receives, in order, and the time at which it looks.
type Stream struct {
	Name  string
	Beats []Beat
	Now   time.Time // of the look, a little after the last beat
}

// A Beat is an event or a piece of live output.
type Beat struct {
	Event mulligan.Event
	Live  []byte
}

// Play passes a stream to a view. live is nil for a view without live output.
func (s Stream) Play(event func(mulligan.Event), live func([]byte)) {
	for _, b := range s.Beats {
		switch {
		case b.Event.Body != nil:
			event(b.Event)
		case live != nil:
			live(b.Live)
		}
	}
}

// Session is the id of every stream's session.
const Session = "20261115-214609-x7q2"

// Begun is when every stream begins.
var Begun = time.Date(2026, 11, 15, 21, 46, 9, 0, time.UTC)

// A Tape is a stream under construction.
type Tape struct {
	beats  []Beat
	at     time.Time
	number int64
	piped  []int64 // events that brought what waits for the agent
	given  []int64 // those that the last turn was given
}

// NewTape returns an empty tape at Begun.
func NewTape() *Tape { return &Tape{at: Begun} }

// After lets time pass.
func (t *Tape) After(d time.Duration) *Tape {
	t.at = t.at.Add(d)
	return t
}

// Say adds events at the present time.
func (t *Tape) Say(bodies ...mulligan.Body) *Tape {
	for _, b := range bodies {
		t.number++
		t.beats = append(t.beats, Beat{Event: mulligan.Event{Session: Session, Number: t.number, Time: t.at, Body: b}})
	}
	return t
}

// Print adds live output.
func (t *Tape) Print(text string) *Tape {
	t.beats = append(t.beats, Beat{Live: []byte(text)})
	return t
}

// Stream returns the tape so far as a stream that is looked at two seconds later.
func (t *Tape) Stream(name string) Stream {
	return Stream{Name: name, Beats: t.beats, Now: t.at.Add(2 * time.Second)}
}
