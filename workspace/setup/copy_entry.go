package setup

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A place is where one thing is copied from and to: a name in two open folders.
type place struct {
	from, into *os.Root
	name       string
	path       string // relative to the roots
}

// copyEntry copies a file, a link or a folder with all that is in it.
func (c *copier) copyEntry(p place) error {
	info, err := p.from.Lstat(p.name)
	switch {
	case err != nil:
		return c.skip(p.path, reason(err))
	case info.IsDir():
		return c.copyFolder(p, info)
	case info.Mode()&fs.ModeSymlink != 0:
		return c.copyLink(p)
	case info.Mode().IsRegular():
		return c.copyFile(p, info)
	}
	return c.skip(p.path, "it is neither a file nor a folder")
}

func (c *copier) copyFolder(p place, info fs.FileInfo) error {
	switch {
	case os.SameFile(info, c.target):
		return c.skip(p.path, "it is what is copied to")
	case strings.Count(p.path, string(filepath.Separator)) >= c.most.depth:
		return fmt.Errorf("folders are more than %d levels deep", c.most.depth)
	}
	if err := c.checkCount(); err != nil {
		return err
	}
	_, before := p.into.Lstat(p.name)
	from, into, err := enterBoth(p.from, p.into, p.name)
	if err != nil {
		return c.skip(p.path, reason(err))
	}
	c.files++
	defer from.Close()
	defer into.Close()
	if err := c.copyEntries(p.path, from, into); err != nil {
		return err
	}
	if before == nil {
		return nil // the folder's own permissions stay
	}
	return into.Chmod(".", info.Mode().Perm())
}

// copyEntries copies what is in a folder.
func (c *copier) copyEntries(path string, from, into *os.Root) error {
	dir, err := from.Open(".")
	if err != nil {
		return c.skip(path, reason(err))
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(1000)
		for _, e := range entries {
			if err := c.copyEntry(place{from: from, into: into, name: e.Name(), path: filepath.Join(path, e.Name())}); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return c.skip(path, reason(err))
		}
	}
}

// copyLink copies a link as it is, if it stays inside the root both as it is written and as it is followed.
func (c *copier) copyLink(p place) error {
	target, err := p.from.Readlink(p.name)
	if err != nil {
		return c.skip(p.path, reason(err))
	}
	if filepath.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.Dir(p.path), target)) {
		return c.skip(p.path, "it is a link that leads out")
	}
	if _, err := c.root.Stat(p.path); err != nil && !os.IsNotExist(err) {
		return c.skip(p.path, "it is a link that leads out")
	}
	if err := c.checkCount(); err != nil {
		return err
	}
	if why := clearPlace(p); why != "" {
		return c.skip(p.path, why)
	}
	if err := p.into.Symlink(target, p.name); err != nil {
		return err
	}
	c.files++
	return nil
}

func (c *copier) copyFile(p place, info fs.FileInfo) error {
	// The file may have been replaced by a pipe since.
	from, err := p.from.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return c.skip(p.path, reason(err))
	}
	defer from.Close()
	if now, err := from.Stat(); err != nil || !os.SameFile(info, now) {
		return c.skip(p.path, "it has changed meanwhile")
	}
	if err := errors.Join(c.checkCount(), c.checkBytes(info.Size())); err != nil {
		return err
	}
	if c.hasCopy(p, from, info) {
		c.files++
		c.bytes += info.Size()
		return nil
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if why := clearPlace(p); why != "" {
		return c.skip(p.path, why)
	}
	n, err := c.writeFile(p, from, info.Mode().Perm())
	if err != nil {
		return err
	}
	c.files++
	c.bytes += n
	return nil
}

// hasCopy reports whether a file is there already as it would be copied.
func (c *copier) hasCopy(p place, from *os.File, info fs.FileInfo) bool {
	had, err := p.into.Lstat(p.name)
	if err != nil || !had.Mode().IsRegular() || had.Size() != info.Size() || had.Mode().Perm() != info.Mode().Perm() {
		return false
	}
	into, err := p.into.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer into.Close()
	was, is := sha256.New(), sha256.New()
	_, errWas := io.Copy(was, io.LimitReader(into, info.Size()))
	_, errIs := io.Copy(is, io.LimitReader(from, info.Size()))
	return errWas == nil && errIs == nil && bytes.Equal(was.Sum(nil), is.Sum(nil))
}

// writeFile writes a new file with the content of from, which may grow meanwhile.
func (c *copier) writeFile(p place, from *os.File, perm fs.FileMode) (n int64, err error) {
	into, err := p.into.OpenFile(p.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := into.Close(); err == nil {
			err = e
		}
		if err != nil {
			p.into.Remove(p.name) // no part of a file stays
		}
	}()
	if n, err = io.Copy(into, io.LimitReader(from, c.most.bytes-c.bytes+1)); err != nil {
		return 0, err
	}
	if err := c.checkBytes(n); err != nil {
		return 0, err
	}
	return n, into.Chmod(perm)
}

// clearPlace removes a file or a link where something is copied to. It returns why it cannot, or "".
func clearPlace(p place) string {
	info, err := p.into.Lstat(p.name)
	switch {
	case os.IsNotExist(err):
		return ""
	case err != nil:
		return reason(err)
	case info.IsDir():
		return "a folder is where it would be written"
	}
	if err := p.into.Remove(p.name); err != nil {
		return reason(err)
	}
	return ""
}

// reason returns an error without the operation and the path, which are said already.
func reason(err error) string {
	if os.IsNotExist(err) {
		return "it is not there"
	}
	if e, ok := err.(*fs.PathError); ok {
		return e.Err.Error()
	}
	return err.Error()
}
