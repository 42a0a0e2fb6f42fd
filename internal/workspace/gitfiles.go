package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"mulligan"
	"mulligan/internal/durable"
	"mulligan/internal/gitfiles"
	"mulligan/internal/regular"
)

// gitFilesFolder is the folder of the snapshot repository that has the memories of git's own files, and in "kept"
// what was put back.
const gitFilesFolder = "git-files"

// A gitGuard is what a workspace remembers of git's own files.
type gitGuard struct {
	memory *gitfiles.Memory // nil before the first turn
	shelf  *gitfiles.Shelf  // where it is stored
	open   bool             // something runs that may change git's files
	refs   *gitfiles.RefReader
	// folders is what lists git's own folders.
	folders *gitfiles.FolderReader
	// recovered is what was put back after a killed process, or one that failed, and not reported yet.
	recovered []mulligan.GitChange
	gone      bool // what a killed process had remembered is not there
	// killed are the refs as a process of this session remembered them before it was killed; nil if none was.
	killed gitfiles.Refs
}

// newShelf returns the memories of a checkout's git files.
func newShelf(snapshots, dir string) *gitfiles.Shelf {
	sum := sha256.Sum256([]byte(dir))
	return &gitfiles.Shelf{Base: filepath.Join(snapshots, gitFilesFolder, hex.EncodeToString(sum[:8]))}
}

// A recovery is what was done about the git files of a checkout whose session was killed.
type recovery struct {
	changes []mulligan.GitChange // what was put back
	shelf   *gitfiles.Shelf      // nil if the workspace's lock is not held
	gone    bool                 // the session's journal has a memory that is not there
	refs    gitfiles.Refs        // what the session remembered of them; nil if it was not killed
}

// recoverGitFiles puts back the git files of a checkout whose session was killed, before any git reads them. It
// does so only for a process that holds the workspace's lock.
func recoverGitFiles(ctx context.Context, opt Options) (r recovery, err error) {
	if opt.Hold == nil {
		return r, nil
	}
	snapshots, err := filepath.Abs(opt.Snapshots)
	if err != nil {
		return r, err
	}
	dir, err := filepath.Abs(opt.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return r, nil // Find tells why there is no workspace
	}
	r.shelf = newShelf(snapshots, dir)
	changes, err := r.recoverMemory(ctx, snapshots, dir, opt)
	if err != nil {
		return r, err
	}
	r.changes, err = passOnRecovered(r.shelf.Path("")+recoveredSuffix, changes, opt.Session != "")
	return r, err
}

// recoverMemory puts back what is remembered. A session that was killed keeps its memory until it has others; another
// one forgets them all.
func (r *recovery) recoverMemory(ctx context.Context, snapshots, dir string, opt Options) ([]mulligan.GitChange, error) {
	m, err := r.chooseMemory(opt)
	if err != nil {
		return nil, err
	}
	changes, err := putMemoryBack(ctx, m, snapshots, dir)
	own := opt.Known.memory()
	if own != "" && !r.gone && err == nil {
		r.refs = m.Refs
	}
	switch {
	case err != nil || opt.Session == "":
	case own != "" && !r.gone:
		r.shelf.Adopt(own)
	default:
		err = r.shelf.Clear()
	}
	return changes, err
}

// chooseMemory returns the memory that the journal of the session has, or else one that its own session's journal has;
// or nil. Sessions of earlier versions have no digest, and one memory.
func (r *recovery) chooseMemory(opt Options) (*gitfiles.Memory, error) {
	own := opt.Known.memory()
	if own != "" {
		m, err := r.shelf.Load(own)
		if errors.Is(err, gitfiles.ErrChanged) {
			return nil, &TamperedError{
				What: "git's own files as they were before the session was killed", Path: r.shelf.Path(own),
				Hint: "look at .git/config and .git/hooks, and put right what is not yours; then remove that file, and `mulligan resume` takes them as they are",
			}
		}
		if m != nil || err != nil {
			return m, err
		}
		r.gone = true
	}
	for _, digest := range r.shelf.Digests() {
		m, err := r.shelf.Load(digest)
		if m == nil || err != nil || digest == "" && own != "" {
			continue // what no journal has is nobody's
		}
		if expected, err := opt.memoryOf(m.Session); err != nil || expected == digest {
			return m, err
		}
	}
	return nil, nil
}

// memory returns the digest of the memory that has to be there, "" if none has.
func (k Known) memory() string {
	if !k.Killed {
		return ""
	}
	return k.Memory
}

// memoryOf returns the digest that a session's journal has of its memory, "" if it has none.
func (o Options) memoryOf(session string) (string, error) {
	if o.MemoryOf == nil {
		return "", nil
	}
	return o.MemoryOf(session)
}

// putMemoryBack puts back what a memory has of the checkout in dir.
func putMemoryBack(ctx context.Context, m *gitfiles.Memory, snapshots, dir string) ([]mulligan.GitChange, error) {
	if m == nil || m.Repo.Dir != dir {
		return nil, nil
	}
	if _, err := os.Lstat(m.Repo.Common); err != nil {
		return nil, nil // the repository itself is elsewhere now
	}
	changes, err := m.PutBack(ctx, newKeeper(snapshots, m.Session), newConfigTool(snapshots, new(atomic.Int64)))
	if err != nil {
		return nil, err
	}
	linked, err := m.UnlinkBranch(m.Branch)
	if linked != nil && err == nil {
		changes = append(changes, *linked)
	}
	return changes, err
}

// recoveredSuffix ends the name of the file with what was put back before a session was there to tell of it.
const recoveredSuffix = ".recovered"

// passOnRecovered returns what was put back, with what an earlier caller without a session has. Such a caller keeps
// it for the next.
func passOnRecovered(path string, changes []mulligan.GitChange, session bool) ([]mulligan.GitChange, error) {
	var kept []mulligan.GitChange
	data, err := regular.ReadFile(path, maxRuleFile)
	if err == nil {
		_ = json.Unmarshal(data, &kept) // a damaged one tells of nothing
	}
	kept = append(kept, changes...)
	switch {
	case session:
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
		return kept, nil
	case len(changes) == 0:
		return nil, nil
	}
	if data, err = json.Marshal(kept); err != nil {
		return nil, err
	}
	return nil, durable.ReplaceFile(path, data)
}

func newKeeper(snapshots, session string) *gitfiles.Keeper {
	return &gitfiles.Keeper{Dir: filepath.Join(snapshots, gitFilesFolder, "kept", session)}
}

// RememberGit remembers the repository's own git files and refs as they are, in memory and in the state folder. It returns
// the digest of that, and what was put back because a killed process, or a turn that failed in the middle, had left it.
func (w *Workspace) RememberGit(ctx context.Context, session string) (digest string, changes []mulligan.GitChange, err error) {
	w.lock()
	defer w.mu.Unlock()
	g := &w.gitGuard
	if g.open {
		changes, err := w.putBackGit(ctx, mulligan.GitCheck{Session: session})
		if err != nil {
			return "", nil, err
		}
		g.recovered = append(g.recovered, changes...)
	}
	if err := w.settleKilledRefs(ctx, session); err != nil {
		return "", nil, err
	}
	if err := w.lookAtGit(ctx, session); err != nil {
		return "", nil, err
	}
	if digest, err = g.shelf.Store(g.memory); err != nil {
		return "", nil, err
	}
	g.open = true
	changes = g.recovered
	g.recovered = nil
	return digest, changes, nil
}

// lookAtGit makes what is there now what is remembered, in memory. It must be called with w.mu held.
func (w *Workspace) lookAtGit(ctx context.Context, session string) (err error) {
	g := &w.gitGuard
	m := gitfiles.Look(gitfiles.Repo{Dir: w.root.Dir, Git: w.root.git, Common: w.root.common}, session, g.folders)
	m.Branch = w.branch
	if m.Refs, err = w.readGuardedRefs(ctx); err != nil {
		return fmt.Errorf("cannot remember the branches: %w", err)
	}
	if err := w.scan.rules.refresh(ctx); err != nil {
		return err
	}
	for path, f := range w.scan.rules.files {
		if f.hidden || f.assume {
			m.Flagged = append(m.Flagged, path)
		}
	}
	slices.Sort(m.Flagged)
	g.memory = m
	return nil
}

// RestoreGit compares the repository's own git files and refs with what is remembered. It puts back what starts
// programs or hides files, and what takes commits from branches, and returns that and what else it noticed. What it
// leaves is remembered from here on. Before the first RememberGit it does nothing.
func (w *Workspace) RestoreGit(ctx context.Context, c mulligan.GitCheck) ([]mulligan.GitChange, error) {
	w.lock()
	defer w.mu.Unlock()
	if w.gitGuard.memory == nil {
		return nil, nil
	}
	changes, err := w.putBackGit(ctx, c)
	if errors.Is(err, gitfiles.ErrFolderGone) {
		if lost := w.scan.checkPresent(); lost != nil {
			return changes, lost
		}
	}
	if err != nil {
		return changes, err
	}
	if err := w.dropOwnLocks(ctx); err != nil {
		return changes, err
	}
	flags, err := w.settleFlags(ctx, c)
	if err != nil {
		return changes, err
	}
	w.gitGuard.open = false
	if changes = append(changes, flags...); len(changes) == 0 {
		return nil, nil
	}
	return changes, w.lookAtGit(ctx, c.Session)
}

// putBackGit puts back files first, so that no git reads what an agent has left there, and then refs.
func (w *Workspace) putBackGit(ctx context.Context, c mulligan.GitCheck) ([]mulligan.GitChange, error) {
	changes, err := w.gitGuard.memory.PutBack(ctx, newKeeper(w.store.dir, c.Session), newConfigTool(w.store.dir, &w.started))
	if err != nil {
		return changes, err
	}
	refs, err := w.settleRefs(ctx, c)
	if changes = append(changes, refs...); err != nil {
		return changes, err
	}
	return changes, w.remakeIndex(ctx)
}

// remakeIndex makes an index that is gone anew: without one, files that git tracks although it ignores their names
// would not be seen.
func (w *Workspace) remakeIndex(ctx context.Context) error {
	if m := w.gitGuard.memory; !m.Index || m.HasIndex() {
		return nil
	}
	_, head, err := w.currentHead(ctx)
	if err == nil {
		w.resetIndex(ctx, head)
	}
	return err
}

// ForgetGit ends the guard over git's own files: what differs later is a person's doing.
func (w *Workspace) ForgetGit() error {
	w.lock()
	defer w.mu.Unlock()
	w.gitGuard = gitGuard{refs: w.gitGuard.refs, folders: w.gitGuard.folders, shelf: w.gitGuard.shelf}
	return w.gitGuard.shelf.Clear()
}

// IsMemoryGone reports whether git's own files could not be compared after a kill: what the session's journal says was
// remembered of them is not there.
func (w *Workspace) IsMemoryGone() bool { return w.gitGuard.gone }

// A configTool reads and edits config files in a scratch folder, with git in a repository of mulligan's own.
type configTool struct{ git git }

func newConfigTool(snapshots string, started *atomic.Int64) configTool {
	return configTool{newSnapshotGit(snapshots, started)}
}

// List returns the settings of a config file.
func (t configTool) List(ctx context.Context, data []byte) ([]gitfiles.Setting, error) {
	var settings []gitfiles.Setting
	err := t.inScratch(data, func(path string) error {
		out, err := t.git.run(ctx, "config", "--file", path, "--no-includes", "-z", "--list")
		if exitCode(err) > 0 {
			return fmt.Errorf("%w: %w", gitfiles.ErrNoConfig, err)
		}
		for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if key, value, given := strings.Cut(item, "\n"); key != "" {
				if !given {
					value = noValue
				}
				settings = append(settings, gitfiles.Setting{Key: key, Value: value})
			}
		}
		return err
	})
	return settings, err
}

// noValue stands for the value of a key without one, which git takes for true.
const noValue = "true"

// Edit returns a config file in which the keys have the values, and no others.
func (t configTool) Edit(ctx context.Context, data []byte, values []gitfiles.Setting, keys []string) (edited []byte, err error) {
	err = t.inScratch(data, func(path string) error {
		for _, key := range keys {
			// 5: the file does not have it.
			if _, err := t.git.run(ctx, "config", "--file", path, "--unset-all", key); err != nil && exitCode(err) != 5 {
				return err
			}
		}
		for _, s := range values {
			if _, err := t.git.run(ctx, "config", "--file", path, "--add", s.Key, s.Value); err != nil {
				return err
			}
		}
		edited, err = os.ReadFile(path)
		return err
	})
	return edited, err
}

// inScratch calls use with a file that has the data.
func (t configTool) inScratch(data []byte, use func(path string) error) (err error) {
	dir, err := os.MkdirTemp(t.git.dir, scratchPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	return use(path)
}
