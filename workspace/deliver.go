package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mulligan/internal/usererror"
)

// A DeliverError means that a commit could not be brought to the person's repository. The store has it.
type DeliverError struct {
	Ref    string // in the person's repository
	Commit string
	Fetch  string // the command of plain git that brings it, as the ref Brings
	Brings string
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
	spec := from + ":"
	if !strings.HasPrefix(ref, "refs/heads/") {
		spec = "+" + spec
	}
	err := s.store.fetchInto(ctx, newPersonGit(s.checkout.Root, s.environ), spec+ref)
	if err == nil || ctx.Err() != nil {
		return err
	}
	brings := ref
	commit, _ := s.store.Commit(ctx, from) // a hint: without it the error says all the rest
	if has, _ := s.PersonHas(ctx, ref); has != "" && !strings.HasPrefix(spec, "+") {
		if ahead, known := s.store.Contains(ctx, commit, has); !ahead && known == nil {
			err = errors.New("it has commits that the session did not make")
			brings += "-" + commit[:min(len(commit), 10)]
		}
	}
	return &DeliverError{Ref: ref, Commit: commit, Fetch: "git fetch " + usererror.QuotePath(s.store.dir) + " " + spec + brings, Brings: brings, Err: err}
}

// fetchInto brings what a refspec names from the store to the person's repository that g works in. No hook runs, and no other
// ref is touched. The contents of large files come first.
func (s *Store) fetchInto(ctx context.Context, g git, spec string) error {
	g.hold, g.before = s.hold, s.before
	from, _, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
	if err := s.sendLargeFiles(ctx, g, from); err != nil {
		return err
	}
	_, err := g.run(ctx, "-c", "core.fsync=committed,loose-object", "-c", "core.fsyncMethod=batch", "fetch", "--quiet", "--no-tags", "--no-prune",
		"--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules", "--no-write-commit-graph", s.dir, spec)
	return err
}

// DropLeft deletes the ref in the person's repository that has what an earlier run of the session left.
func (s *Site) DropLeft(ctx context.Context, session string) error {
	_, err := newPersonGit(s.checkout.Root, s.environ).run(ctx, "update-ref", "--no-deref", "-d", LeftRef(session))
	if _, failed := errors.AsType[*GitError](err); failed {
		return nil // a repository that takes no change keeps it
	}
	return err
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

// Forward fast-forwards the branch that the person is on to the session's last commit. It returns why it does not: only a
// clean checkout of the branch that the session began on is forwarded.
func (s *Site) Forward(ctx context.Context, now Checkout, origin string) (why string, err error) {
	if now.Branch == "" || now.Branch != origin {
		return "you are not on the branch that the session began on", nil
	}
	dirty, err := now.Uncommitted(ctx, s.environ)
	if err != nil {
		return "", err
	}
	if len(dirty) > 0 {
		return "your checkout has uncommitted work", nil
	}
	ahead, err := s.store.Contains(ctx, s.head, now.Head)
	if err != nil {
		return "", err
	}
	if !ahead {
		return now.Branch + " has commits that the session does not have", nil
	}
	_, err = newPersonGit(s.checkout.Root, s.environ).run(ctx, "merge", "--quiet", "--ff-only", "--no-overwrite-ignore", s.head)
	if failed, ok := errors.AsType[*GitError](err); ok {
		return strings.TrimSpace(failed.Stderr), nil
	}
	return "", err
}

// A RefNameError means that git does not take a word as the name of a branch.
type RefNameError struct{ Branch string }

func (e *RefNameError) Error() string { return fmt.Sprintf("%q is no name of a branch", e.Branch) }

// A TakenError means that a branch of the name is there, with another commit.
type TakenError struct{ Branch, Commit string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("there is a branch %s already, at %.10s", e.Branch, e.Commit)
}

// Take makes a branch in the repository that has the checkout root of what a session keeps. The error is a *TakenError if
// there is such a branch with another commit, which stays as it is.
func (s *Store) Take(ctx context.Context, root string, k Kept, branch string) error {
	g := newPersonGit(root, s.environ)
	ref := "refs/heads/" + branch
	if _, err := g.run(ctx, "check-ref-format", ref); err != nil {
		return &RefNameError{Branch: branch}
	}
	if had, err := g.line(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err == nil && had != "" {
		if had == k.Commit {
			return nil
		}
		return &TakenError{Branch: branch, Commit: had}
	}
	return s.fetchInto(ctx, g, sessionRefs+k.Label+":"+ref)
}
