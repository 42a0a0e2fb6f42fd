package workspace

import (
	"context"
	"strings"
)

// A candidate is a commit of a tree on top of another commit.
type candidate struct{ tree, head, commit, label string }

// makeCandidate commits a tree on top of the session's last commit, and keeps it under a label. A tree that is that of the
// last commit needs none.
func (s *Site) makeCandidate(ctx context.Context, tree, label string) (commit string, err error) {
	if s.last.tree != tree || s.last.head != s.head {
		made := candidate{tree: tree, head: s.head}
		if made.commit, err = s.commitCandidate(ctx, tree, label); err != nil {
			return "", err
		}
		s.mu.Lock()
		s.last = made
		s.mu.Unlock()
	}
	if s.last.label == label {
		return s.last.commit, nil
	}
	if err := s.store.Label(ctx, label, s.last.commit); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last.label = label
	return s.last.commit, nil
}

// commitCandidate returns the commit of a tree on top of the session's last, which is that itself if it has the tree.
func (s *Site) commitCandidate(ctx context.Context, tree, label string) (string, error) {
	if of, err := s.store.TreeOf(ctx, s.head); err != nil || of == tree {
		return s.head, err
	}
	var who []string
	for _, role := range []string{author, committer} {
		who = append(who, "GIT_"+role+"_NAME="+fallbackName, "GIT_"+role+"_EMAIL="+fallbackEmail)
	}
	session, _, _ := strings.Cut(label, "/")
	return s.git().with(who...).line(ctx, "commit-tree", "-p", s.head, "-m", "mulligan: work of session "+session+", not verified", tree)
}
