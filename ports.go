package mulligan

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
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
	Dir       string    // the workspace
	Output    string    // path where the gate keeps its whole output; its folder exists
	Live      io.Writer // the same output, as it comes, for viewers; never blocks, nil where no viewer watches
	// NewlyIgnored returns the rule by which git ignores a path, if that is one that the session's
	// start did not have: a commit lacks the path. Else it returns "". nil: nothing is committed.
	NewlyIgnored func(ctx context.Context, path string) (rule string, err error)
	// What follows is for judges. Verdicts are those of the round's gates before this one, all of
	// which passed.
	Task      string
	Verdicts  []Verdict
	BudgetUSD float64 // as Turn has it
	// Diff returns what the work changed since the last commit of the session, or since its start, with
	// at most limit bytes of a patch.
	Diff func(ctx context.Context, limit int) (Diff, error)
}

// A Workspace is the folder that the agent works in.
type Workspace interface {
	// Dir returns its absolute path.
	Dir() string
	// Snapshot walks the tree once, keeps a copy under the given label, and returns it. Where
	// nothing changed since the last walk it starts no process and returns the same Tree. A walk
	// of a moment ago serves, unless it was followed by a method that writes, by RememberGit,
	// RestoreGit or ForgetWalk.
	Snapshot(ctx context.Context, label string) (Tree, error)
	// ForgetWalk has the next Snapshot walk: something has run, or the session has waited, and a
	// person may have written meanwhile.
	ForgetWalk()
	// Walk is Snapshot without a label: for a comparison in a moment, nothing keeps the copy for longer.
	Walk(ctx context.Context) (Tree, error)
	// Restore puts files and HEAD back to a Tree that Snapshot returned. What was there is
	// kept as a snapshot first, under the given label.
	Restore(ctx context.Context, to Tree, label string) error
	// Changed lists the paths that differ between two trees, as "A path", "M path", "D path":
	// at most limit of them, and how many there are.
	Changed(ctx context.Context, from, to Tree, limit int) (paths []string, all int, err error)
	// Diff returns what differs between two trees, with at most limit bytes of a patch.
	Diff(ctx context.Context, from, to Tree, limit int) (Diff, error)
	// Changes lists all paths that differ between two trees.
	Changes(ctx context.Context, from, to Tree) ([]Change, error)
	// PutBack makes the given paths what a Tree has them to be, whatever they were replaced with, and
	// leaves all others. It returns what is there then. What was there is kept as a snapshot first, under
	// the given label.
	PutBack(ctx context.Context, to Tree, paths []string, label string) (Tree, error)
	// WatchIgnored looks at what no Tree has and the write rules still want to be left alone, keeps a
	// copy of it, and returns the copy's id. Files that have not changed since the last look are not
	// read again, and those over 1 MiB never.
	WatchIgnored(ctx context.Context, what Watch) (id string, err error)
	// IgnoredChanges lists what differs between two such copies. tree is the workspace as it was at the
	// first: what that has was not ignored then, and is not new.
	IgnoredChanges(ctx context.Context, tree Tree, from, to string) ([]Change, error)
	// PutBackIgnored makes the given paths what such a copy has them to be.
	PutBackIgnored(ctx context.Context, to string, paths []string) error
	// UndoWrites puts back the files of a Tree that a check has changed or deleted, and leaves those
	// that it created. It returns what is there then, and the paths that it put back, as Changed
	// lists them. What was there is kept as a snapshot first, under the given label, if anything
	// differs; where nothing does it starts no process. HEAD stays; with keepCommitted so do the
	// paths that commits made since the Tree have changed.
	UndoWrites(ctx context.Context, to Tree, keepCommitted bool, label string) (left Tree, undone []string, err error)
	// RemoveCreated removes the files that left, a Tree that UndoWrites returned, has and from
	// lacks, where they are still as left has them. RestoreCreated writes those of them that are
	// not there.
	RemoveCreated(ctx context.Context, from, left Tree, label string) error
	RestoreCreated(ctx context.Context, from, left Tree) error
	// Unheld lists what the workspace has and a commit of it does not hold, and the rules by which
	// only this clone ignores files. since is the tree of the last commit; with no ID, as at a
	// session's start, what is hidden is not listed, otherwise what rules that are not among known
	// hide is.
	Unheld(ctx context.Context, since Tree, known []Unheld) ([]Unheld, error)
	// IgnoredSince returns the rule by which git ignores a path, or "" if it does not, or if the
	// rules of the given commit did already.
	IgnoredSince(ctx context.Context, commit, path string) (rule string, err error)
	// RememberGit remembers the repository's own git files and refs, before something runs that may
	// change them. It survives a crash. It returns the digest of what it remembers, which a process that resumes
	// the session compares, and what was put back because a killed process had left it changed.
	RememberGit(ctx context.Context, session string) (digest string, left []GitChange, err error)
	// RestoreGit compares the git files and refs with what is remembered, puts back what has to be,
	// and returns what differed. Where nothing did it starts no process. What it leaves is remembered.
	RestoreGit(ctx context.Context, c GitCheck) ([]GitChange, error)
	// ForgetGit ends that: what differs later is a person's doing.
	ForgetGit() error
	// Tip returns the commit of the branch that commits go to, and whether HEAD is on that branch.
	Tip(ctx context.Context) (commit string, onBranch bool, err error)
	// Contains reports whether a commit is in the history of another, or is that itself.
	Contains(ctx context.Context, head, commit string) (bool, error)
	// TryCommit does all that Commit does for a tree on top of a parent, except for the commit. The error is
	// a *RefusedError if git does not add all of the tree, or if by attributes that differ from those of
	// base, the commit that it all began with, a clone would have other bytes. Objects of the repository
	// that are not what their names say are put aside first, and returned. Commit does not repeat the work.
	TryCommit(ctx context.Context, tree Tree, parent, base string) ([]GitChange, error)
	// Commit commits exactly the tree that the gates saw. The same Commit given twice
	// makes one commit. Where the tree equals its parent's it returns the parent. The error is
	// ErrBranchMoved where c.OnTop is set and the branch has other commits than the parent's.
	Commit(ctx context.Context, c Commit) (id string, err error)
	// Return gives the person's checkout back: it checks out what they were on, and moves no
	// branch. The same Return given twice completes what a killed process began; files that are
	// then neither side's are kept as a snapshot under the label aside and a number. The files that
	// the checkout then has are kept under label. Where the checkout has to stay, Standing.Stays
	// tells why.
	Return(ctx context.Context, r Return, label, aside string) (Standing, error)
	// Stand returns how the checkout stands, and keeps its files under the label. branch is the
	// session's.
	Stand(ctx context.Context, branch, label string) (Standing, error)
}

// A Proof is the clone in which checks run. No agent can write it.
type Proof interface {
	// Dir returns its absolute path.
	Dir() string
	// Lay makes it exactly a tree: what the tree does not have goes, but for what git ignores. No check may run.
	Lay(ctx context.Context, to Tree) error
	// Read returns the proof as it is, without what git ignores: what a check has left.
	Read(ctx context.Context) (Tree, error)
	// Combine returns a tree that is like base, but has the given paths as from has them.
	Combine(ctx context.Context, base, from Tree, paths []string) (Tree, error)
}

// A Commit is all that makes a commit's id, so that one repeated after a crash is the same.
type Commit struct {
	Tree    Tree      `json:"tree"`   // what the gates saw
	Parent  string    `json:"parent"` // commits on top of it are folded in, but for OnTop
	Message string    `json:"message"`
	Time    time.Time `json:"time"`
	Sign    bool      `json:"sign,omitempty"`
	// OnTop is set where the branch is not the session's own: it is moved forward only, and no
	// commit on it is folded in.
	OnTop bool `json:"on_top,omitempty"`
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
	// ErrBranchMoved is the error of a commit to a branch that is not the session's own and that has
	// commits which the gates have not seen.
	ErrBranchMoved = errors.New("the branch has moved since the checks ran")
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

// Prompts are the functions that write a session's prompts. All are pure.
type Prompts struct {
	// Step writes the first prompt of the step that the session is at.
	Step func(st *State) string
	// Loop writes the prompt of a loop's iteration. changed lists the paths of the workspace that
	// changed since the iteration before began.
	Loop func(st *State, changed []string) (string, error)
	// Feedback tells an agent what its last attempt got wrong. previous is the examined attempt
	// before that, nil if there was none.
	Feedback func(step Step, last AttemptState, previous *AttemptState) string
	// Strategy writes the prompt of an attempt at which a strategy other than the plain retry holds.
	Strategy func(c StrategyCase) string
	// Pieces writes what hooks and people have for the agent, in their order.
	Pieces func(pieces []Piece) string
	// Now delivers pieces in the middle of an iteration.
	Now func(pieces []Piece) string
	// Recovery follows a turn that failed.
	Recovery func(failure Result, pieces []Piece) string
	// HookFeedback is what Stop hooks send the agent back with.
	HookFeedback func(st *State, reply AgentHookReply) string
	// Kept tells an agent which files checks have written since its last turn: they are part of
	// the work.
	Kept func(paths []string) string
	// GitRestored tells an agent what was put back in the repository's git folder.
	GitRestored func(changes []GitChange) string
	// Delivery is the last prompt of a session that ends with an outcome.
	Delivery func(st *State, o Outcome, pieces []Piece) string
}

// A Clock tells the time and waits. It is handed in, so that hours of back-off cost a test nothing.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or until ctx ends.
	Sleep(ctx context.Context, d time.Duration)
}
