package runner

import (
	"context"
	"errors"
	"fmt"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/workspace"
)

// A space is a site as the loop knows it.
type space struct {
	*workspace.Store
	site    *workspace.Site
	session string
	branch  string
	warn    func(string)
	points  func(what string, do func() error) error
}

func (s *space) Dir() string { return s.site.Workspace.Dir() }

func (s *space) Snapshot(ctx context.Context, label string) (mulligan.Tree, error) {
	return s.site.Workspace.Take(ctx, label)
}

func (s *space) Walk(ctx context.Context) (mulligan.Tree, error) { return s.site.Workspace.Read(ctx) }

func (s *space) Restore(ctx context.Context, to mulligan.Tree, label string) error {
	if _, err := s.site.Workspace.Take(ctx, label); err != nil {
		return err
	}
	return s.site.Workspace.Lay(ctx, to)
}

func (s *space) PutBack(ctx context.Context, to mulligan.Tree, paths []string, _ string) (mulligan.Tree, error) {
	now, err := s.site.Workspace.Read(ctx)
	if err != nil {
		return now, err
	}
	tree, err := s.site.Combine(ctx, now.ID, to.ID, paths)
	if err != nil {
		return now, err
	}
	now.ID = tree
	return now, s.site.Workspace.Lay(ctx, now)
}

func (s *space) RememberGit(ctx context.Context, _ string) (string, []mulligan.GitChange, error) {
	return "", nil, s.site.Workspace.BringGit(ctx)
}

func (s *space) Commit(ctx context.Context, c mulligan.Commit) (id string, err error) {
	err = s.points("commit", func() error {
		id, err = s.site.Commit(ctx, s.session, c)
		return err
	})
	if err != nil || s.branch == "" {
		return id, err
	}
	err = s.points("deliver", func() error { return s.site.Deliver(ctx, s.session+"/verified", "refs/heads/"+s.branch) })
	if failed, ok := errors.AsType[*workspace.DeliverError](err); ok {
		s.warn(fmt.Sprintf("%v; the commit is kept, and `%s` brings it", text.OneLine(failed.Error()), failed.Fetch))
		err = nil
	}
	return id, err
}

func (s *space) Stand(ctx context.Context, branch, label string) (mulligan.Standing, error) {
	standing := mulligan.Standing{Branch: branch, Head: s.site.Head(), SessionHead: s.site.Head()}
	tree, err := s.site.Workspace.Take(ctx, label)
	if err != nil {
		return standing, err
	}
	standing.Tree = tree.ID
	if of, err := s.TreeOf(ctx, s.site.Head()); err != nil || of == tree.ID {
		return standing, err
	}
	ref := "refs/mulligan/left/" + s.session
	err = s.points("deliver", func() error { return s.site.Deliver(ctx, label, ref) })
	if failed, ok := errors.AsType[*workspace.DeliverError](err); ok {
		standing.Notes = append(standing.Notes, fmt.Sprintf("what is not committed is kept, and `%s` brings it", failed.Fetch))
		err = nil
	}
	return standing, err
}

// What follows has nothing to do in a workspace of our own.

func (s *space) ForgetWalk() {}
func (s *space) ForgetGit() error {
	return nil
}
func (s *space) WatchIgnored(context.Context, mulligan.Watch) (string, error) { return "", nil }
func (s *space) IgnoredChanges(context.Context, mulligan.Tree, string, string) ([]mulligan.Change, error) {
	return nil, nil
}
func (s *space) PutBackIgnored(context.Context, string, []string) error { return nil }
func (s *space) UndoWrites(_ context.Context, to mulligan.Tree, _ bool, _ string) (mulligan.Tree, []string, error) {
	return to, nil, nil
}
func (s *space) RemoveCreated(context.Context, mulligan.Tree, mulligan.Tree, string) error {
	return nil
}
func (s *space) RestoreCreated(context.Context, mulligan.Tree, mulligan.Tree) error { return nil }
func (s *space) Unheld(context.Context, mulligan.Tree, []mulligan.Unheld) ([]mulligan.Unheld, error) {
	return nil, nil
}
func (s *space) IgnoredSince(context.Context, string, string) (string, error) { return "", nil }
func (s *space) RestoreGit(context.Context, mulligan.GitCheck) ([]mulligan.GitChange, error) {
	return nil, nil
}
func (s *space) Tip(context.Context) (string, bool, error) { return s.site.Head(), true, nil }
func (s *space) TryCommit(context.Context, mulligan.Tree, string, string) ([]mulligan.GitChange, error) {
	return nil, nil
}
func (s *space) Return(context.Context, mulligan.Return, string, string) (mulligan.Standing, error) {
	return mulligan.Standing{}, nil
}

// A proof is the proof of a site as the loop knows it.
type proof struct {
	*workspace.Proof
	site *workspace.Site
}

func (p proof) Combine(ctx context.Context, base, from mulligan.Tree, paths []string) (mulligan.Tree, error) {
	id, err := p.site.Combine(ctx, base.ID, from.ID, paths)
	base.ID = id
	return base, err
}
