package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mulligan/internal/durable"
	"mulligan/internal/lockfile"
)

const (
	// ThinAfter is how long a session that is over keeps all of its snapshots after the last of them.
	ThinAfter = 14 * 24 * time.Hour
	// thinnedExpiry is the age from which objects that no snapshot has are freed. What thinning drops is older, unless a
	// session has used it since (see freshenAfter).
	thinnedExpiry = 7 * 24 * time.Hour
	// thinnedFolder, in the snapshot repository, has a file for each thinned session.
	thinnedFolder = "thinned"
	// unfreedFile, in thinnedFolder, is there while the objects of dropped snapshots are not freed.
	unfreedFile = "unfreed.lock"
	// thinningLock, in thinnedFolder, is held by the process that thins.
	thinningLock = "thinning.lock"
	// neededRefs is the prefix of the refs ("…/SESSION/TREE") that keep trees of a thinned session for a later run of it.
	neededRefs = "refs/needed"
)

// Thinned tells which of a session's snapshots were thinned out, and when the last of them was.
type Thinned struct {
	Time  time.Time `json:"time"`
	Names []string  `json:"names"`
}

// thinnable matches the names of the snapshots that sessions take of their own work as they go. All others stay: what a
// session left, what was put aside, and what has a person's files.
var thinnable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+(-.*)?|turn-\d+(-.*)?|delivery-.*)$`) })

// ListThinnable returns the sessions that have a snapshot to thin out and none that was taken after before. It looks at
// the names and times of files only.
func ListThinnable(dir string, before time.Time) ([]string, error) {
	root := filepath.Join(dir, filepath.FromSlash(snapshotRefs))
	sessions, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []string
	for _, s := range sessions {
		labels, failed := os.ReadDir(filepath.Join(root, s.Name()))
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			return nil, failed
		}
		if hasThinnable(labels) && isAllBefore(labels, before) {
			all = append(all, s.Name())
		}
	}
	return all, err
}

func hasThinnable(labels []fs.DirEntry) bool {
	return slices.ContainsFunc(labels, func(l fs.DirEntry) bool { return thinnable().MatchString(l.Name()) })
}

// isAllBefore reports whether every file is older. A file that cannot be looked at counts as new.
func isAllBefore(files []fs.DirEntry, before time.Time) bool {
	return !slices.ContainsFunc(files, func(f fs.DirEntry) bool {
		info, err := f.Info()
		return err != nil || !info.ModTime().Before(before)
	})
}

// A Thinner thins the snapshots of sessions that are over. One process at a time has it.
type Thinner struct {
	dir  string
	git  git
	lock *lockfile.File
}

// NewThinner returns the thinner of a snapshot repository. If another process has it, the error is a *lockfile.BusyError.
func NewThinner(dir string) (*Thinner, error) {
	lock, err := lockfile.Lock(filepath.Join(dir, thinnedFolder, thinningLock))
	if err != nil {
		return nil, err
	}
	return &Thinner{dir: dir, git: newSnapshotGit(dir, new(atomic.Int64)), lock: lock}, nil
}

// Close lets other processes thin.
func (t *Thinner) Close() error { return t.lock.Unlock() }

// Thin drops the session's snapshots of its own work, but for the trees that are needed. The caller must see to it that
// no process works on the session. Free frees what the snapshots held.
func (t *Thinner) Thin(ctx context.Context, session string, needed []string, now time.Time) error {
	all, err := listSnapshots(ctx, t.git, path.Join(snapshotRefs, session))
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(s Snapshot) bool { return !thinnable().MatchString(path.Base(s.Label)) })
	if len(all) == 0 {
		return nil
	}
	if err := t.keepTrees(ctx, session, needed); err != nil {
		return err
	}
	if err := t.note(session, all, now); err != nil {
		return err
	}
	var drop bytes.Buffer
	for _, s := range all {
		fmt.Fprintf(&drop, "delete %s\n", path.Join(snapshotRefs, s.Label))
	}
	if _, err := t.git.runWithInput(ctx, drop.Bytes(), "update-ref", "--stdin"); err != nil {
		return fmt.Errorf("cannot thin the snapshots of session %s: %w", session, err)
	}
	return nil
}

// keepTrees keeps trees of a session under refs that are no snapshots' labels, as far as the repository has them.
func (t *Thinner) keepTrees(ctx context.Context, session string, trees []string) error {
	out, err := t.git.runWithInput(ctx, []byte(strings.Join(trees, "\n")+"\n"), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return fmt.Errorf("cannot look for the trees of session %s: %w", session, err)
	}
	var keep bytes.Buffer
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutSuffix(strings.TrimSuffix(line, "\n"), " tree"); ok {
			fmt.Fprintf(&keep, "update %s %s\n", path.Join(neededRefs, session, id), id)
		}
	}
	if _, err := t.git.runWithInput(ctx, keep.Bytes(), "update-ref", "--stdin"); err != nil {
		return fmt.Errorf("cannot keep the trees of session %s: %w", session, err)
	}
	return nil
}

// note stores which snapshots are thinned out, before they are, and that there will be something to free.
func (t *Thinner) note(session string, dropped []Snapshot, now time.Time) error {
	thinned, err := ReadThinned(t.dir, session)
	if err != nil {
		return err
	}
	thinned.Time = now
	for _, s := range dropped {
		if name := path.Base(s.Label); !slices.Contains(thinned.Names, name) {
			thinned.Names = append(thinned.Names, name)
		}
	}
	data, err := json.Marshal(thinned)
	if err != nil {
		return err
	}
	if err := durable.ReplaceFile(filepath.Join(t.dir, thinnedFolder, unfreedFile), nil); err != nil {
		return err
	}
	return durable.ReplaceFile(filepath.Join(t.dir, thinnedFolder, session), data)
}

// Free frees the room of what was thinned out, also by a process that could not come to it.
func (t *Thinner) Free(ctx context.Context) error {
	if !HasUnfreed(t.dir) {
		return nil
	}
	if err := freeUnneeded(ctx, t.git, t.dir, thinnedExpiry); err != nil {
		return fmt.Errorf("cannot free what thinned snapshots held: %w", err)
	}
	return os.Remove(filepath.Join(t.dir, thinnedFolder, unfreedFile))
}

// HasUnfreed reports whether there is room to be freed that thinned snapshots had.
func HasUnfreed(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, thinnedFolder, unfreedFile))
	return err == nil
}

// ReadThinned returns what was thinned out of a session's snapshots. Names is empty if nothing was.
func ReadThinned(dir, session string) (t Thinned, err error) {
	data, err := os.ReadFile(filepath.Join(dir, thinnedFolder, session))
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	return t, err
}

// forgetThinned removes what thinning keeps of a session, and adds the refs that are to be deleted to drop.
func forgetThinned(ctx context.Context, g git, dir, session string, drop *bytes.Buffer) error {
	if err := os.RemoveAll(filepath.Join(dir, thinnedFolder, session)); err != nil {
		return err
	}
	refs, err := g.run(ctx, "for-each-ref", "--format=delete %(refname)", path.Join(neededRefs, session))
	if err != nil {
		return fmt.Errorf("cannot list what thinning has kept of session %s: %w", session, err)
	}
	drop.Write(refs)
	return nil
}
