// Package past keeps the records of past sessions in files, so that a question about them is answered without the
// journal's engine. A repository has one file, with its newest records: a line that tells the version, then a line for
// each session. It is read whole and replaced whole, so that a reader needs no lock. All that it has can be made again
// from the journal: a file that cannot be read is put aside with what is lost, and a catch-up brings that back.
package past

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mulligan"
	"mulligan/history"
	"mulligan/internal/lockfile"
)

// maxRecords is how many sessions of a repository are kept: those that ended last.
const maxRecords = 2000

// lockPatience is how long a writer waits for another.
const lockPatience = 20 * time.Second

// A Book is the history of all repositories. Its methods are safe for concurrent use, also by several
// processes.
type Book struct {
	dir    string
	warn   func(string)
	mu     sync.Mutex
	warned map[string]bool
}

var _ mulligan.Pasts = (*Book)(nil).Past

// New returns the book in a folder, which need not exist. warn is called with each problem once.
func New(dir string, warn func(string)) *Book {
	return &Book{dir: dir, warn: warn, warned: map[string]bool{}}
}

// say warns of a problem, unless it has done so already.
func (b *Book) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	b.mu.Lock()
	known := b.warned[text]
	b.warned[text] = true
	b.mu.Unlock()
	if !known && b.warn != nil {
		b.warn(text)
	}
}

// pathOf returns the file of a repository, by a name that a person recognises and no other repository has.
func (b *Book) pathOf(root string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, filepath.Base(root))
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(b.dir, strings.TrimLeft(name[:min(len(name), 60)], ".")+"-"+hex.EncodeToString(sum[:6])+".jsonl")
}

// Records returns the records of repositories, of each the oldest first. Of a damaged file they are those that are
// left of it.
func (b *Book) Records(ctx context.Context, roots ...string) ([]history.Session, error) {
	var paths []string
	for _, root := range roots {
		paths = append(paths, b.pathOf(root))
	}
	return b.readAll(ctx, paths)
}

// AllRecords returns the records of all repositories, as Records does.
func (b *Book) AllRecords(ctx context.Context) ([]history.Session, error) {
	names, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, d := range names {
		if filepath.Ext(d.Name()) == ".jsonl" {
			paths = append(paths, filepath.Join(b.dir, d.Name()))
		}
	}
	return b.readAll(ctx, paths)
}

func (b *Book) readAll(ctx context.Context, paths []string) ([]history.Session, error) {
	var all []history.Session
	var faults []error
	for _, path := range paths {
		records, err := b.load(ctx, path)
		all = append(all, records...)
		faults = append(faults, err)
	}
	return all, errors.Join(faults...)
}

// load returns the records of a file, after it has mended one that is damaged.
func (b *Book) load(ctx context.Context, path string) ([]history.Session, error) {
	records, err := readRecords(path)
	if !isDamage(err) {
		return records, err
	}
	if err := b.add(ctx, path, nil); err != nil && !errors.Is(err, ErrLost) {
		return records, err
	}
	return readRecords(path)
}

// ErrLost means that records were stored, but others are gone with a damaged file: a catch-up brings them back.
var ErrLost = errors.New("records were lost with a damaged file")

// Add stores records of sessions that have ended. One that is known already in this or a later version is
// not stored again. All of them are stored, or the error tells what was not; after ErrLost they are.
func (b *Book) Add(ctx context.Context, records ...history.Session) error {
	byRoot := map[string][]history.Session{}
	for _, r := range records {
		byRoot[r.Root] = append(byRoot[r.Root], r)
	}
	var faults []error
	for root, records := range byRoot {
		faults = append(faults, b.add(ctx, b.pathOf(root), records))
	}
	return errors.Join(faults...)
}

// add merges records into a file. One that is damaged is put aside, what is left of it is kept, and the error is
// ErrLost.
func (b *Book) add(ctx context.Context, path string, added []history.Session) error {
	unlock, err := b.lock(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	known, err := readRecords(path)
	lost := isDamage(err)
	if lost {
		err = b.setAside(path, errors.Unwrap(err))
	}
	if err != nil {
		return err
	}
	merged, changed := mergeRecords(known, added)
	if changed || lost {
		err = writeRecords(path, merged)
	}
	if err == nil && lost {
		err = ErrLost
	}
	return err
}

// mergeRecords adds records to known ones, in the place of older ones of the same sessions, and returns the newest by
// their sessions' ends.
func mergeRecords(known, added []history.Session) (merged []history.Session, changed bool) {
	at := map[string]int{}
	for i, r := range known {
		at[r.ID] = i
	}
	for _, r := range added {
		i, ok := at[r.ID]
		switch {
		case !ok:
			at[r.ID] = len(known)
			known = append(known, r)
		case known[i].Events < r.Events:
			known[i] = r
		default:
			continue
		}
		changed = true
	}
	slices.SortFunc(known, func(a, b history.Session) int {
		return cmp.Or(a.Time().Compare(b.Time()), strings.Compare(a.ID, b.ID))
	})
	return known[max(0, len(known)-maxRecords):], changed
}

// lock takes the lock of a file, and makes its folder.
func (b *Book) lock(ctx context.Context, path string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, fmt.Errorf("another process has not let go of it for %s", lockPatience))
	defer cancel()
	lock := strings.TrimSuffix(path, ".jsonl") + ".lock"
	if err := b.clearWay(lock); err != nil {
		return nil, err
	}
	held, err := lockfile.LockWait(ctx, lock)
	if err != nil {
		return nil, fmt.Errorf("lock the history: %w", err)
	}
	return func() { held.Unlock() }, nil
}
