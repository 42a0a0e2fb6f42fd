// Package workspace uses git to take snapshots of the folder that an agent works in, to compare and
// restore them, and to commit the tree that the gates examined.
//
// Snapshots are stored in a bare repository of mulligan's own, complete in itself, with the files
// unchanged. The user's repository is changed by git's plumbing, so that no hook and no editor runs. What has only one
// possible result is written without git: objects, the index, HEAD and its log, of a repository with nothing unusual.
package workspace

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"mulligan"
	"mulligan/internal/gitfiles"
	"mulligan/internal/gitfolder"
	"mulligan/internal/process"
)

var _ mulligan.Workspace = (*Workspace)(nil)

// Options tell Open which workspace to open.
type Options struct {
	Dir       string // the checkout, or a folder in it
	Snapshots string // path of the snapshot repository, which is created if there is none
	// Branch is the branch that the session works on, if it has one already. Commits go to it even if
	// the agent has moved HEAD. Settle and SwitchTo set it too.
	Branch string
	Log    func(string) // gets messages for a person; may be nil
	// Hold is inherited by every git: a lock on the workspace lasts until the last one has ended.
	Hold   *os.File
	Before func(string) // is called with the command before each git, with what is about to be changed without one, and with "pack" around the storing of a pack; may be nil
	// Session is the session that works here: another process of it finds git's config of its start again,
	// until ForgetStart. Without it the config of now counts, until Close.
	Session string
	// Known is what the session's journal says of the files that an earlier process of it has kept.
	Known Known
	// MemoryOf returns the same digest of another session, whose process may have been killed here; nil: of none.
	MemoryOf func(session string) (digest string, err error)
	// Keeper runs the gits that may start filters; nil: the workspace makes one. Filters has the
	// environment of these (nil: an agent's) and all else that a keeper does for them.
	Keeper  Keeper
	Filters process.Spec
	// FilterConfine returns what filters, and the git that starts them, may write besides the scratch folders of that git;
	// nil: what we may.
	FilterConfine func(scratch []string) *process.Confinement
	Limit         time.Duration // of each git; 0: 2 minutes, and 10 for one that may start filters
}

// Known is what a session's journal says of the files that an earlier process of the session has kept beside it. Journals of
// earlier versions say nothing of them, and then they are taken as they are.
type Known struct {
	// Config is the digest of git's config of the session's start; "": not known.
	Config string
	// Killed is set if the session has not ended, so that the files have to be there.
	Killed bool
	// Memory is the digest of what was remembered of git's own files; "": not known.
	Memory string
}

// A Workspace is a git checkout that an agent works in. It is safe for concurrent use.
type Workspace struct {
	root    Root
	git     git // on the user's repository, with the config of the session's start
	refs    git // the same, or where refs are not files a git on the repository itself
	filters *filterRunner
	scratch string // the folder of git, if no session needs it; "" if one does
	fresh   bool   // the config of git was frozen by this process
	session bool   // a session works here
	config  string // the digest of the config of git, as it was saved for the session
	idLen   int    // of the ids in the user's repository, in hex digits
	log     func(string)
	started atomic.Int64 // git processes so far

	mu        sync.Mutex
	walked    walked
	branch    string
	foreign   bool // the branch is not the session's own
	quiet     bool // HEAD is moved without a word
	store     *objectStore
	scan      *scan
	snapshots *objectReader // of the snapshot repository
	objects   *objectReader // of the user's
	lastTrees map[string]mulligan.Tree
	answered  changedMemory
	newest    labelled                 // the last snapshot that got a commit
	watched   map[string]watchedFileID // files that git ignores, by their full paths
	pushed    map[string]string        // modules by path: a commit that a remote-tracking ref of theirs has
	gitGuard  gitGuard
	made      madeTree
	// filterErrors tells which filters start programs that cannot be copied.
	filterErrors []*gitfolder.ProgramError
}

// Open opens a workspace, which the caller must close.
func Open(ctx context.Context, opt Options) (*Workspace, error) {
	recovered, err := recoverGitFiles(ctx, opt)
	if err != nil {
		return nil, err
	}
	root, err := Find(opt.Dir)
	if err != nil {
		return nil, err
	}
	w := &Workspace{root: root, branch: opt.Branch, session: opt.Session != "", log: opt.Log, lastTrees: make(map[string]mulligan.Tree), pushed: make(map[string]string), watched: make(map[string]watchedFileID)}
	if w.log == nil {
		w.log = func(string) {}
	}
	snapshots, err := filepath.Abs(opt.Snapshots)
	if err != nil {
		return nil, err
	}
	if w.store, err = openObjectStore(snapshots); err != nil {
		return nil, err
	}
	if opt.Before != nil {
		w.store.before = opt.Before
	}
	w.removeOldScratch()
	if err := w.openGit(ctx, opt); err != nil {
		return nil, errors.Join(err, w.removeScratch())
	}
	if opt.Session != "" {
		w.git.removed = func(path string) { w.log(path + " was no file, and git would have read it as one; it is removed") }
	}
	w.idLen = 2 * idSizeOf(w.git.folder.Frozen().Config)
	w.snapshots = &objectReader{git: newSnapshotGit(snapshots, &w.started), folder: filepath.Join(snapshots, "objects"), packs: &w.store.packs}
	w.objects = &objectReader{git: w.git, folder: filepath.Join(root.common, "objects"), foreign: true}
	w.scan = &scan{
		dir: w.root.Dir, store: w.store, log: w.log, logged: make(map[string]bool), lookFrom: manyEntries,
		rules: &rules{git: w.git, root: w.root, log: w.log},
	}
	w.gitGuard.recovered, w.gitGuard.shelf, w.gitGuard.gone = recovered.changes, recovered.shelf, recovered.gone
	w.gitGuard.killed = recovered.refs
	w.gitGuard.folders = new(gitfiles.FolderReader)
	if w.gitGuard.shelf == nil {
		w.gitGuard.shelf = newShelf(snapshots, w.root.Dir)
	}
	w.git.odd = w.scan.odd.list
	if err := w.saveFrozen(ctx, opt.Session); err != nil {
		return nil, errors.Join(err, w.removeScratch())
	}
	return w, nil
}

// idSizeOf returns the size of the ids in a repository with this config, in bytes.
func idSizeOf(config gitfolder.Config) int {
	if format, _ := config.Last("extensions.objectformat"); format.Value == "sha256" {
		return sha256.Size
	}
	return sha1.Size
}

// removeOldScratch removes scratch folders that killed processes have left in the snapshot repository.
func (w *Workspace) removeOldScratch() {
	left, _ := filepath.Glob(filepath.Join(w.store.dir, scratchPrefix+"*"))
	for _, path := range left {
		if st, err := os.Lstat(path); err == nil && time.Since(st.ModTime()) > time.Hour {
			_ = os.RemoveAll(path) // after a failure the next Open tries again
		}
	}
}

// Dir returns the absolute path of the checkout's top level.
func (w *Workspace) Dir() string { return w.root.Dir }

// Close ends the git processes that read objects, and removes a git folder that no session has.
func (w *Workspace) Close() error {
	w.lock()
	defer w.mu.Unlock()
	w.snapshots.close()
	w.objects.close()
	w.filters.close()
	return w.removeScratch()
}

// IsFresh reports whether the config of git was frozen by this process, not by an earlier one of the session.
func (w *Workspace) IsFresh() bool { return w.fresh }

// ForgetStart has Close forget git's config of the session's start: the session has ended, and its next start
// begins with the config of then.
func (w *Workspace) ForgetStart() { w.scratch = w.git.folder.Dir() }

// removeScratch removes a git folder that no session needs.
func (w *Workspace) removeScratch() error {
	if w.scratch == "" {
		return nil
	}
	return os.RemoveAll(w.scratch)
}

// InProgress returns the operation that the user has begun with git and not ended ("a rebase"), or "" if
// there is none.
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
