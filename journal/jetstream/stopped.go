package jetstream

import (
	"errors"
	"fmt"

	"mulligan/internal/process"
)

// A busyError names the process that holds the journal and does not answer.
type busyError struct {
	pid     int
	why     error // how it does not answer
	stopped bool  // it cannot: a signal has stopped it
}

func (e *busyError) Error() string {
	if e.stopped {
		return fmt.Sprintf("the process %d, which holds the journal, is stopped: `kill -CONT %d` lets it go on, `kill -KILL %d` ends it", e.pid, e.pid, e.pid)
	}
	return fmt.Sprintf("the process %d holds the journal and does not answer (%v)", e.pid, e.why)
}

func (e *busyError) Is(target error) bool { return target == errBusy }

// IsSlow reports whether an error means that the journal's host is there and has not answered in time, and that it may
// yet: no signal has stopped it.
func IsSlow(err error) bool {
	if busy, ok := errors.AsType[*busyError](err); ok {
		return !busy.stopped
	}
	return errors.Is(err, errBusy) || errors.Is(err, errNoAnswer)
}

// stopped reports whether a signal has stopped the process, as Ctrl-Z does. Where the system
// does not tell, it is one that does not answer.
func stopped(pid int) bool {
	stat, err := process.ReadStat(pid)
	return err == nil && stat.IsStopped()
}
