package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A DeliverError means that a commit could not be brought to the person's repository. The store has it.
type DeliverError struct {
	Ref    string // in the person's repository
	Commit string
	Fetch  string // the command of plain git that brings it
	Err    error
}

func (e *DeliverError) Error() string {
	return fmt.Sprintf("%s could not be brought to %.10s: %v", strings.TrimPrefix(e.Ref, "refs/heads/"), e.Commit, e.Err)
}

func (e *DeliverError) Unwrap() error { return e.Err }

// Deliver brings what a label of the store has to the person's repository, as a ref there, by one fetch. A branch is moved
// only forward, and no hook runs. The error is a *DeliverError if the person's repository does not take it.
func (s *Site) Deliver(ctx context.Context, label, ref string) error {
	from := sessionRefs + label
	spec := from + ":" + ref
	if !strings.HasPrefix(ref, "refs/heads/") {
		spec = "+" + spec
	}
	g := newPersonGit(s.checkout.Root, s.environ)
	g.hold, g.before = s.store.hold, s.store.before
	_, err := g.run(ctx, "-c", "core.fsync=committed,loose-object", "-c", "core.fsyncMethod=batch", "fetch", "--quiet", "--no-tags", "--no-prune",
		"--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules", "--no-write-commit-graph", s.store.dir, spec)
	if err == nil || ctx.Err() != nil {
		return err
	}
	commit, _ := s.store.Commit(ctx, from) // a hint: without it the error says all the rest
	return &DeliverError{Ref: ref, Commit: commit, Fetch: fmt.Sprintf("git fetch %s %s", s.store.dir, spec), Err: err}
}

// PersonHas returns the commit that a ref of the person's repository has, or "" if there is no such ref.
func (s *Site) PersonHas(ctx context.Context, ref string) (string, error) {
	id, err := newPersonGit(s.checkout.Root, s.environ).line(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if _, failed := errors.AsType[*GitError](err); failed {
		return "", nil
	}
	return id, err
}

// MergesWith reports whether a commit merges with another of the person's repository without conflicts; files are those
// that conflict.
func (s *Store) MergesWith(ctx context.Context, ours, theirs string) (clean bool, files []string, err error) {
	out, err := s.git("").run(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs)
	if failed, ok := errors.AsType[*GitError](err); ok && len(out) > 0 && strings.TrimSpace(failed.Stderr) == "" {
		lines := splitNull(out)
		return false, lines[1:], nil
	}
	return err == nil, nil, err
}
