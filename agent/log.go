package agent

import (
	"fmt"
	"io"
	"sync"
)

// A Log lets several streams of an agent write the one log of its turn; it is safe for concurrent
// use. A log that cannot be written stops the turn, once: to continue would spend tokens on work
// that mulligan cannot account for.
type Log struct {
	mu   sync.Mutex
	w    io.Writer
	stop func()
	err  error
}

// NewLog returns a Log that writes to w, which may be nil. It calls stop when w cannot be written.
func NewLog(w io.Writer, stop func()) *Log {
	if w == nil {
		w = io.Discard
	}
	return &Log{w: w, stop: stop}
}

// Write never fails: the agent's pipes are drained whatever becomes of the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return len(p), nil
	}
	if _, err := l.w.Write(p); err != nil {
		l.err = fmt.Errorf("write the turn's log: %w", err)
		l.stop()
	}
	return len(p), nil
}

// Err returns the error that kept the log from being written, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
