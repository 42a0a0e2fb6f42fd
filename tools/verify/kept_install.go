package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// keptInstall returns the folder of the user's cache in which the clones of a machine share what they install of a folder
// of test, or "" if the user has no cache. The hash is of what is pinned.
func keptInstall(folder, hash string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "mulligan-verify", folder, hash)
}

// keepInstall keeps what is installed, and drops what was kept of other pins. What is kept is complete, since it gets its
// name last.
func keepInstall(installed, kept string) error {
	if kept == "" {
		return errors.New("there is no folder for caches")
	}
	others, err := filepath.Glob(filepath.Join(filepath.Dir(kept), "*"))
	if err != nil {
		return err
	}
	for _, other := range others {
		err = errors.Join(err, os.RemoveAll(other))
	}
	partial := kept + ".partial"
	if err := errors.Join(err, linkTree(installed, partial)); err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return os.Rename(partial, kept)
}

// linkTree makes a folder whose files are those of another one, by hard links. It fails on another file system.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type() == fs.ModeSymlink:
			names, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(names, target)
		default:
			return os.Link(path, target)
		}
	})
}
