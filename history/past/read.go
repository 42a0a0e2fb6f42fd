package past

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mulligan/history"
)

// A Ref is a session that the book has a record of.
type Ref struct {
	ID       string
	Events   int64     // that the record is made of
	Time     time.Time // when the session ended
	Pipeline string    // or the loop's name

	volume volume
	entry  entry
}

// List returns the sessions of repositories, of each the oldest first.
func (b *Book) List(ctx context.Context, roots ...string) ([]Ref, error) {
	var list []Ref
	for _, root := range roots {
		refs, err := b.volumeOf(root).list(ctx)
		if err != nil {
			return list, err
		}
		list = append(list, refs...)
	}
	return list, nil
}

// ListAll returns the sessions of all repositories.
func (b *Book) ListAll(ctx context.Context) ([]Ref, error) {
	names, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []Ref
	for _, d := range names {
		if !d.IsDir() {
			continue
		}
		refs, err := volume{book: b, dir: filepath.Join(b.dir, d.Name())}.list(ctx)
		if err != nil {
			return list, err
		}
		list = append(list, refs...)
	}
	return list, nil
}

// list returns the sessions of a volume. It makes no folder where there is none.
func (v volume) list(ctx context.Context) ([]Ref, error) {
	if _, err := os.Stat(v.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	known, err := v.loadIndex(ctx)
	if err != nil {
		return nil, err
	}
	var list []Ref
	for _, e := range sortEntries(known, func(entry) bool { return true }) {
		list = append(list, Ref{ID: e.ID, Events: e.Events, Time: e.when(), Pipeline: e.Pipeline, volume: v, entry: e})
	}
	return list, nil
}

// Read returns the records of sessions by their ids. One that cannot be read is missing: the book warns,
// puts its file aside, and the next catch-up brings the record back.
func (b *Book) Read(ctx context.Context, refs []Ref) map[string]history.Session {
	readers := map[string]*recordReader{}
	records := make(map[string]history.Session, len(refs))
	for _, ref := range refs {
		reader := readers[ref.volume.dir]
		if reader == nil {
			reader = ref.volume.newReader()
			defer reader.close()
			readers[ref.volume.dir] = reader
		}
		r, err := reader.read(ref.entry)
		if err != nil {
			ref.volume.repair(ctx, err)
			continue
		}
		records[ref.ID] = r
	}
	return records
}

// repair makes the index again after a record could not be read, and puts aside what is damaged.
func (v volume) repair(ctx context.Context, why error) {
	v.book.say("the history %v", why)
	if errors.Is(why, errNewer) {
		return
	}
	unlock, err := v.lock(ctx, lockPatience)
	if err != nil {
		v.book.say("the history cannot be repaired: %v", err)
		return
	}
	defer unlock()
	if _, err := v.rebuildIndex(); err != nil {
		v.book.say("the history cannot be repaired: %v", err)
	}
}
