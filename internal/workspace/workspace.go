// Package workspace is git as mulligan uses it: it keeps snapshots of the folder that an
// agent works in, compares them, puts them back, and commits what the gates saw.
//
// Snapshots lie in a bare repository of mulligan's own, complete in itself, that holds the
// files byte by byte. The user's repository is touched by git's plumbing only, so that none
// of its hooks, editors or pins run.
package workspace

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mulligan"
)

var _ mulligan.Workspace = (*Workspace)(nil)

// Options say which workspace to open.
type Options struct {
	Dir       string // the checkout, or a folder in it
	Snapshots string // path of the snapshot repository, made where there is none
	// Branch is the branch that the session works on, where it has one already. Commits go
	// to it even if the agent has put HEAD elsewhere. Settle and SwitchTo set it too.
	Branch string
	Log    func(string) // what a person should know; nil: nobody listens
	// Hold is inherited by every git: a lock on the workspace lasts until the last one has ended.
	Hold   *os.File
	Before func(string) // is called with the command before git is run; nil: nobody waits for it
}

// A Workspace is a git checkout that an agent works in. Its methods may be called from
// several goroutines; they take turns.
type Workspace struct {
	root    Root
	git     git // on the user's repository
	idLen   int // of the ids in the user's repository, in hex digits
	log     func(string)
	started atomic.Int64 // git processes so far

	mu        sync.Mutex
	branch    string
	store     *objectStore
	scan      *scan
	snapshots *objectReader // of the snapshot repository
	objects   *objectReader // of the user's
	lastTrees map[string]mulligan.Tree
}

// Open prepares a workspace for use. Close ends what it keeps running.
func Open(ctx context.Context, opt Options) (*Workspace, error) {
	root, err := Find(opt.Dir)
	if err != nil {
		return nil, err
	}
	w := &Workspace{root: root, branch: opt.Branch, log: opt.Log, lastTrees: make(map[string]mulligan.Tree)}
	if w.log == nil {
		w.log = func(string) {}
	}
	w.git = newUserGit(root, &w.started)
	w.git.before, w.git.hold = opt.Before, opt.Hold
	format, err := w.askObjectFormat(ctx)
	if err != nil {
		return nil, err
	}
	if w.idLen = 2 * sha1.Size; format == "sha256" {
		w.idLen = 2 * sha256.Size
	}
	snapshots, err := filepath.Abs(opt.Snapshots)
	if err != nil {
		return nil, err
	}
	if w.store, err = openObjectStore(snapshots); err != nil {
		return nil, err
	}
	w.prepare(snapshots)
	return w, nil
}

// askObjectFormat looks whether there is a git that will do, and what it says of the repository.
func (w *Workspace) askObjectFormat(ctx context.Context) (format string, err error) {
	unfit := make(chan error, 1)
	go func() { unfit <- checkVersion(ctx, w.git) }()
	// Found by git itself this once, so that one that refuses the folder says so now.
	plainly := git{dir: w.root.Dir, env: cleanEnv(os.Environ()), started: &w.started}
	format, err = plainly.line(ctx, "rev-parse", "--show-object-format")
	if old := <-unfit; old != nil {
		return "", old
	}
	return format, err
}

func (w *Workspace) prepare(snapshots string) {
	w.snapshots = &objectReader{git: newSnapshotGit(snapshots, &w.started)}
	w.objects = &objectReader{git: w.git}
	w.scan = &scan{
		dir: w.root.Dir, store: w.store, log: w.log, logged: make(map[string]bool),
		rules: &rules{git: w.git, root: w.root, log: w.log},
	}
	w.removeOldScratch()
}

// removeOldScratch removes what a killed process has left in the snapshot repository.
func (w *Workspace) removeOldScratch() {
	left, _ := filepath.Glob(filepath.Join(w.store.dir, scratchPrefix+"*"))
	for _, path := range left {
		if st, err := os.Lstat(path); err == nil && time.Since(st.ModTime()) > time.Hour {
			_ = os.RemoveAll(path) // next time, then
		}
	}
}

// Dir is the top level of the checkout, absolute.
func (w *Workspace) Dir() string { return w.root.Dir }

// Close ends the git processes that stay.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.snapshots.close(), w.objects.close())
}

// InProgress names what the user has begun with git and not ended: "a rebase". "" is nothing.
func (w *Workspace) InProgress(context.Context) string {
	for _, mark := range []struct{ file, what string }{
		{"rebase-apply/applying", "an am"},
		{"rebase-merge", "a rebase"},
		{"rebase-apply", "a rebase"},
		{"MERGE_HEAD", "a merge"},
		{"CHERRY_PICK_HEAD", "a cherry-pick"},
		{"REVERT_HEAD", "a revert"},
		{"sequencer", "a cherry-pick or revert"},
		{"BISECT_LOG", "a bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(w.root.git, filepath.FromSlash(mark.file))); err == nil {
			return mark.what
		}
	}
	return ""
}

// A Kind says how a path differs between two trees.
type Kind string

const (
	Added    Kind = "added"
	Modified Kind = "modified"
	Deleted  Kind = "deleted"
	Mode     Kind = "mode" // same content, executable or not
	Type     Kind = "type" // a file became a link, or the like
)

// A Change is a path that differs between two trees.
type Change struct {
	Path string // relative to the workspace, with slashes
	Kind Kind
}

// Diff says what changed between two snapshots.
func (w *Workspace) Diff(ctx context.Context, from, to mulligan.Tree) ([]Change, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found, err := w.compareSnapshots(ctx, from.ID, to.ID)
	if err != nil {
		return nil, err
	}
	changes := make([]Change, len(found))
	for i, d := range found {
		changes[i] = Change{Path: d.path, Kind: d.kind()}
	}
	return changes, nil
}

func (w *Workspace) compareSnapshots(ctx context.Context, from, to string) ([]difference, error) {
	for _, id := range []string{from, to} {
		if _, err := parseOID(id); err != nil {
			return nil, err
		}
	}
	c := comparison{from: w.snapshots, to: w.snapshots}
	return c.compareTrees(ctx, from, to)
}

func (d difference) kind() Kind {
	switch {
	case d.from == nil:
		return Added
	case d.to == nil:
		return Deleted
	case d.from.mode>>12 != d.to.mode>>12:
		return Type
	case d.from.id == d.to.id:
		return Mode
	}
	return Modified
}

// hasName says whether the path is of a file of that name, at any level.
func (d difference) hasName(name string) bool {
	return d.path == name || strings.HasSuffix(d.path, "/"+name)
}
