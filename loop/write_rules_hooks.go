package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
)

// putBackAfter puts back what a check or hook wrote against the rules, and notes it: it is not charged to
// the agent. who names the check or hook. It returns what is there then, which is kept under the label.
func (s *Session) putBackAfter(ctx context.Context, who string, rules mulligan.WriteCase, before, now mulligan.Tree, label string) (mulligan.Tree, error) {
	tree, found, err := s.enforceRules(ctx, rules, before, now)
	if err != nil || len(found) == 0 {
		return tree, err
	}
	if tree, err = s.takeSnapshot(ctx, "%s", label); err != nil {
		return tree, fmt.Errorf("looking at what was put back: %w", err)
	}
	note := fmt.Sprintf("%s wrote what may not be written, and it was put back: %s", who, strings.Join(listViolations(found), ", "))
	if slices.Contains(s.state.Notes, note) {
		return tree, nil
	}
	return tree, s.record(mulligan.Noted{Text: note})
}

// currentStepName returns the name of the step whose rules hold.
func (s *Session) currentStepName() string {
	st := &s.state
	return st.Plan.Steps[min(st.Step, len(st.Plan.Steps)-1)].Name
}

// walkBeforeHooks returns the workspace before the hooks of a moment between an agent's turns, or nothing if
// there are none to run. Before the first turn, and after the last, nothing that hooks run is an agent's.
func (s *Session) walkBeforeHooks(ctx context.Context, m mulligan.Moment, hooks []mulligan.HookSpec) (mulligan.Tree, error) {
	if s.FindViolations == nil || s.state.NextHook >= len(hooks) || m != mulligan.PreIteration && m != mulligan.PostIteration && m != mulligan.OnError {
		return mulligan.Tree{}, nil
	}
	tree, err := s.Workspace.Take(context.WithoutCancel(ctx), "", mulligan.AtFiles)
	if err != nil {
		return tree, fmt.Errorf("looking at the workspace before the %s hooks: %w", m, err)
	}
	return tree, nil
}

// protectFromHook puts back what a hook wrote to protected paths since the tree before, and returns the
// workspace as it is then. With no tree before it does nothing.
func (s *Session) protectFromHook(ctx context.Context, name string, before mulligan.Tree) (mulligan.Tree, error) {
	if before.ID == "" {
		return before, nil
	}
	now, err := s.Workspace.Take(context.WithoutCancel(ctx), "", mulligan.AtFiles)
	if err != nil {
		return now, fmt.Errorf("looking at what hook %q left: %w", name, err)
	}
	return s.putBackAfter(ctx, fmt.Sprintf("hook %q", name), s.protectionCase(), before, now, fmt.Sprintf("%d-hook", s.state.Iteration))
}

// updateBefore makes a turn begin with what UserPromptSubmit hooks have left, so that it is not charged to
// the agent.
func (s *Session) updateBefore(ctx context.Context, t *mulligan.TurnStarted) error {
	if s.FindViolations == nil || len(s.state.Plan.AgentHooks.Of(mulligan.EventPrompt)) == 0 {
		return nil
	}
	now, err := s.protectFromHook(ctx, mulligan.EventPrompt, t.Before)
	if err != nil || now.ID == t.Before.ID {
		return err
	}
	t.Before, err = s.takeSnapshot(ctx, "%d", s.state.Iteration)
	return err
}
