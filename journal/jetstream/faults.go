package jetstream

import (
	"errors"
	"fmt"
	"sync"
)

// faults is the server's log: it keeps the newest error, for a message to a person.
type faults struct {
	mu     sync.Mutex
	newest string
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
}

// The levels that the server logs at; what is not an error says nothing about a failure.

func (f *faults) Errorf(format string, v ...any) { f.keep(format, v) }
func (f *faults) Fatalf(format string, v ...any) { f.keep(format, v) }
func (f *faults) Warnf(string, ...any)           {}
func (f *faults) Noticef(string, ...any)         {}
func (f *faults) Debugf(string, ...any)          {}
func (f *faults) Tracef(string, ...any)          {}
