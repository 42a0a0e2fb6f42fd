package mulligan

import (
	"slices"
	"strings"
)

// GitState is what happened to the repository's own git files.
type GitState struct {
	// Config is the digest of git's config of the session's start, "" if the journal is of an earlier version.
	Config string
	// Memory is the digest of what was last remembered of the git files, "" if there is none, or of an earlier version.
	Memory string
	// Violations are the changes that fail the present attempt, or the final delivery.
	Violations []GitChange
	// Untold is what was put back and the agent has not been told of yet. Fresh is what came to that since the
	// turn in flight began.
	Untold, Fresh []GitChange
	// Made are the branches that agents have made: they may do with them what they like.
	Made []string
}

// applyGitRestored sorts the changes: those that fail the attempt, and those that the agent is told of.
func (s *State) applyGitRestored(b GitRestored) {
	for _, c := range b.Changes {
		switch {
		case c.Kind == GitBranchMade:
			if b.By == GitByAgent || b.By == GitByKilled {
				s.Git.Made = append(s.Git.Made, strings.TrimPrefix(c.Name, "refs/heads/"))
			}
		case c.Stays():
		case c.Fails():
			if b.By == GitByAgent {
				s.Git.Violations = append(s.Git.Violations, c)
			}
		case b.By == GitByAgent || b.By == GitByKilled:
			s.Git.Untold = addGitChange(s.Git.Untold, c)
			s.Git.Fresh = addGitChange(s.Git.Fresh, c)
		}
	}
}

// addGitChange adds a change to a list, in the place of an earlier one of the same thing: a turn that is given again after
// a kill may change it again.
func addGitChange(list []GitChange, c GitChange) []GitChange {
	list = slices.DeleteFunc(slices.Clone(list), func(o GitChange) bool { return o.Kind == c.Kind && o.Name == c.Name && o.File == c.File })
	return append(list, c)
}

// beginGitTurn is for a turn that begins. What it does is not yet known, and the final delivery is no part of the
// attempt before it.
func (s *State) beginGitTurn(b TurnStarted) {
	s.Git.Fresh = nil
	if b.Purpose == ForDelivery {
		s.Git.Violations = nil
	}
}
