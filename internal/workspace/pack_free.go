package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan/internal/durable"
)

// maxPacks is how many packs stay beside each other. Every reader of the repository looks through all of them.
const maxPacks = 20

// freeUnneeded frees the objects that no ref of the snapshot repository needs and that were last used before the given
// age: a running session may be about to label younger ones.
func freeUnneeded(ctx context.Context, g git, dir string, age time.Duration) error {
	if _, err := g.run(ctx, "prune", fmt.Sprintf("--expire=%d.hours.ago", int(age.Hours()))); err != nil {
		return err
	}
	f := packFreeing{git: g, dir: filepath.Join(dir, filepath.FromSlash(packFolder)), before: time.Now().Add(-age)}
	return f.run(ctx)
}

// A packFreeing is one run of freeUnneeded over the packs.
type packFreeing struct {
	git    git
	dir    string // of the packs
	before time.Time
	needed map[oid]bool
}

// An oldPack is a pack that no process has used for long.
type oldPack struct {
	*packIndex
	used   time.Time // when it was last
	needed []oid     // of its objects
}

// run removes the old packs of which nothing is needed, and makes one of those that are mostly not needed, or of all if
// there are many.
func (f *packFreeing) run(ctx context.Context) error {
	packs := f.listOld()
	if len(packs) == 0 {
		return nil
	}
	if err := f.readNeeded(ctx); err != nil {
		return err
	}
	var drop, join []oldPack
	for _, p := range packs {
		for i := range p.count() {
			if f.needed[p.at(i)] {
				p.needed = append(p.needed, p.at(i))
			}
		}
		switch {
		case len(p.needed) == 0:
			drop = append(drop, p)
		case len(packs) > maxPacks || 2*len(p.needed) < p.count():
			join = append(join, p)
		}
	}
	made, err := f.joinPacks(ctx, join)
	if err != nil {
		return err
	}
	for _, p := range append(drop, join...) {
		if filepath.Base(p.path) != made {
			err = errors.Join(err, f.removePack(p))
		}
	}
	return err
}

// listOld returns the packs that were last used before the given time. Packs that mulligan cannot read stay, and those
// that a person has marked with a .keep file.
func (f *packFreeing) listOld() []oldPack {
	var old []oldPack
	for _, path := range listIndexes(f.dir) {
		stem := strings.TrimSuffix(path, indexSuffix)
		st, err := os.Lstat(stem + packSuffix)
		if err != nil || !st.ModTime().Before(f.before) {
			continue
		}
		if _, err := os.Lstat(stem + ".keep"); err == nil {
			continue
		}
		if x, err := readPackIndex(path); err == nil {
			old = append(old, oldPack{packIndex: x, used: st.ModTime()})
		}
	}
	return old
}

// readNeeded asks git for all objects that refs need.
func (f *packFreeing) readNeeded(ctx context.Context) error {
	f.needed = make(map[oid]bool)
	readErr, err := f.git.stream(ctx, func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			id, err := parseOID(lines.Text())
			if err != nil {
				return err
			}
			f.needed[id] = true
		}
		return lines.Err()
	}, "rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--all")
	if err := errors.Join(readErr, err); err != nil {
		return fmt.Errorf("cannot list the objects of the snapshots: %w", err)
	}
	return nil
}

// joinPacks has git make one pack of what is needed of the packs, and returns its name, or "" if there are no packs. It
// is on disk before they are removed.
func (f *packFreeing) joinPacks(ctx context.Context, packs []oldPack) (string, error) {
	if len(packs) == 0 {
		return "", nil
	}
	var ids bytes.Buffer
	for _, p := range packs {
		for _, id := range p.needed {
			fmt.Fprintln(&ids, id)
		}
	}
	// Without a window git copies objects as they are, and looks for no deltas.
	out, err := f.git.runWithInput(ctx, ids.Bytes(), "pack-objects", "-q", "--window=0", filepath.Join(f.dir, "pack"))
	if err != nil {
		return "", fmt.Errorf("cannot join packs: %w", err)
	}
	return "pack-" + strings.TrimSpace(string(out)) + packSuffix, durable.SyncDir(f.dir)
}

// removePack removes a pack, unless a process has used it since it was listed. The index goes first: without it the rest
// is nothing to git.
func (f *packFreeing) removePack(p oldPack) error {
	st, err := os.Lstat(p.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.ModTime().Equal(p.used) {
		return nil
	}
	stem := strings.TrimSuffix(p.path, packSuffix)
	for _, suffix := range []string{indexSuffix, ".rev", ".bitmap", packSuffix} {
		if failed := os.Remove(stem + suffix); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
