package mulligan

import (
	"context"
	"fmt"
	"strings"
)

// watchIgnored keeps a copy of what git ignores and the write rules still want to be left alone, and
// returns its id.
func (s *Session) watchIgnored(ctx context.Context) (string, error) {
	if s.Scope == nil {
		return "", nil
	}
	rules := s.writeRules()
	what := Watch{Globs: rules.Access.Protect, User: s.UserFiles}
	for _, f := range rules.Files {
		if f.Role != RoleScript { // one that git ignores is made by a build
			what.Files = append(what.Files, f.Path)
		}
	}
	id, err := s.Workspace.WatchIgnored(context.WithoutCancel(ctx), what)
	if err != nil {
		return "", fmt.Errorf("looking at what git ignores: %w", err)
	}
	return id, nil
}

// enforceIgnored puts back what was changed against the rules in what no tree has, since a copy of it was
// kept. tree is the workspace as it was then.
func (s *Session) enforceIgnored(ctx context.Context, rules WriteRules, tree Tree, before string) ([]Violation, error) {
	if s.Scope == nil || before == "" {
		return nil, nil
	}
	changes, err := s.listIgnoredChanges(ctx, tree, before)
	if err != nil {
		return nil, err
	}
	found := s.Scope(rules, changes)
	if len(found) == 0 {
		return nil, nil
	}
	paths := make([]string, 0, len(found))
	for _, v := range found {
		paths = append(paths, v.Path)
	}
	faults, err := s.dropByproducts(ctx, found, tree)
	if err != nil {
		return nil, err
	}
	if err := s.Workspace.PutBackIgnored(context.WithoutCancel(ctx), before, paths); err != nil {
		return nil, fmt.Errorf("putting back what may not be written: %w", err)
	}
	return faults, nil
}

// dropByproducts returns the violations without new paths that git ignored already and that only a pattern of protect
// matches: a test runner's cache beside protected tests. They are taken away again, and are no fault.
func (s *Session) dropByproducts(ctx context.Context, found []Violation, before Tree) ([]Violation, error) {
	var kept []Violation
	for _, v := range found {
		rule := ""
		if v.mayBeByproduct() {
			var err error
			if rule, err = s.Workspace.IgnoredSince(context.WithoutCancel(ctx), before.Head, v.Path); err != nil {
				return nil, fmt.Errorf("looking at what git ignores: %w", err)
			}
		}
		if !v.mayBeByproduct() || rule != "" {
			kept = append(kept, v)
		}
	}
	return kept, nil
}

// listIgnoredChanges lists what differs now from a copy of what git ignores.
func (s *Session) listIgnoredChanges(ctx context.Context, tree Tree, before string) ([]Change, error) {
	now, err := s.watchIgnored(ctx)
	if err != nil || now == before {
		return nil, err
	}
	changes, err := s.Workspace.IgnoredChanges(context.WithoutCancel(ctx), tree, before, now)
	if err != nil {
		return nil, fmt.Errorf("comparing what git ignores: %w", err)
	}
	return changes, nil
}

// watchAgain looks again at what git ignores, for a turn that an earlier process began. After a kill nobody
// can tell whose a change is: it stays, and is named.
func (s *Session) watchAgain(ctx context.Context, turn *TurnStarted) error {
	if turn.Watched == "" {
		return nil
	}
	changes, err := s.listIgnoredChanges(ctx, turn.Before, turn.Watched)
	if err != nil {
		return err
	}
	if found := s.Scope(s.writeRules(), changes); len(found) > 0 {
		note := fmt.Sprintf("before the process before this one was ended, or since, %s: nobody can tell who did that, and it stays; look at it", strings.Join(listViolations(found), ", "))
		if err := s.record(Noted{Text: note}); err != nil {
			return err
		}
	}
	turn.Watched, err = s.watchIgnored(ctx)
	return err
}
