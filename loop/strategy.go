package loop

import (
	"context"
	"fmt"

	"mulligan"
	"mulligan/state"
)

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

// rollBack puts the step's files back to what they were before it, if the next attempt's strategy
// wants that and this is its first taking. It returns the name of the snapshot that has what was taken away.
func (s *Session) rollBack(ctx context.Context) (kept string, err error) {
	st := &s.state
	if a := st.CurrentAttempt(); st.Decision.Strategy != mulligan.StrategyRollback || a == nil || a.Status == "" {
		return "", nil
	}
	if err := s.flush(ctx); err != nil {
		return "", err
	}
	kept = fmt.Sprintf("%d-rolled-back", st.Iteration+1)
	if err := s.restoreTree(ctx, st.VerifiedTree(), "%s", kept); err != nil {
		return "", fmt.Errorf("putting the files of step %q back: %w", s.step().Name, err)
	}
	return kept, nil
}

// addStrategy returns the prompt of an attempt with what its strategy has for it. first is "" where a
// conversation goes on.
func (s *Session) addStrategy(ctx context.Context, first, feedback string) (string, error) {
	st := &s.state
	var steps []state.StepWork
	for i := range st.Step {
		step := st.Steps[i]
		if !step.Done() || len(step.Attempts) == 0 {
			continue
		}
		paths, more, err := s.listPaths(ctx, step.Base, step.Tree)
		if err != nil {
			return "", err
		}
		steps = append(steps, state.StepWork{Step: step, Changed: paths, More: more})
	}
	var tried []state.AttemptWork
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
		tried = append(tried, state.AttemptWork{Attempt: a, Changed: paths, More: more})
	}
	return s.Prompts.Strategy(state.StrategyCase{
		State: st, First: first, Feedback: feedback, Steps: steps, Attempts: tried, RolledBack: st.CurrentAttempt().RolledBack,
	}), nil
}

// listPaths lists paths that differ between two trees, and how many more there are.
func (s *Session) listPaths(ctx context.Context, from, to mulligan.Tree) (paths []string, more int, err error) {
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
func (s *Session) fingerprint(status mulligan.Status, reason string) (print string) {
	a := s.state.CurrentAttempt().EndedWith(status, reason)
	if status == mulligan.Pass || s.state.Plan.Loop != nil && a.CompletedTask {
		return ""
	}
	defer func() {
		if newPanicError(recover()) != nil {
			print = "" // a fault of ours is no reason to call anybody stuck
		}
	}()
	return s.Policy.Fingerprint(a)
}
