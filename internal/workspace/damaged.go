package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"mulligan"
)

// A damagedError means that an object of a tree which was just written is not what its id says, or cannot be read.
type damagedError struct {
	id   string
	path string // of the file or link; "." of a folder
	err  error
}

func (e *damagedError) Error() string { return e.err.Error() }

func (e *damagedError) Unwrap() error { return e.err }

// asDamaged returns a *damagedError if err is about the object of a path, else err.
func asDamaged(path string, err error) error {
	if forged, ok := errors.AsType[*ForgedError](err); ok {
		return &damagedError{forged.ID, path, err}
	}
	if missing, ok := errors.AsType[*MissingError](err); ok {
		return &damagedError{missing.ID, path, err}
	}
	return err
}

// asRefused returns a *mulligan.RefusedError if err is about an object that could not be put aside, else err.
func asRefused(err error) error {
	if d, ok := errors.AsType[*damagedError](err); ok {
		return &mulligan.RefusedError{Found: []mulligan.Unheld{{Kind: mulligan.UnheldObject, Path: d.path, ID: d.id}}}
	}
	return err
}

// dropDamaged puts aside what is behind a failure to write a tree: the file of a damaged object, or what is in the
// place of the folders of objects. git then writes the object again. It returns what it has put aside.
func (w *Workspace) dropDamaged(err error) ([]mulligan.GitChange, error) {
	d, ok := errors.AsType[*damagedError](err)
	if !ok {
		if exitCode(err) > 0 {
			return w.dropOddObjectFolders()
		}
		return nil, nil
	}
	name := path.Join("objects", d.id[:2], d.id[2:])
	if _, err := os.Lstat(filepath.Join(w.root.common, filepath.FromSlash(name))); err != nil {
		return nil, nil // it is in a pack
	}
	change, err := w.dropObject(name, mulligan.GitForged)
	return []mulligan.GitChange{change}, err
}

// dropOddObjectFolders puts aside what is no folder where git has a folder of objects, and opens those that we may
// not write.
func (w *Workspace) dropOddObjectFolders() (dropped []mulligan.GitChange, err error) {
	for n := range 256 {
		name := fmt.Sprintf("objects/%02x", n)
		full := filepath.Join(w.root.common, filepath.FromSlash(name))
		st, err := os.Lstat(full)
		switch {
		case err != nil || st.IsDir() && st.Mode()&0o700 == 0o700:
			continue
		case st.Mode()&fs.ModeSymlink != 0:
			if to, err := os.Stat(full); err == nil && to.IsDir() {
				continue // tools share objects so
			}
		case st.IsDir():
			if err := os.Chmod(full, st.Mode()|0o700); err != nil {
				continue // it is another user's
			}
			dropped = append(dropped, mulligan.GitChange{Kind: mulligan.GitOddFile, Name: ".git/" + name, To: fmt.Sprintf("a folder of mode %o", st.Mode().Perm())})
			continue
		}
		change, err := w.dropObject(name, mulligan.GitForged)
		if err != nil {
			return dropped, err
		}
		dropped = append(dropped, change)
	}
	return dropped, nil
}

// dropObject removes a path of the repository's git folder, and keeps a copy.
func (w *Workspace) dropObject(name string, kind mulligan.GitChangeKind) (mulligan.GitChange, error) {
	session := ""
	if m := w.gitGuard.memory; m != nil {
		session = m.Session
	}
	full := filepath.Join(w.root.common, filepath.FromSlash(name))
	kept, err := newKeeper(w.store.dir, cmp.Or(session, "start")).Keep(w.root.common, full)
	if err == nil {
		err = os.RemoveAll(full)
	}
	w.objects.close() // it may have the object open
	w.log(fmt.Sprintf(".git/%s was not what its name says, or could not be read; it is removed, and a copy is in %s", name, kept))
	return mulligan.GitChange{Kind: kind, Name: ".git/" + name, Kept: kept}, err
}
