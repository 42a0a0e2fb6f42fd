package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// LostError is a part of the workspace, or of what mulligan keeps of it, that was deleted
// while it was in use.
type LostError struct {
	What      string // "the workspace", "the workspace's git folder", "the snapshot repository"
	Path      string
	Snapshots string // where the snapshots are; "" where it is they that are gone
}

func (e *LostError) Error() string { return fmt.Sprintf("%s %s is gone", e.What, e.Path) }

// UnreadableError is a part of the workspace that has to be read and cannot be.
type UnreadableError struct {
	Path string // relative to the workspace
	Err  error
}

func (e *UnreadableError) Error() string { return fmt.Sprintf("%s cannot be read: %v", e.Path, e.Err) }

func (e *UnreadableError) Unwrap() error { return e.Err }

// checkPresent says whether all is in place that a walk needs. Without it a walk would take what is
// missing for a tree that changes, or be told by git about a folder that is none.
func (s *scan) checkPresent() error {
	gone := func(path string) bool {
		_, err := os.Stat(path)
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotFolder)
	}
	switch {
	case gone(s.dir):
		return &LostError{What: "the workspace", Path: s.dir, Snapshots: s.store.dir}
	case !hasHead(s.rules.root.git):
		return &LostError{What: "the workspace's git folder", Path: s.rules.root.git, Snapshots: s.store.dir}
	case !hasHead(s.store.dir):
		return &LostError{What: "the snapshot repository", Path: s.store.dir}
	}
	return nil
}
