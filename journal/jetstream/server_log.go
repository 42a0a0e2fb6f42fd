package jetstream

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// A serverLog receives the server's log. It keeps the newest error, for a message to a person, and
// calls onUnwritable once when the store cannot be written: the server itself only logs that, stops
// answering appends, and never recovers.
type serverLog struct {
	onUnwritable func(error)

	mu     sync.Mutex
	newest string
	called bool
}

// newestError returns the newest error that the server has logged.
func (f *serverLog) newestError() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.New(cmp.Or(f.newest, "it gives no reason"))
}

// keepError keeps a line of the log, and recognizes the one of a store that cannot be written.
func (f *serverLog) keepError(format string, v []any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest = fmt.Sprintf(format, v...)
	_, reason, found := strings.Cut(f.newest, "ritical write error: ")
	if found && !f.called {
		f.called = true
		// The server calls with its locks held.
		go f.onUnwritable(fmt.Errorf("the journal cannot be written: %s", reason))
	}
}

// The levels that the server logs at; only errors explain a failure.

func (f *serverLog) Errorf(format string, v ...any) { f.keepError(format, v) }
func (f *serverLog) Fatalf(format string, v ...any) { f.keepError(format, v) }
func (f *serverLog) Warnf(string, ...any)           {}
func (f *serverLog) Noticef(string, ...any)         {}
func (f *serverLog) Debugf(string, ...any)          {}
func (f *serverLog) Tracef(string, ...any)          {}
