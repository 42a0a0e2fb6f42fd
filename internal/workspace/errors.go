package workspace

import "fmt"

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
