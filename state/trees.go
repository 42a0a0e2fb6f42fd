package state

import (
	"slices"

	"mulligan"
)

// TreesToContinue returns the ids, each once, of the trees that a later run of a session that has ended goes back to, or compares
// with. Those of the attempts that it made are not among them: a later run counts its attempts anew.
func (s *State) TreesToContinue() []string {
	trees := []mulligan.Tree{s.Found, s.Began, s.CommittedTree, s.Base, s.Tree}
	for _, step := range s.Steps {
		trees = append(trees, step.Base, step.Tree)
		if step.Baseline != nil {
			trees = append(trees, step.Baseline.Tree)
		}
	}
	if o := s.Outcome; o != nil {
		trees = append(trees, o.Tree, o.Left)
	}
	var ids []string
	for _, tree := range trees {
		if tree.ID != "" && !slices.Contains(ids, tree.ID) {
			ids = append(ids, tree.ID)
		}
	}
	return ids
}

// LastVerified returns the tree that the last verified step left, or the last iteration of a loop that was kept; the zero
// tree if there is none.
func (s *State) LastVerified() mulligan.Tree {
	if s.Plan.Loop != nil && s.Head != s.Place.Base {
		return mulligan.Tree{ID: s.CommittedTree.ID, Head: s.Head}
	}
	var last mulligan.Tree
	for _, step := range s.Steps {
		if step.Done() {
			last = step.Tree
		}
	}
	if last.ID != "" && s.Final != nil && s.Plan.Git.Commit {
		return mulligan.Tree{ID: s.CommittedTree.ID, Head: s.Head} // the final delivery may have added to it
	}
	return last
}
