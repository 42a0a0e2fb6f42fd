package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mulligan/internal/durable"
)

// PutBackIgnored makes the given paths what a list that WatchIgnored stored has them to be; those that it
// lacks are removed. The program that a link on a check's way leads to is put back too.
func (w *Workspace) PutBackIgnored(ctx context.Context, to string, paths []string) (err error) {
	w.lock()
	defer w.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	list, err := w.readWatchList(ctx, to)
	if err != nil {
		return err
	}
	had := make(map[string]watchedEntry, len(list.Entries))
	for _, e := range list.Entries {
		had[e.Path] = e
	}
	root, err := os.OpenRoot(w.root.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	p := &checkoutWriter{root: root, blobs: w.snapshots, log: w.log}
	for _, name := range paths {
		e, known := had[name]
		w.logKept(name)
		switch {
		case filepath.IsAbs(name):
			err = w.putBackOutside(ctx, name, e, known)
		case !known:
			err = p.removeFile(name)
		default:
			err = w.putBackEntry(ctx, p, e)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// logKept tells a person where the content is that a path had before it is put back.
func (w *Workspace) logKept(name string) {
	full := name
	if !filepath.IsAbs(name) {
		full = w.fullPath(name)
	}
	var mode uint32
	var id string
	var size int64
	if ok, err := w.readWatched(full, &mode, &id, &size); ok && err == nil && id != "" {
		w.log(fmt.Sprintf("%s is put back; what was there: git --git-dir=%s cat-file blob %s", quotePath(name), w.store.dir, id))
	}
}

// putBackEntry writes an entry, and the program that it leads to.
func (w *Workspace) putBackEntry(ctx context.Context, p *checkoutWriter, e watchedEntry) error {
	if e.ID == "" {
		return nil // it was too large to be kept
	}
	if err := p.writePath(ctx, difference{path: e.Path, to: &entry{mode: e.Mode, id: e.ID}}); err != nil {
		return err
	}
	if e.Real == "" || e.RealID == "" || e.Real == e.Path {
		return nil
	}
	same, err := w.holdsEntry(ctx, e.Real, entry{mode: e.RealMode, id: e.RealID})
	if same && err == nil {
		return nil
	}
	return p.writePath(ctx, difference{path: e.Real, to: &entry{mode: e.RealMode, id: e.RealID}})
}

// putBackOutside writes a file of the user's, or removes it if there was none.
func (w *Workspace) putBackOutside(ctx context.Context, full string, e watchedEntry, known bool) error {
	if !known {
		return os.Remove(full)
	}
	if e.ID == "" {
		return nil
	}
	data, err := w.snapshots.readObject(ctx, e.ID)
	if err != nil {
		return err
	}
	if e.Mode == modeLink {
		if err := os.RemoveAll(full); err != nil {
			return err
		}
		return os.Symlink(string(data), full)
	}
	if st, err := os.Lstat(full); err == nil && !st.Mode().IsRegular() {
		if err := os.RemoveAll(full); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		return err
	}
	return durable.ReplaceFile(full, data)
}
