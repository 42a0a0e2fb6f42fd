package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"

	"mulligan/internal/gitfolder"
	"mulligan/internal/process"
)

// frozenFolders is the folder of the snapshot repository that has the sessions' git folders.
const frozenFolders = "frozen"

// repository returns the root's folders as package gitfolder has them.
func (r Root) repository() gitfolder.Repository {
	return gitfolder.Repository{Dir: r.Dir, Git: r.git, Common: r.common}
}

// hasReftable reports whether the refs are not files.
func (r Root) hasReftable() bool { return isFolder(filepath.Join(r.common, "reftable")) }

// openGit makes the git folder that all gits of this workspace work with. A session that was killed gets its
// own again; otherwise the config of now is what the session's start has.
func (w *Workspace) openGit(ctx context.Context, opt Options) error {
	versionErr := make(chan error, 1)
	live := newLiveGit(w.root, &w.started)
	live.limit = opt.Limit
	go func() { versionErr <- checkVersion(ctx, live) }()
	dir := filepath.Join(w.store.dir, frozenFolders, opt.Session)
	var (
		frozen *gitfolder.Frozen
		err    error
	)
	if opt.Session != "" {
		frozen, err = w.loadFrozen(dir, opt.Known)
	}
	fresh := frozen == nil
	if fresh && err == nil {
		frozen, w.filterErrors, err = freeze(ctx, w.root, live, w.root.Dir)
		if err == nil && opt.Session != "" && len(w.filterErrors) > 0 {
			err = w.filterErrors[0]
		}
	}
	if wrong := <-versionErr; wrong != nil {
		return wrong
	}
	if err == nil && opt.Session == "" {
		dir, err = os.MkdirTemp(w.store.dir, scratchPrefix)
		w.scratch = dir
	}
	if err != nil {
		return err
	}
	folder, err := gitfolder.New(dir, w.root.repository(), frozen)
	if err != nil {
		return err
	}
	w.filters = newFilterRunner(opt.Keeper, opt.Filters)
	w.filters.confine, w.filters.store = opt.FilterConfine, w.store.dir
	w.git = newFrozenGit(w.root, folder, &w.started)
	w.git.before, w.git.hold, w.git.limit, w.git.filters = opt.Before, opt.Hold, opt.Limit, w.filters
	w.refs = w.git
	if w.root.hasReftable() {
		w.refs = live
		w.refs.before, w.refs.hold = opt.Before, opt.Hold
	}
	w.fresh = fresh
	return nil
}

// loadFrozen returns git's config of the session's start as an earlier process has frozen it, or nil if none has, or if
// what is there is not needed any more.
func (w *Workspace) loadFrozen(dir string, known Known) (*gitfolder.Frozen, error) {
	frozen, digest, err := gitfolder.Load(dir)
	switch {
	case known.Config == "" || err == nil && digest == known.Config:
		w.config = digest
		return frozen, err
	case !known.Killed:
		return nil, nil
	}
	return nil, &TamperedError{
		What: "git's config of the session's start", Path: gitfolder.FrozenFile(dir), Gone: err == nil && frozen == nil,
		Hint: "look at `git config --list --show-origin`; then `mulligan run --restart` begins a new session with git's config of now",
	}
}

// saveFrozen keeps what was just frozen for the session, with the config of the submodules.
func (w *Workspace) saveFrozen(ctx context.Context, session string) error {
	if session == "" || !w.fresh {
		return nil
	}
	frozen := w.git.folder.Frozen()
	if err := w.freezeModules(ctx, frozen); err != nil {
		return err
	}
	var err error
	w.config, err = frozen.Save(w.git.folder.Dir())
	return err
}

// ConfigDigest returns the digest of git's config of the session's start, "" without a session.
func (w *Workspace) ConfigDigest() string { return w.config }

// freeze returns the config of a repository as it is, with the files that it names, and with the programs of filters
// that are in the checkout programs; failed tells which of these cannot be copied. It returns an error if git refuses the
// folder.
func freeze(ctx context.Context, root Root, live git, programs string) (frozen *gitfolder.Frozen, failed []*gitfolder.ProgramError, err error) {
	if err := checkConfig(root); err != nil {
		return nil, nil, err
	}
	refused := make(chan error, 1)
	go func() {
		// Without GIT_DIR, so that a git that refuses the folder (its owner is another user) fails now.
		plain := git{dir: root.Dir, env: cleanEnv(os.Environ()), started: live.started, limit: live.limit}
		_, err := plain.line(ctx, "rev-parse", "--show-object-format")
		refused <- err
	}()
	out, err := live.run(ctx, "config", "--list", "-z", "--includes")
	if err := errors.Join(<-refused, err); err != nil {
		return nil, nil, err
	}
	frozen = gitfolder.Freeze(root.repository(), gitfolder.ParseConfig(out), os.Getenv)
	return frozen, frozen.AddPrograms(programs), nil
}

// checkConfig returns an error if git would wait for a file of config that is no file.
func checkConfig(root Root) error {
	home := os.Getenv("HOME")
	own := os.Getenv("XDG_CONFIG_HOME")
	if own == "" {
		own = filepath.Join(home, ".config")
	}
	files := []string{filepath.Join(root.common, "config"), filepath.Join(root.git, "config.worktree")}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		files = append(files, global)
	} else {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(own, "git", "config"))
	}
	if err := gitfolder.CheckConfigFiles(home, files...); err != nil {
		return err
	}
	return gitfolder.CheckFile(filepath.Join(root.git, "HEAD"))
}

// gitForRefs returns a git for the commits and refs of the checkout that holds dir, which needs no config,
// and a function that the caller must call when it has done its work.
func gitForRefs(dir string) (git, func(), error) {
	root, err := Find(dir)
	if err != nil {
		return git{}, nil, err
	}
	if root.hasReftable() {
		return newLiveGit(root, new(atomic.Int64)), func() {}, checkConfig(root)
	}
	var config gitfolder.Config
	if len(root.HeadCommit()) == 64 {
		config = gitfolder.Config{{Key: "extensions.objectformat", Value: "sha256"}}
	}
	return newScratchGit(root, &gitfolder.Frozen{Config: config})
}

// gitForTree returns a git for the files of a checkout, with the config of now, and a function that the caller
// must call when it has done its work. Filters run under a keeper, as an agent's, with programs of the checkout programs.
func gitForTree(ctx context.Context, root Root, programs string) (git, func(), error) {
	frozen, _, err := freeze(ctx, root, newLiveGit(root, new(atomic.Int64)), programs)
	if err != nil {
		return git{}, nil, err
	}
	g, done, err := newScratchGit(root, frozen)
	if err != nil {
		return git{}, nil, err
	}
	g.filters = newFilterRunner(nil, process.Spec{})
	return g, func() { g.filters.close(); done() }, nil
}

// newScratchGit returns a git with a folder among the temporary files, and a function that removes that.
func newScratchGit(root Root, frozen *gitfolder.Frozen) (git, func(), error) {
	dir, err := os.MkdirTemp("", "mulligan-git-")
	if err != nil {
		return git{}, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) } // it is among the temporary files
	folder, err := gitfolder.New(dir, root.repository(), frozen)
	if err != nil {
		remove()
		return git{}, nil, err
	}
	return newFrozenGit(root, folder, new(atomic.Int64)), remove, nil
}
