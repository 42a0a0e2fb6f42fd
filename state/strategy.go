package state

import (
	"cmp"
	"slices"
	"time"

	"mulligan"
)

// strategyTimeout is how long the command of a strategy may take.
const strategyTimeout = 10 * time.Minute

// HooksAt returns the hooks of a moment. Before an attempt whose strategy runs a command, that command comes
// last, and the agent gets what it prints.
func (s *State) HooksAt(m mulligan.Moment) []mulligan.HookSpec {
	hooks := s.Plan.Hooks[m]
	run := s.Plan.StrategyNamed(s.Decision.Strategy).Run
	if m != mulligan.PreIteration || run == "" {
		return hooks
	}
	return append(slices.Clip(hooks), mulligan.HookSpec{Name: "strategy " + s.Decision.Strategy, Command: run, Script: run, Timeout: strategyTimeout, Pipe: true})
}

// VerifiedTree returns the workspace as it was before the step, to which its changes are put back. With commits it
// is what the last one has, a person's too, that the session was resumed with. HEAD goes back no further than that.
func (s *State) VerifiedTree() mulligan.Tree {
	before := s.StepState().Base
	if s.Plan.Git.Commit && s.CommittedTree.ID != "" {
		before = s.CommittedTree
	}
	return mulligan.Tree{ID: before.ID, Head: cmp.Or(s.Head, before.Head)}
}

// UsesStrategy reports whether the attempt has a strategy other than the plain retry, which changes its prompt.
func (s *State) UsesStrategy() bool {
	return s.Decision.Strategy != "" && s.Decision.Strategy != mulligan.StrategyRetry
}
