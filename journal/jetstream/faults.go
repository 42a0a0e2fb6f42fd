package jetstream

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// faults is the server's log. It keeps the newest error, for a message to a person, and
// calls out once when the store cannot be written: the server itself only logs that, stops
// answering appends, and never recovers.
type faults struct {
	unwritable func(error)

	mu     sync.Mutex
	newest string
	called bool
}

func (f *faults) last() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newest == "" {
		return errors.New("it gives no reason")
	}
	return errors.New(f.newest)
}

func (f *faults) keep(format string, v []any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest = fmt.Sprintf(format, v...)
	_, reason, found := strings.Cut(f.newest, "ritical write error: ")
	if found && !f.called {
		f.called = true
		// The server calls with its locks held.
		go f.unwritable(fmt.Errorf("the journal cannot be written: %s", reason))
	}
}

// The levels that the server logs at; what is not an error says nothing about a failure.

func (f *faults) Errorf(format string, v ...any) { f.keep(format, v) }
func (f *faults) Fatalf(format string, v ...any) { f.keep(format, v) }
func (f *faults) Warnf(string, ...any)           {}
func (f *faults) Noticef(string, ...any)         {}
func (f *faults) Debugf(string, ...any)          {}
func (f *faults) Tracef(string, ...any)          {}
