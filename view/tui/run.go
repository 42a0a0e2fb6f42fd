// Package tui shows a session on a live screen of the terminal.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"mulligan"
	"mulligan/view"
)

// A Feed is where the screen gets its session from.
type Feed struct {
	// Events are the session's from the first on. The sequence ends when the session is over, and only
	// then: its maker knows whether an ending was the last event, and no clock does. Run may return
	// before: then the caller ends the sequence's context.
	Events iter.Seq2[mulligan.Event, error]
	// Past is the number of the last event that was there before a resumption was asked for: an ending up
	// to there is history, and no outcome. 0 where nothing was.
	Past int64
	// Live is what the agent, the checks and the hooks print, or nil if that is not to be had.
	Live <-chan []byte
	// Touched returns what a change comes to, or nil if that cannot be told. It may take its time. Nil: the
	// screen does not show changes while the session runs.
	Touched func(view.Change) *mulligan.Touched
}

// Actions are what a person can do from the screen.
type Actions struct {
	// Stop asks the session to stop, with now at once. It may take its time. Nil: it
	// cannot be stopped from here, and ctrl+c detaches.
	Stop func(now bool) error
	// Pause asks the session to pause when the running turn's checks are through. Nil: it
	// cannot be paused from here.
	Pause func() error
	// Tell sends the agent a message, which it gets with its next prompt. Nil: none can be sent from here.
	Tell func(text string) error
	// Decide lets the next claim of an item pass, or else its claims begin anew. The item is named as the
	// snapshot names it for commands. Nil: items cannot be decided about from here.
	Decide func(item string, approve bool) error
	// Answer sends a person's answer to a question: a text, or one of its options as the
	// snapshot has it. Nil: questions are shown, and cannot be answered here.
	Answer func(id int, text string) error
}

// Options are how the screen looks.
type Options struct {
	Color bool // NO_COLOR is not set
}

// A Result is how the viewing ended.
type Result struct {
	Detached bool              // the person left, or ctx ended, and the session still runs
	Outcome  *mulligan.Outcome // nil while the session has not ended
	Snapshot view.Snapshot     // the session as it was last seen, for the words that stay on the terminal
}

const (
	frames = 15 // of the terminal, a second, whatever the rate of the output
	beat   = time.Second / 12
)

// Run shows the session until it ends, the person detaches or ctx ends; the terminal
// is then as it was. An error means that the screen or the feed broke.
func Run(ctx context.Context, in io.Reader, out io.Writer, feed Feed, actions Actions, opt Options) (Result, error) {
	done := make(chan struct{})
	defer close(done)
	src := newSource(feed.Past, done)
	go src.readEvents(feed.Events)
	go src.readLive(feed.Live)
	if feed.Touched != nil {
		go src.readTouched(feed.Touched)
	}

	// The profile is given, because finding it out would run `tmux info`.
	profile := colorprofile.ASCII
	if opt.Color {
		profile = colorprofile.ANSI
	}
	p := tea.NewProgram(newScreen(src, actions, opt),
		tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithFPS(frames), tea.WithColorProfile(profile), tea.WithoutSignalHandler(),
		tea.WithWindowSize(80, 24)) // where the output cannot tell its size
	last, err := p.Run()
	if ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) {
		err = nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("showing the session on the terminal: %w", err)
	}
	left := ctx.Err() != nil
	if s, ok := last.(*screen); ok {
		left = left || s.detached
	}
	res := src.result()
	res.Detached = left && res.Outcome == nil
	return res, src.feedError()
}

// A source gathers what happens at whatever rate; the screen looks at it when it draws. It is safe for
// concurrent use.
type source struct {
	done <-chan struct{}
	past int64
	news chan struct{} // holds something where something has happened
	turn chan struct{} // likewise, where a turn may have ended

	mu      sync.Mutex
	model   *view.Model
	touched *mulligan.Touched // up to the last turn's end, as far as that is known
	last    int64             // number of the last event
	closed  bool              // there will be no more events
	err     error
}

func newSource(past int64, done <-chan struct{}) *source {
	return &source{model: view.NewModel(), past: past, done: done, news: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
}

// wakeScreen makes a calm screen look again.
func (s *source) wakeScreen() { signal(s.news) }

// signal puts something into a channel that has room for it.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// update changes what the screen looks at, and makes it look.
func (s *source) update(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	s.wakeScreen()
}

// readEvents applies the events until they end, fail or the screen is done.
func (s *source) readEvents(events iter.Seq2[mulligan.Event, error]) {
	for e, err := range events {
		select {
		case <-s.done:
			return
		default:
		}
		if err != nil {
			s.update(func() { s.err = err })
			break
		}
		s.update(func() {
			s.model.Apply(e)
			s.last = e.Number
		})
		signal(s.turn)
	}
	s.update(func() { s.closed = true })
}

// readLive takes live output until it ends or the screen is done.
func (s *source) readLive(chunks <-chan []byte) {
	for {
		select {
		case <-s.done:
			return
		case chunk, ok := <-chunks:
			if !ok {
				return
			}
			s.update(func() { s.model.Live(chunk) })
		}
	}
}

// readTouched has every change that a turn leaves looked at, one after the other, until the screen is done. Of
// those that come meanwhile the last counts.
func (s *source) readTouched(look func(view.Change) *mulligan.Touched) {
	var seen view.Change
	for {
		select {
		case <-s.done:
			return
		case <-s.turn:
		}
		s.mu.Lock()
		change, known := s.model.Change()
		s.mu.Unlock()
		if !known || change.From.ID == seen.From.ID && change.To.ID == seen.To.ID {
			continue
		}
		seen = change
		if touched := look(change); touched != nil {
			s.update(func() { s.touched = touched })
		}
	}
}

// snapshot returns the session as it is now.
func (s *source) snapshot() view.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := s.model.Snapshot(time.Now())
	snap.Touched = s.touched
	return snap
}

// result returns what the viewing came to. An outcome from before the resumption is history, and not
// returned.
func (s *source) result() Result {
	snap := s.snapshot()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last <= s.past {
		snap.Outcome = nil
	}
	return Result{Outcome: snap.Outcome, Snapshot: snap}
}

// isFinished reports whether no more events come.
func (s *source) isFinished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// feedError returns the error that the events ended with, or nil if it was only cancellation.
func (s *source) feedError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || errors.Is(s.err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("following the session: %w", s.err)
}
