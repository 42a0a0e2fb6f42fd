package mulligan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// beginsFresh reports whether a strategy begins a new conversation.
func (p *Plan) beginsFresh(strategy string) bool {
	spec := p.strategy(strategy)
	return strategy == StrategyFreshStart || spec.Fresh || spec.Agent != "" || spec.Model != ""
}

// hasStrategy reports whether a strategy can be taken under the plan.
func (p *Plan) hasStrategy(name string) bool {
	switch name {
	case StrategyRetry:
		return true
	case StrategySimplifyPrompt, StrategyReduceStories, StrategySimplifyTests, StrategyIncremental, StrategyAddContext, StrategyRollback, StrategyFreshStart:
		return p.Retry == nil || !slices.Contains(p.Retry.Disabled, name)
	}
	if p.Retry == nil {
		return false
	}
	_, defined := p.Retry.Define[name]
	return defined && !slices.Contains(p.Retry.Disabled, name)
}

// strategy returns what the plan defines for a strategy.
func (p *Plan) strategy(name string) StrategySpec {
	if p.Retry == nil {
		return StrategySpec{}
	}
	return p.Retry.Define[name]
}

// agentName returns the agent that attempts at the step are given to.
func (s *Session) agentName() string {
	if a := s.stepState().Agent; a != "" {
		return a
	}
	return s.step().Agent
}

// modelName returns the model for the step's agent, "" for the agent's own.
func (s *Session) modelName() string {
	if step := s.stepState(); step.Agent != "" || step.Model != "" {
		return step.Model
	}
	return s.step().Model
}

// strategyTimeout is how long the command of a strategy may take.
const strategyTimeout = 10 * time.Minute

// hooksAt returns the hooks of a moment. Before an attempt whose strategy runs a command, that command comes
// last, and the agent gets what it prints.
func (s *State) hooksAt(m Moment) []HookSpec {
	hooks := s.Plan.Hooks[m]
	run := s.Plan.strategy(s.Decision.Strategy).Run
	if m != PreIteration || run == "" {
		return hooks
	}
	return append(slices.Clip(hooks), HookSpec{Name: "strategy " + s.Decision.Strategy, Command: run, Script: run, Timeout: strategyTimeout, Pipe: true})
}

// rollBack puts the step's files back to what they were before it, if the next attempt's strategy
// wants that and this is its first taking. It returns the name of the snapshot that has what was taken away.
func (s *Session) rollBack(ctx context.Context) (kept string, err error) {
	st := &s.state
	if a := st.currentAttempt(); st.Decision.Strategy != StrategyRollback || a == nil || a.Status == "" {
		return "", nil
	}
	if err := s.flush(ctx); err != nil {
		return "", err
	}
	kept = fmt.Sprintf("%d-rolled-back", st.Iteration+1)
	if err := s.restoreTree(ctx, st.verifiedTree(), "%s", kept); err != nil {
		return "", fmt.Errorf("putting the files of step %q back: %w", s.step().Name, err)
	}
	return kept, nil
}

// verifiedTree returns the workspace as it was before the step, to which its changes are put back. With commits it
// is what the last one has, a person's too, that the session was resumed with. HEAD goes back no further than that.
func (s *State) verifiedTree() Tree {
	before := s.stepState().Base
	if s.Plan.Git.Commit && s.CommittedTree.ID != "" {
		before = s.CommittedTree
	}
	return Tree{ID: before.ID, Head: cmp.Or(s.Head, before.Head)}
}

// usesStrategy reports whether the attempt has a strategy other than the plain retry, which changes its prompt.
func (s *State) usesStrategy() bool {
	return s.Decision.Strategy != "" && s.Decision.Strategy != StrategyRetry
}

// addStrategy returns the prompt of an attempt with what its strategy has for it. first is "" where a
// conversation goes on.
func (s *Session) addStrategy(ctx context.Context, first, feedback string) (string, error) {
	st := &s.state
	c := StrategyCase{State: st, First: first, Feedback: feedback, RolledBack: st.currentAttempt().RolledBack}
	for i := range st.Step {
		step := st.Steps[i]
		if !step.Done() || len(step.Attempts) == 0 {
			continue
		}
		paths, more, err := s.listPaths(ctx, step.Base, step.Tree)
		if err != nil {
			return "", err
		}
		c.Steps = append(c.Steps, StepWork{Step: step, Changed: paths, More: more})
	}
	attempts := s.stepState().Attempts
	for i, a := range attempts[:len(attempts)-1] {
		left := attempts[i+1].Snapshot
		if kept := a.Left; kept.ID != "" {
			left = kept
		}
		paths, more, err := s.listPaths(ctx, a.Snapshot, left)
		if err != nil {
			return "", err
		}
		c.Attempts = append(c.Attempts, AttemptWork{Attempt: a, Changed: paths, More: more})
	}
	return s.Prompts.Strategy(c), nil
}

// listPaths lists paths that differ between two trees, and how many more there are.
func (s *Session) listPaths(ctx context.Context, from, to Tree) (paths []string, more int, err error) {
	if from.ID == "" || to.ID == "" {
		return nil, 0, nil
	}
	between := [2]string{from.ID, to.ID}
	if d, ok := s.differing[between]; ok {
		return d.paths, d.more, nil
	}
	paths, all, err := s.Store.Changed(context.WithoutCancel(ctx), from, to, maxChanged)
	if err != nil {
		return nil, 0, fmt.Errorf("looking at what changed: %w", err)
	}
	if s.differing == nil {
		s.differing = map[[2]string]differing{}
	}
	s.differing[between] = differing{paths, all - len(paths)}
	return paths, all - len(paths), nil
}

// differing are paths that differ between two trees, and how many more there are.
type differing struct {
	paths []string
	more  int
}

// fingerprint returns the fingerprint of the attempt that ends, "" if it passed. In a loop an iteration that
// completed a task has made progress, whatever its checks say, and is like no other.
func (s *Session) fingerprint(status Status, reason string) (print string) {
	a := s.state.currentAttempt().endedWith(status, reason)
	if status == Pass || s.state.Plan.Loop != nil && a.CompletedTask {
		return ""
	}
	defer func() {
		if newPanicError(recover()) != nil {
			print = "" // a fault of ours is no reason to call anybody stuck
		}
	}()
	return s.Policy.Fingerprint(a)
}
