package plain

import (
	"io"
	"strings"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/turnlog"
	"mulligan/state"
	"mulligan/view"
)

// A Counter is a Plain on a terminal: while the session waits, a line under the last one counts the time
// down. The line disappears when the wait is over, so that what stays is what a log has. A Counter is
// safe for concurrent use.
type Counter struct {
	screen io.Writer

	mu    sync.Mutex
	lines *Plain
	stop  chan struct{} // ends the count under way; nil where nothing is counted
}

// NewCounter returns a counter that writes lines to w, and the count straight to the screen that w leads
// to.
func NewCounter(w, screen io.Writer, opt Options) *Counter {
	return &Counter{screen: screen, lines: New(w, opt)}
}

// Past takes an event as Plain.Past does.
func (c *Counter) Past(e mulligan.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines.Past(e)
}

// Event writes an event as Plain.Event does, and counts down if the session waits after it.
func (c *Counter) Event(e mulligan.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearCount()
	c.lines.Event(e)
	if c.timeLeft() > 0 {
		c.stop = make(chan struct{})
		go c.countDown(c.stop)
	}
}

// Work writes a line of the turn's log as Plain.Work does.
func (c *Counter) Work(l turnlog.Line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines.Work(l)
}

// SkipWork notes that lines of the log are left out.
func (c *Counter) SkipWork() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines.SkipWork()
}

// State returns the session's state. It stays the Counter's, and changes with the next event.
func (c *Counter) State() *state.State { return c.lines.State() }

// Close ends a count that is under way.
func (c *Counter) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearCount()
}

// timeLeft returns what is left of the wait that the last event began. Events may be old: for a viewer
// that follows a session from its first event on, what is left today counts. It must be called with mu
// held.
func (c *Counter) timeLeft() time.Duration {
	if s := c.lines.model.Snapshot(time.Now()); s.Waits() {
		return s.Running.Left
	}
	return 0
}

// countDown draws the count until stop is closed or the wait is over.
func (c *Counter) countDown(stop <-chan struct{}) {
	for {
		stays, more := c.drawCount(stop)
		if !more {
			return
		}
		select {
		case <-time.After(stays):
		case <-stop:
			return
		}
	}
}

// drawCount draws what is left, and returns how long that stays true. It reports false when the count is
// over.
func (c *Counter) drawCount(stop <-chan struct{}) (stays time.Duration, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != stop {
		return 0, false
	}
	left := c.timeLeft()
	if left == 0 {
		c.clearCount()
		return 0, false
	}
	text, stays := view.Countdown(left)
	// The cursor goes back: what others write to the terminal takes this line's place.
	_, _ = io.WriteString(c.screen, "\r"+strings.Repeat(" ", clockWidth+2)+text+" left\x1b[K\r")
	return stays, true
}

// clearCount ends the count under way, if there is one. It must be called with mu held.
func (c *Counter) clearCount() {
	if c.stop == nil {
		return
	}
	close(c.stop)
	c.stop = nil
	_, _ = io.WriteString(c.screen, "\r\x1b[K")
}
