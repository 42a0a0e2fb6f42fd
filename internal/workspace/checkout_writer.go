package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"syscall"
)

// A checkoutWriter writes and deletes files below one folder. It never leaves the folder: where a link
// has replaced a folder, it removes the link and does not write through it.
type checkoutWriter struct {
	root        *os.Root
	blobs       *objectReader
	log         func(string)
	temporaries int // temporary files so far, for their names
}

// removeFile deletes a file, and the folders that it leaves empty.
func (p *checkoutWriter) removeFile(name string) error {
	if ok, err := p.isReachable(name); err != nil || !ok {
		return err
	}
	st, err := p.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.IsDir() {
		// A module, of which a snapshot has the commit's id only.
		p.log(fmt.Sprintf("%s is a repository of its own and stays where it is", name))
		return nil
	}
	if err := p.retryWritable(name, func() error { return p.root.Remove(name) }); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if p.root.Remove(dir) != nil {
			break // not empty
		}
	}
	return nil
}

// isReachable reports whether all folders above a name exist and are no links.
func (p *checkoutWriter) isReachable(name string) (bool, error) {
	for _, dir := range parentFolders(name) {
		st, err := p.root.Lstat(dir)
		if isGone(err) || err == nil && !st.IsDir() {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// parentFolders returns the folders that lead to a name, from the top.
func parentFolders(name string) []string {
	var dirs []string
	for i := range len(name) {
		if name[i] == '/' {
			dirs = append(dirs, name[:i])
		}
	}
	return dirs
}

// writePath makes a path what d.to says.
func (p *checkoutWriter) writePath(ctx context.Context, d difference) error {
	if err := p.clearPath(d); err != nil {
		return err
	}
	switch {
	case d.to.mode == modeModule:
		err := p.root.Mkdir(d.path, 0o777)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	case d.kind() == changeMode:
		return p.setExecutable(d.path, d.to.mode == modeExec)
	}
	temp := path.Join(path.Dir(d.path), ".mulligan-"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(p.temporaries))
	p.temporaries++
	return p.retryWritable(d.path, func() error {
		err := p.writeEntry(ctx, temp, *d.to)
		if err == nil {
			err = p.root.Rename(temp, d.path)
		}
		if err != nil {
			_ = p.root.Remove(temp) // the first error is returned
		}
		return err
	})
}

// clearPath makes the folders above a path, in the place of anything else there, and removes a folder at
// the path itself.
func (p *checkoutWriter) clearPath(d difference) error {
	for _, dir := range parentFolders(d.path) {
		st, err := p.root.Lstat(dir)
		if err == nil && st.IsDir() {
			continue
		}
		if err == nil {
			if err := p.retryWritable(dir, func() error { return p.root.Remove(dir) }); err != nil {
				return err
			}
		}
		if err := p.retryWritable(dir, func() error { return p.root.Mkdir(dir, 0o777) }); err != nil {
			return err
		}
	}
	st, err := p.root.Lstat(d.path)
	if err != nil || !st.IsDir() || d.to.mode == modeModule {
		return nil
	}
	// The files in it that snapshots keep are removed already.
	if err := p.root.Remove(d.path); err == nil {
		return nil
	}
	p.log(fmt.Sprintf("%s held only what git ignores or snapshots leave out, and gave way to the file that was there", d.path))
	return p.root.RemoveAll(d.path)
}

// writeEntry creates a file or a link with the content of an entry. Nothing may be at the name.
func (p *checkoutWriter) writeEntry(ctx context.Context, name string, e entry) error {
	if e.mode == modeLink {
		target, err := p.blobs.readObject(ctx, e.id)
		if err != nil {
			return err
		}
		return p.root.Symlink(string(target), name)
	}
	perm := os.FileMode(0o666)
	if e.mode == modeExec {
		perm = 0o777
	}
	f, err := p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	return errors.Join(p.blobs.copyObject(ctx, e.id, f), f.Close())
}

// setExecutable clears the executable bits of a file, or sets each where the file is readable.
func (p *checkoutWriter) setExecutable(name string, exec bool) error {
	st, err := p.root.Lstat(name)
	if err != nil {
		return err
	}
	perm := st.Mode().Perm() &^ 0o111
	if exec {
		perm |= 0o100 | perm&0o444>>2
	}
	return p.root.Chmod(name, perm)
}

// retryWritable calls do, and once more if the name's folder was read-only and could be made writable.
func (p *checkoutWriter) retryWritable(name string, do func() error) error {
	err := do()
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EPERM) {
		return err
	}
	dir := path.Dir(name)
	st, statErr := p.root.Lstat(dir)
	if statErr != nil || p.root.Chmod(dir, st.Mode().Perm()|0o700) != nil {
		return err
	}
	return do()
}
