// Package viewtest has sessions to try a view with: the same ones for every view.
package viewtest

import (
	"time"

	"mulligan"
)

// A Stream is what a viewer of a session gets, in order, and when it looks.
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

// Play gives a stream to a view. A view without live output passes nil.
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

// A Tape is a stream being made.
type Tape struct {
	beats  []Beat
	at     time.Time
	number int64
	piped  []int64 // events that brought what waits for the agent
}

// NewTape is an empty tape at Begun.
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

// Stream is the tape so far, looked at two seconds later.
func (t *Tape) Stream(name string) Stream {
	return Stream{Name: name, Beats: t.beats, Now: t.at.Add(2 * time.Second)}
}
