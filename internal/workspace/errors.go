package workspace

import (
	"fmt"
	"time"
)

// A LostError means that a part of the workspace, or the snapshot repository, was deleted while it was
// in use.
type LostError struct {
	What      string // "the workspace", "the workspace's git folder", "the snapshot repository"
	Path      string
	Snapshots string // the snapshot repository; "" if that is gone
}

func (e *LostError) Error() string { return fmt.Sprintf("%s %s is gone", e.What, e.Path) }

// An UnreadableError means that a tracked file or folder of the workspace cannot be read.
type UnreadableError struct {
	Path string // relative to the workspace
	Err  error
}

func (e *UnreadableError) Error() string { return fmt.Sprintf("%s cannot be read: %v", e.Path, e.Err) }

func (e *UnreadableError) Unwrap() error { return e.Err }

// A LimitError means that a git command took longer than it may, and was stopped.
type LimitError struct {
	Command string
	Dir     string // where it ran
	Limit   time.Duration
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("git %s did not end within %v in %s and was stopped; look for a fifo or device where git reads a file "+
		"(find . -name '.git*' ! -type f ! -type d), and for a filter that does not end (git config --get-regexp '^filter')", e.Command, e.Limit, e.Dir)
}

// A MissingError means that a repository lacks an object that it should have, or that the object is damaged so that
// git cannot read it.
type MissingError struct {
	ID         string
	Repository string // its folder
	Own        bool   // it is the snapshot repository
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("object %s in %s cannot be read: it is missing or damaged", e.ID, e.Repository)
}

// A TamperedError means that a file that mulligan keeps for a killed session is not what the session's journal says.
type TamperedError struct {
	What string // that the file has
	Path string
	Gone bool
	Hint string // what a person can do
}

func (e *TamperedError) Error() string {
	if e.Gone {
		return fmt.Sprintf("%s, which has %s, is gone, and mulligan has not removed it", e.Path, e.What)
	}
	return fmt.Sprintf("%s, which has %s, is not what mulligan has written: the session's journal has another digest", e.Path, e.What)
}

// A ForgedError means that an object of a repository has other content than its name says: git names
// objects by the hash of their content, so somebody has put it there.
type ForgedError struct {
	ID         string
	Repository string // its folder
	Own        bool   // it is the snapshot repository
}

func (e *ForgedError) Error() string {
	return fmt.Sprintf("object %s in %s has other content than its name says: it is damaged, or was planted there; nothing of it was used", e.ID, e.Repository)
}
