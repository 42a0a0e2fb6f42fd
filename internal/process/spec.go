package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// PoolOptions says how keepers are started. The zero value is right for our own program.
type PoolOptions struct {
	Executable string     // "": our own program
	Args       []string   // nil: {"keeper"}
	Env        []string   // of the keepers; they need nothing, so none is right
	Inherit    []*os.File // every keeper holds these open, its children never: a lock stays held until the last keeper is gone
}

// A Spec is a child to be run.
type Spec struct {
	Argv []string // Argv[0] is looked up in Env's PATH; with a slash it is relative to Dir
	Dir  string   // "": ours
	Env  []string // nil: ours

	// Stdin is what the child reads; nil is /dev/null. The child always meets its end. An
	// *os.File is given as it is; any other reader that is an io.Closer is closed when the
	// child ends, and its Read may still be under way when Run returns.
	Stdin io.Reader

	// Stdout and Stderr get what the child prints; nil is /dev/null. The same value for both
	// is one pipe, so that the order is kept; otherwise each is written by a goroutine of its
	// own. A writer that fails gets no more, while the child goes on. An *os.File is given as
	// it is, unless Idle needs to see the bytes.
	Stdout, Stderr io.Writer

	// Agent marks the child, and all that it starts, as an agent's: what is a person's is
	// refused to them (see BelowAgent and PeerRefused).
	Agent bool
	// Asking says whether the child waits for a person just now: then Idle does not run, and
	// begins anew afterwards. nil: never. It is called often, by one goroutine at a time.
	Asking func() bool

	Timeout time.Duration // 0: none
	Idle    time.Duration // no byte on stdout or stderr for so long; 0: none
	Grace   time.Duration // between TERM and KILL when we stop it; 0: DefaultGrace
	Single  bool          // the keeper serves this child alone and then ends
}

// DefaultGrace is the time that a child has to end by itself when it is stopped.
const DefaultGrace = 5 * time.Second

// An Exit is how a child ended.
type Exit struct {
	Code      int    // -1 where there is none: ended by a signal, or never begun
	Signal    string // "killed", "terminated" …; "" where it exited
	Core      bool   // it left a core
	TimedOut  bool
	IdledOut  bool
	Cancelled bool
	Limit     time.Duration // the limit that was reached, where TimedOut or IdledOut
	Duration  time.Duration // of the child itself, without its left-overs
	Left      int           // descendants that outlived the child and had to be ended
	Stuck     int           // descendants that could not be ended: the system does not let go of them
}

// OK says that the child exited with 0, and by itself.
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
	// ErrNow as the cause of a context's end kills the child at once, without a grace.
	ErrNow = errors.New("stopped at once")
	// ErrKeeperLost is a keeper that was killed from outside. The child is ended with it,
	// but how the child would have ended is not known.
	ErrKeeperLost = errors.New("the keeper of the process was lost")
	// ErrClosed is a pool that was closed.
	ErrClosed = errors.New("the pool of keepers is closed")
)

// StartError is a child that could not be started.
type StartError struct {
	Argv []string
	Err  error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("start %s: %v", shorten(strings.Join(e.Argv, " "), 200), e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// OutputError is a writer of the Spec that failed. The child ran to its end all the same,
// and the Exit beside this error is true.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return fmt.Sprintf("keep the output: %v", e.Err) }

func (e *OutputError) Unwrap() error { return e.Err }

func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
