package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mulligan/internal/text"
)

// PoolOptions tell how keepers are started. The zero value is right for our own program.
type PoolOptions struct {
	// Program is the path of the keepers' program; "" is mulligan-keeper in the folder of our own program. If it
	// is not there or cannot be used, keepers are our own program, executed again.
	Program string
	Env     []string // of the keepers, which need none
	// State is the state folder of the session that the children belong to; "" if they belong to none. A
	// check or hook is refused what is a person's in that folder alone.
	State string
	// Lost is called when the keeper of a child was killed or stopped from outside, after what was below it
	// has ended: found processes were, and stuck of them could not be. nil: nothing is called.
	Lost func(role Role, found, stuck int, err error)
	// Inherit are files that every keeper holds open, and its children never: a lock on one stays held
	// until the last keeper is gone.
	Inherit []*os.File
}

// A Spec describes a child.
type Spec struct {
	Argv []string // Argv[0] is looked up in Env's PATH; with a slash it is relative to Dir
	Dir  string   // "": ours
	Env  []string // nil: ours

	// Stdin is the child's input; nil is /dev/null. The child always reads an EOF after it. An *os.File
	// is passed on as it is; any other reader that is an io.Closer is closed when the child ends, and
	// a Read may still be blocked when Run returns.
	Stdin io.Reader

	// Stdout and Stderr get the child's output; nil is /dev/null. The same value for both means one
	// pipe, so that the order is kept; otherwise each is written by a goroutine of its own. A writer
	// that fails is not written to again, and the child continues. An *os.File is passed on as it is,
	// unless Idle has to see the bytes.
	Stdout, Stderr io.Writer

	// Role marks the child and its descendants: what only a person may do is refused to them (see
	// IdentifySelf and IdentifyPeer).
	Role Role
	// Confine tells what the child and its descendants may write; nil: what we may.
	Confine *Confinement
	// Asking reports whether the child waits for a person at the moment: then the time for Idle does
	// not run, and begins anew afterwards. nil: never. It is called often, by one goroutine at a time.
	Asking func() bool

	Timeout time.Duration // 0: none
	Idle    time.Duration // limit of silence on both stdout and stderr; 0: none
	Grace   time.Duration // between SIGTERM and SIGKILL when we stop it; 0: DefaultGrace
}

// DefaultGrace is the time that a stopped child has to end by itself.
const DefaultGrace = 5 * time.Second

// An Exit tells how a child ended.
type Exit struct {
	Code      int    // -1 if there is none: the child was ended by a signal, or never started
	Signal    string // "killed", "terminated" …; "" if it exited
	Core      bool   // it dumped core
	TimedOut  bool
	IdledOut  bool
	Cancelled bool
	Limit     time.Duration // the limit that was exceeded, if TimedOut or IdledOut
	Duration  time.Duration // of the child itself, without its descendants
	Left      int           // descendants that outlived the child and were ended
	Stuck     int           // descendants that could not be ended: they are stuck in the kernel
}

// OK reports whether the child exited with 0, and by itself.
func (e Exit) OK() bool {
	return e.Code == 0 && e.Signal == "" && !e.TimedOut && !e.IdledOut && !e.Cancelled
}

func (e Exit) String() string {
	switch {
	case e.TimedOut:
		return fmt.Sprintf("timed out after %v", e.Limit)
	case e.IdledOut:
		return fmt.Sprintf("silent for %v", e.Limit)
	case e.Cancelled:
		return "cancelled"
	case e.Signal != "" && e.Core:
		return "signal: " + e.Signal + " (core dumped)"
	case e.Signal != "":
		return "signal: " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

var (
	// ErrNow, as the cause of a context's end, kills the child at once, without a grace period.
	ErrNow = errors.New("stopped at once")
	// ErrKeeperLost means that a keeper was killed from outside. The child ends with its keeper, and
	// how it would have ended is not known.
	ErrKeeperLost = errors.New("the keeper of the process was lost")
	// ErrNotConfined means that a child was not started because the system would not confine it as its
	// Spec asks.
	ErrNotConfined = errors.New("it cannot be confined by Landlock here")
)

// A StartError means that a child could not be started.
type StartError struct {
	Argv []string
	Err  error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("start %s: %v", text.Clip(strings.Join(e.Argv, " "), 200), e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// An OutputError means that a writer of the Spec failed. The child ran to its end all the same, and the
// Exit beside this error is valid.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return fmt.Sprintf("keep the output: %v", e.Err) }

func (e *OutputError) Unwrap() error { return e.Err }
