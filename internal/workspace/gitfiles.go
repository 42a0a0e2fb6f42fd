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
	stored []byte           // the memory as it is in its file
	open   bool             // something runs that may change git's files
	refs   *gitfiles.RefReader
	// recovered is what was put back after a killed process, or one that failed, and not reported yet.
	recovered []mulligan.GitChange
}

// memoryFile returns the path of the memory of a checkout's git files.
func memoryFile(snapshots, dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(snapshots, gitFilesFolder, hex.EncodeToString(sum[:8])+".json")
}

// recoverGitFiles puts back the git files of a checkout whose session was killed, before any git reads them. It
// does so only for a process that holds the workspace's lock.
func recoverGitFiles(ctx context.Context, opt Options) ([]mulligan.GitChange, error) {
	if opt.Hold == nil {
		return nil, nil
	}
	snapshots, err := filepath.Abs(opt.Snapshots)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(opt.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, nil // Find tells why there is no workspace
	}
	path := memoryFile(snapshots, dir)
	changes, err := recoverMemory(ctx, path, snapshots, dir)
	if err != nil {
		return nil, err
	}
	return passOnRecovered(path+recoveredSuffix, changes, opt.Session != "")
}

// recoverMemory puts back what is remembered in a file, and forgets it.
func recoverMemory(ctx context.Context, path, snapshots, dir string) ([]mulligan.GitChange, error) {
	m := gitfiles.Load(path)
	if m == nil || m.Repo.Dir != dir {
		return nil, gitfiles.Forget(path)
	}
	if _, err := os.Lstat(m.Repo.Common); err != nil {
		return nil, gitfiles.Forget(path) // the repository itself is elsewhere now
	}
	changes, err := m.PutBack(ctx, newKeeper(snapshots, m.Session), newConfigTool(snapshots, new(atomic.Int64)))
	if err != nil {
		return nil, err
	}
	if linked, err := m.UnlinkBranch(m.Branch); err != nil {
		return nil, err
	} else if linked != nil {
		changes = append(changes, *linked)
	}
	return changes, gitfiles.Forget(path)
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

// RememberGit remembers the repository's own git files and refs as they are, in memory and in the state folder.
// It returns what was put back because a killed process, or a turn that failed in the middle, had left it.
func (w *Workspace) RememberGit(ctx context.Context, session string) ([]mulligan.GitChange, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := &w.gitGuard
	if g.open {
		changes, err := w.putBackGit(ctx, mulligan.GitCheck{Session: session})
		if err != nil {
			return nil, err
		}
		g.recovered = append(g.recovered, changes...)
	}
	if err := w.lookAtGit(ctx, session); err != nil {
		return nil, err
	}
	g.open = true
	changes := g.recovered
	g.recovered = nil
	return changes, nil
}

// lookAtGit makes what is there now what is remembered. It must be called with w.mu held.
func (w *Workspace) lookAtGit(ctx context.Context, session string) (err error) {
	g := &w.gitGuard
	m := gitfiles.Look(gitfiles.Repo{Dir: w.root.Dir, Git: w.root.git, Common: w.root.common}, session)
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
	g.stored, err = m.Store(memoryFile(w.store.dir, w.root.Dir), g.stored)
	return err
}

// RestoreGit compares the repository's own git files and refs with what is remembered. It puts back what starts
// programs or hides files, and what takes commits from branches, and returns that and what else it noticed. What it
// leaves is remembered from here on. Before the first RememberGit it does nothing.
func (w *Workspace) RestoreGit(ctx context.Context, c mulligan.GitCheck) ([]mulligan.GitChange, error) {
	w.mu.Lock()
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
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gitGuard = gitGuard{refs: w.gitGuard.refs}
	return gitfiles.Forget(memoryFile(w.store.dir, w.root.Dir))
}

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
