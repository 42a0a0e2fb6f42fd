package mulligan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"mulligan/internal/text"
)

// An Agent takes turns. How a turn ended is a value in the Result; an error
// means that mulligan itself could not continue (a log that cannot be written).
// When ctx ends, the agent and its descendants are stopped, and the ending is
// Cancelled. The agent retains nothing of the Turn after it returns.
type Agent interface {
	Turn(ctx context.Context, t Turn) (Result, error)
}

// A Turn is one prompt given to an agent, and where it is taken.
type Turn struct {
	Session      string
	Step         string
	Attempt      int
	Iteration    int
	Number       int // over the session; the same when a turn is repeated after a crash
	Purpose      Purpose
	Prompt       string
	Conversation string    // the conversation to continue; "" begins a fresh one
	Model        string    // over the agent's own; "" where nothing says
	BudgetUSD    float64   // what the turn may cost, for agents that can hold to it; 0: no limit
	Dir          string    // the workspace
	Log          io.Writer // everything that the agent prints, as it comes; safe for use by one goroutine at a time
	// Env is how the agent, and what it starts, reaches the session's tools: NAME=value
	// pairs that its program gets besides its own environment.
	Env []string
	// Asking reports whether the turn waits for a person's answer just now: then the agent's
	// silence is not its fault. nil means never. It is safe for concurrent use.
	Asking func() bool
	// ReadOnly makes it a judge's turn: the agent reads the prompt and answers, and does nothing else.
	// Each agent holds its program to that as well as the program can be held: no tools, no tool
	// servers, no hooks, nothing permitted, and no way to the session's tools.
	ReadOnly bool
	// Allowed are the commands that the agent may run if it may otherwise only edit files: the step's own
	// checks, which its prompt asks it to run. Each is allowed as it is, and not as the beginning of another.
	Allowed []string
	// Root is the folder that a relative path of the agent's program is looked up in; "": Dir.
	Root string
}

// A Gate examines what a turn left behind. It never fails: what kept it from
// deciding is a Broken verdict. When ctx ends before it is done, it returns a
// Broken verdict that the caller, who ended ctx, does not use.
type Gate interface {
	Examine(ctx context.Context, w Work) Verdict
}

// Work is what a gate is to examine.
type Work struct {
	Session   string
	Step      string
	Attempt   int
	Iteration int
	Dir       string    // where it is: the proof
	Output    string    // path where the gate keeps its whole output; its folder exists
	Live      io.Writer // the same output, as it comes, for viewers; never blocks, nil where no viewer watches
	// Workspace is the clone in which the agent worked; "" if there is none. IgnoredAtBase reports whether git ignored a
	// path when the session began: then no commit has it, and only the workspace can.
	Workspace     string
	IgnoredAtBase func(ctx context.Context, path string) (bool, error)
	// What follows is for judges. Verdicts are those of the round's gates before this one, all of
	// which passed.
	Task      string
	Verdicts  []Verdict
	BudgetUSD float64 // as Turn has it
	// Diff returns what the work changed since the last commit of the session, or since its start, with
	// at most limit bytes of a patch.
	Diff func(ctx context.Context, limit int) (Diff, error)
}

// A Workspace is the clone in which the agent works. The methods that look at it or write in it must not be called while a
// process of a turn lives, but for Take with the label "".
type Workspace interface {
	// Dir returns its absolute path.
	Dir() string
	// Take commits all that it has and git does not ignore on top of the last commit of the session, keeps that under a
	// label, and returns the tree. With the label "" nothing keeps the commit for longer than a comparison takes.
	Take(ctx context.Context, label string, look Look) (Tree, error)
	// Lay makes its files exactly a tree, and has later commits on top of the tree's Head. What git ignores stays.
	Lay(ctx context.Context, to Tree) error
	// PutBack makes the given paths what a Tree has them to be, and returns what is there then.
	PutBack(ctx context.Context, to Tree, paths []string) (Tree, error)
	// Ready puts the agent's own branch on what was last taken, before a turn.
	Ready(ctx context.Context) error
	// Lacks lists what it has and no commit does: what git ignores, nested repositories, files that are too large.
	Lacks(ctx context.Context) ([]Lack, error)
}

// A Look tells what is looked at when the workspace is taken.
type Look int

const (
	// AtFiles looks at the files.
	AtFiles Look = iota
	// AtHead looks at HEAD too: the commit that the person's own hooks moved it to is what later commits are on top of, and
	// the tree's Head.
	AtHead
	// AtNothing takes the workspace as it was when it was last taken or laid: the session has run nothing in it since.
	AtNothing
)

// A Proof is the clone in which checks run. No agent can write it. Its methods must not be called while a check runs.
type Proof interface {
	// Dir returns its absolute path.
	Dir() string
	// Lay makes it exactly a tree: what the tree does not have goes, but for what git ignores.
	Lay(ctx context.Context, to Tree) error
	// LayFresh is Lay in a proof that has nothing else, but for what the setup makes.
	LayFresh(ctx context.Context, to Tree) error
	// IsFresh reports whether it has nothing that git ignores but what the setup has made.
	IsFresh(ctx context.Context) (bool, error)
	// Read returns it as it is, without what git ignores: what a check has left.
	Read(ctx context.Context) (Tree, error)
}

// A BoundError means that the workspace has more than a look at it may read, or is no folder any more.
type BoundError struct {
	Path string
	What string
	Gone bool // the workspace itself was removed or replaced
}

func (e *BoundError) Error() string {
	if e.Gone {
		return "the workspace itself was removed: work in it, and leave the folder there"
	}
	return fmt.Sprintf("%s has too much to commit (%s): list it in .gitignore if it is no part of the work, or remove it", text.QuotePath(e.Path), e.What)
}

// A Store has the trees and commits of sessions.
type Store interface {
	// Changes lists all paths that differ between two trees.
	Changes(ctx context.Context, from, to Tree) ([]Change, error)
	// Changed lists the paths that differ between two trees, as "A path", "M path", "D path": at most limit of them, and
	// how many there are.
	Changed(ctx context.Context, from, to Tree, limit int) (paths []string, all int, err error)
	// Diff returns what differs between two trees, with at most limit bytes of a patch.
	Diff(ctx context.Context, from, to Tree, limit int) (Diff, error)
	// Combine returns a tree that is like base, but has the given paths as from has them.
	Combine(ctx context.Context, base, from Tree, paths []string) (Tree, error)
	// Commit commits exactly a tree and brings the session's branch in the person's repository to it. The same Commit given
	// twice makes one commit. Where the tree equals its parent's it returns the parent.
	Commit(ctx context.Context, c Commit) (id string, err error)
	// Deliver brings what a session leaves to the person's repository, at its end: what was taken under the label, where no
	// commit has it, and their branch, where they want that and it is safe. Good reports whether the session ended well.
	Deliver(ctx context.Context, label string, good bool) (Handover, error)
}

// A Lack is a path of the workspace that no commit has.
type Lack struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// A Commit is all that makes a commit's id, so that one repeated after a crash is the same.
type Commit struct {
	Tree    Tree      `json:"tree"` // what the gates saw
	Parent  string    `json:"parent"`
	Message string    `json:"message"`
	Time    time.Time `json:"time"`
	Sign    bool      `json:"sign,omitempty"`
}

// A Journal is the append-only log of sessions' events; the only truth.
type Journal interface {
	// Append stores events, numbered after+1 and on, as one atomic batch: all or none,
	// on the disk when it returns. ErrStale means that the session has an event after
	// `after` that this writer has not seen: another writes it, and this one must stop.
	// The summary is the session's after these events; Sessions returns it.
	Append(ctx context.Context, session string, after int64, events []Event, s Summary) error
	// Read yields a session's events from the one numbered `from` (first 1) to the last.
	// A gap or damage is an error that says where, and ends the sequence.
	Read(ctx context.Context, session string, from int64) iter.Seq2[Event, error]
	// Follow yields what Read does and then waits for more, until ctx ends.
	Follow(ctx context.Context, session string, from int64) iter.Seq2[Event, error]
	// Sessions returns the newest summary of every session, oldest session first.
	Sessions(ctx context.Context) ([]Summary, error)
}

var (
	// ErrStale is the error of a writer whose view of the session is not the newest.
	ErrStale = errors.New("another process has written this session")
	// ErrNoSession is the error of a session that the journal does not have.
	ErrNoSession = errors.New("no such session")
)

// A Decision is a strategy for the next attempt, or to stop.
type Decision struct {
	Retry    bool   `json:"retry"`
	Strategy string `json:"strategy,omitempty"` // "retry", …
	Fresh    bool   `json:"fresh,omitempty"`    // begin a new conversation
	Reason   string `json:"reason,omitempty"`
}

// A Clock tells the time and waits. It is handed in, so that hours of back-off cost a test nothing.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or until ctx ends.
	Sleep(ctx context.Context, d time.Duration)
}

// Records is where a session keeps what is too large or too lively for the journal.
type Records interface {
	// TurnLog returns the path of a turn's log.
	TurnLog(turn int) string
	// Open opens a log for appending: a turn that is repeated does not lose what was printed
	// the first time.
	Open(path string) (io.WriteCloser, error)
	// GateOutput returns the path where a gate keeps its output; its folder exists. Try 0 is the run
	// before the first attempt.
	GateOutput(turn, gate, try int) (string, error)
	// HookOutput does the same for a run of a hook.
	HookOutput(run int) (string, error)
	// Live returns a writer for what children print, as viewers see it. It never blocks.
	Live() io.Writer
}

// A Notifier reaches a person on the ways that the config has.
type Notifier interface {
	// Ways returns the ways on which a person wants to hear of a moment; none if they do not.
	Ways(m NoticeMoment) []string
	// Send takes the ways of a notice, each within its own limits. What fails is a result. It is safe for
	// concurrent use.
	Send(ctx context.Context, d Delivery) []NotifyResult
}

// A Delivery is a notice with what a person needs to know of its session.
type Delivery struct {
	NotifyStarted
	Summary Summary
	Usage   Usage
	Turns   int
}

// A SetupError means that the setup fails on the work, which has changed what it reads.
type SetupError struct {
	Command, Summary, Output string
}

func (e *SetupError) Error() string {
	return fmt.Sprintf("the setup %q fails: %s\n%s", e.Command, e.Summary, strings.TrimRight(e.Output, "\n"))
}

// ErrOver is the error of a request to a session that has ended.
var ErrOver = errors.New("the session is over")

// LeftLabel is the label of what a session leaves.
const LeftLabel = "left"
