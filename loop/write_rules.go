package loop

import (
	"context"
	"fmt"
	"strings"

	"mulligan"
)

// writeRules returns what the agent may write now. The final delivery obeys the step that the session is at.
func (s *Session) writeCase() mulligan.WriteCase {
	st := &s.state
	rules := mulligan.WriteCase{Files: st.Plan.Protected}
	if n := len(st.Plan.Steps); n > 0 {
		rules.Rules = st.Plan.Steps[min(st.Step, n-1)].WriteRules
	}
	return rules
}

// protectionRules returns the part of the rules that holds for checks and hooks too.
func (s *Session) protectionCase() mulligan.WriteCase {
	rules := s.writeCase()
	rules.ProtectedOnly = true
	return rules
}

// endTurn compares what a turn left with what it found, puts back what the write rules forbid, and records
// the turn's end.
func (s *Session) endTurn(ctx context.Context, turn mulligan.TurnStarted, ended mulligan.TurnEnded) error {
	tree, found, err := s.enforceRules(ctx, s.writeCase(), turn.Before, ended.Tree)
	if err == nil && len(found) > 0 {
		tree, err = s.takeSnapshot(ctx, "%d-put-back", s.state.Iteration)
	}
	if err != nil {
		return err
	}
	label := fmt.Sprintf("%d-after", s.state.Iteration)
	if turn.Purpose == mulligan.ForDelivery {
		label = fmt.Sprintf("%d-delivered", s.state.Iteration)
	}
	if ended.Breach = newBreach(found, label); ended.Breach == nil {
		return s.record(ended)
	}
	ended.Left, ended.Tree = ended.Tree, tree
	if err := s.record(ended); err != nil {
		return err
	}
	if s.state.Breach != nil && ended.Result.Ending.Examined() {
		return nil // its examination tells
	}
	return s.record(mulligan.Noted{Text: fmt.Sprintf("turn %d: %s; what it wrote there was put back: %s",
		turn.Turn, summarizeBreach(ended.Breach), strings.Join(listViolations(found), ", "))})
}

// enforceRules puts back what was changed between two trees against the rules. now is the workspace as it
// is. It returns what is there then, and what was put back.
func (s *Session) enforceRules(ctx context.Context, rules mulligan.WriteCase, before, now mulligan.Tree) (mulligan.Tree, []mulligan.Violation, error) {
	if s.FindViolations == nil || before.ID == "" || now.ID == before.ID {
		return now, nil, nil
	}
	ctx = context.WithoutCancel(ctx)
	changes, err := s.Store.Changes(ctx, before, now)
	if err != nil {
		return now, nil, fmt.Errorf("comparing what was written: %w", err)
	}
	found := s.FindViolations(rules, changes)
	if len(found) == 0 {
		return now, nil, nil
	}
	paths := make([]string, 0, len(found))
	for _, v := range found {
		paths = append(paths, v.Path)
	}
	if now, err = s.Workspace.PutBack(ctx, before, paths); err != nil {
		return now, nil, fmt.Errorf("putting back what may not be written: %w", err)
	}
	return now, found, nil
}

// failBreach ends a round whose turn has written what it may not.
func (s *Session) failBreach(ctx context.Context, r round) error {
	v := breachVerdict(s.state.Breach, s.id, s.writeCase().Rules)
	// The view lists it after the step's own checks.
	if err := s.record(mulligan.GateEnded{Index: len(r.step.Checks), Verdict: v}); err != nil {
		return err
	}
	return r.fail(ctx, v)
}
