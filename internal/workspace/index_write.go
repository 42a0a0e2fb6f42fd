package workspace

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mulligan/internal/gitfolder"
	"mulligan/internal/regular"
)

// writePlainIndex makes the user's index that of a commit, without touching files and without git, and reports whether it
// has: entries of files that the last walk found to be what the commit has are marked as unchanged. It leaves to git an
// index with anything unusual, and files that changed since that walk.
func (w *Workspace) writePlainIndex(ctx context.Context, commit string) bool {
	if commit == "" || w.idLen != sha1Hex || !w.scan.known || !w.writesPlainFiles() || !hasPlainIndex(w.git.folder.Frozen().Config) || w.convertsFiles() {
		return false
	}
	// As before a git that reads the tree: a pipe in the place of a file of rules would hold up the person's next one.
	if w.git.checkRules() != nil {
		return false
	}
	c, err := w.readCommit(ctx, commit)
	if err != nil {
		return false
	}
	file := filepath.Join(w.root.git, "index")
	lock, err := os.OpenFile(file+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return false
	}
	err = w.fillIndex(ctx, lock, file, c.tree)
	if err := errors.Join(err, lock.Close()); err != nil {
		_ = os.Remove(lock.Name()) // git reports it if it is still there
		return false
	}
	w.passPoint("index")
	return os.Rename(lock.Name(), file) == nil
}

// passPoint calls the Before of the options with the name of what is about to be changed without git.
func (w *Workspace) passPoint(name string) {
	if w.git.before != nil {
		w.git.before(name)
	}
}

// hasPlainIndex reports whether the config lets git write the index as it always does, and take files for what they are.
func hasPlainIndex(config gitfolder.Config) bool {
	for _, e := range config {
		if strings.HasPrefix(e.Key, "index.") {
			return false
		}
	}
	return config.Bool("core.filemode", true) && config.Bool("core.symlinks", true) && !config.Bool("core.sparsecheckout", false)
}

// fillIndex writes the index of a tree to the lock of the present one.
func (w *Workspace) fillIndex(ctx context.Context, lock *os.File, file, tree string) error {
	was, err := lstat(file)
	if err != nil {
		return err
	}
	old, err := readIndexFile(file, w.idLen/2)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(old.lines, func(l indexLine) bool { return l.flags&^flagLength != 0 }) {
		return errOddIndex
	}
	if old.version == 4 || slices.Contains(old.extensions, "UNTR") || slices.Contains(old.extensions, "REUC") {
		return errOddIndex
	}
	b := indexBuilder{read: w.readPlainTree, old: old.lines}
	cached, err := b.addFolder(ctx, "", tree, old.tree)
	if err != nil {
		return err
	}
	young := time.Now().Add(-2 * time.Second).Unix()
	var oldest time.Time
	for i := range b.lines {
		if err := w.refreshLine(&b.lines[i], was); err != nil {
			return err
		}
		if at := b.lines[i].modTime(); at.Unix() >= young && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	if _, err := lock.Write(encodeIndex(b.lines, cached)); err != nil {
		return err
	}
	if oldest.IsZero() {
		return nil
	}
	// A file that changes twice within a second may not show that. Git looks at the content of those that are not older
	// than the index.
	return os.Chtimes(lock.Name(), oldest, oldest)
}

// modTime returns when the entry's file was changed last.
func (l indexLine) modTime() time.Time {
	return time.Unix(int64(binary.BigEndian.Uint32(l.stat[8:])), int64(binary.BigEndian.Uint32(l.stat[12:])))
}

// refreshLine marks an entry as unchanged if its file is what the entry has. was is the old index. The error is
// errOddIndex if that is not known.
func (w *Workspace) refreshLine(l *indexLine, was stat) error {
	st, now, err := lstatForIndex(w.fullPath(l.path), l.mode())
	if isGone(err) || err == nil && st.isFolder() {
		return nil // it is changed
	}
	if err != nil {
		return err
	}
	if now == l.stat && st.mtime/int64(time.Second) < was.mtime/int64(time.Second) {
		return nil
	}
	id, mode, err := w.identifyLine(l.path, st)
	switch {
	case err != nil:
		return err
	case id == l.id && mode == l.mode():
		l.stat = now
	case now == l.stat:
		return errOddIndex // it changed without a change of its times
	}
	return nil
}

// identifyLine returns the id and the mode of a file that has this stat: as the last walk found it, or else as it is now.
// The error is errOddIndex if that cannot be told.
func (w *Workspace) identifyLine(name string, st stat) (id string, mode uint32, err error) {
	n := w.scan.root.findNode(name)
	if n != nil && n.name == path.Base(name) && n.stat == st && (n.kind == plain || n.kind == link) {
		return n.id.String(), n.mode, nil
	}
	var data []byte
	switch full := w.fullPath(name); {
	case st.isLink():
		var target string
		target, err = os.Readlink(full)
		data, mode = []byte(target), modeLink
	case st.isRegular() && st.isExec():
		data, err = regular.ReadFile(full, inMemory)
		mode = modeExec
	case st.isRegular():
		data, err = regular.ReadFile(full, inMemory)
		mode = modeFile
	}
	if now, failed := lstat(w.fullPath(name)); err != nil || failed != nil || now != st || mode == 0 {
		return "", 0, errOddIndex
	}
	return objectID("blob", data).String(), mode, nil
}
