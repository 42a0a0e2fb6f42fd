// Package past keeps the records of past sessions in files, so that a question about them is answered
// without the journal's engine. Everything in the files can be made again from the journal: a file that
// cannot be read is put aside, and the next catch-up makes it anew.
//
// Each repository has a folder:
//
//	0001.jsonl …          the records, a line each, in files of some megabytes that only grow. The last
//	                      line of a session is the one that counts
//	index.jsonl           where the record of each session is
//	pipelines/NAME.jsonl  what a decision asks about one pipeline or loop: how its last sessions went
//	                      step by step, and how often each strategy has worked
//	lock                  held while these are written
package past

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mulligan"
	"mulligan/history"
	"mulligan/internal/lockfile"
)

// formatVersion is that of all the files. It grows when an older mulligan would misunderstand a newer
// one's files.
const formatVersion = 1

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

// A volume is the history of one repository.
type volume struct {
	book *Book
	dir  string
}

// volumeOf returns the history of the repository in root.
func (b *Book) volumeOf(root string) volume {
	return volume{book: b, dir: filepath.Join(b.dir, fileName(filepath.Base(root), root))}
}

// fileName returns a name for a file that a person recognises, and that no other has.
func fileName(name, key string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	sum := sha256.Sum256([]byte(key))
	return strings.TrimLeft(safe[:min(len(safe), 60)], ".") + "-" + hex.EncodeToString(sum[:6])
}

func (v volume) indexPath() string { return filepath.Join(v.dir, "index.jsonl") }

// pipelinePath returns the path of what is known of a pipeline or a loop.
func (v volume) pipelinePath(name string) string {
	return filepath.Join(v.dir, "pipelines", fileName(name, name)+".jsonl")
}

// lock takes the volume's lock, and makes its folder.
func (v volume) lock(ctx context.Context, patience time.Duration) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("another process has not let go of it for %s", patience))
	defer cancel()
	if err := v.clearWay(); err != nil {
		return nil, err
	}
	held, err := lockfile.LockWait(ctx, filepath.Join(v.dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("lock the history: %w", err)
	}
	return func() { held.Unlock() }, nil
}

// Add stores records of sessions that have ended. One that is known already in this or a later version is
// not stored again. All of them are stored, or the error tells what was not.
func (b *Book) Add(ctx context.Context, records ...history.Session) error {
	byRoot := map[string][]history.Session{}
	var roots []string
	for _, r := range records {
		if byRoot[r.Root] == nil {
			roots = append(roots, r.Root)
		}
		byRoot[r.Root] = append(byRoot[r.Root], r)
	}
	for _, root := range roots {
		if err := b.volumeOf(root).add(ctx, byRoot[root], false); err != nil {
			return err
		}
	}
	return nil
}

// add stores records of the volume's repository. With look it looks every one up in the index first;
// without, one that another process stores at the same time may be stored twice, which costs its lines.
func (v volume) add(ctx context.Context, records []history.Session, look bool) error {
	unlock, err := v.lock(ctx, lockPatience)
	if err != nil {
		return err
	}
	defer unlock()
	if look {
		known, err := v.readIndex()
		if err != nil {
			return err
		}
		var lacking []history.Session
		for _, r := range records {
			if known[r.ID].Events < r.Events {
				lacking = append(lacking, r)
			}
		}
		records = lacking
	}
	if len(records) == 0 {
		return nil
	}
	if err := v.appendRecords(records); err != nil {
		return err
	}
	byPipeline := map[string][]history.Session{}
	for _, r := range records {
		byPipeline[r.Line()] = append(byPipeline[r.Line()], r)
	}
	for name, records := range byPipeline {
		if err := v.updatePipeline(name, records); err != nil {
			return err
		}
	}
	return nil
}

var _ mulligan.Pasts = (*Book)(nil).Past
