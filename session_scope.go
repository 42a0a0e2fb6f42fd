package mulligan

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// writeRules returns what the agent may write now. The final delivery obeys the step that the session is at.
func (s *Session) writeRules() WriteRules {
	st := &s.state
	rules := WriteRules{Files: st.Plan.Protected}
	if n := len(st.Plan.Steps); n > 0 {
		rules.Access = st.Plan.Steps[min(st.Step, n-1)].Access
	}
	return rules
}

// protectionRules returns the part of the rules that holds for checks and hooks too.
func (s *Session) protectionRules() WriteRules {
	rules := s.writeRules()
	rules.ProtectedOnly = true
	return rules
}

// endTurn compares what a turn left with what it found, puts back what the write rules forbid, and records
// the turn's end.
func (s *Session) endTurn(ctx context.Context, turn TurnStarted, ended TurnEnded) error {
	label := fmt.Sprintf("turn-%d", turn.Turn)
	tree, found, err := s.enforceRules(ctx, s.writeRules(), turn.Before, ended.Tree, label)
	if err != nil {
		return err
	}
	ignored, err := s.enforceIgnored(ctx, s.writeRules(), turn.Before, turn.Watched)
	if err != nil {
		return err
	}
	if len(ignored) > 0 { // a .gitignore that is gone shows what it had hidden
		var shown []Violation
		if tree, err = s.Workspace.Walk(context.WithoutCancel(ctx)); err == nil {
			tree, shown, err = s.enforceRules(ctx, s.writeRules(), turn.Before, tree, label)
		}
		found = append(found, shown...)
	}
	if err == nil && len(found)+len(ignored) > 0 {
		tree, err = s.takeSnapshot(ctx, "%d-after", s.state.Iteration)
	}
	if err != nil {
		return err
	}
	if ended.Watched, err = s.watchIgnored(ctx); err != nil {
		return err
	}
	if found = append(found, ignored...); len(found) == len(ignored) {
		label = "" // no snapshot has what git ignores
	}
	if ended.Breach = newBreach(found, label); ended.Breach == nil {
		return s.record(ended)
	}
	if ended.Tree.ID != tree.ID {
		ended.Left, ended.Tree = ended.Tree, tree
	}
	if err := s.record(ended); err != nil {
		return err
	}
	if s.state.Breach != nil && ended.Result.Ending.Examined() {
		return nil // its examination tells
	}
	return s.record(Noted{Text: fmt.Sprintf("turn %d: %s; what it wrote there was put back: %s",
		turn.Turn, ended.Breach.summarize(), strings.Join(listViolations(found), ", "))})
}

// maxEnforced bounds how often the rules are compared again after something was put back: a .gitignore
// that is gone shows what it had hidden.
const maxEnforced = 4

// enforceRules puts back what was changed between two trees against the rules. now is the workspace as it
// is. It returns what is there then, and what was put back; what was there is kept under the label.
func (s *Session) enforceRules(ctx context.Context, rules WriteRules, before, now Tree, label string) (Tree, []Violation, error) {
	if s.Scope == nil || before.ID == "" {
		return now, nil, nil
	}
	ctx = context.WithoutCancel(ctx)
	var all []Violation
	for range maxEnforced {
		if now.ID == before.ID {
			break
		}
		changes, err := s.Workspace.Changes(ctx, before, now)
		if err != nil {
			return now, nil, fmt.Errorf("comparing what was written: %w", err)
		}
		found := s.Scope(rules, changes)
		fresh := markStaying(all, found)
		if len(fresh) == 0 {
			break
		}
		all = append(all, fresh...)
		paths := make([]string, 0, len(fresh))
		for _, v := range fresh {
			paths = append(paths, v.Path)
		}
		if now, err = s.Workspace.PutBack(ctx, before, paths, s.id+"/"+label); err != nil {
			return now, nil, fmt.Errorf("putting back what may not be written: %w", err)
		}
	}
	return now, all, nil
}

// markStaying returns those of the violations that are not among all. Those that are could not be put back,
// and are marked so.
func markStaying(all, found []Violation) (fresh []Violation) {
	for _, v := range found {
		i := slices.IndexFunc(all, func(had Violation) bool { return had.Path == v.Path })
		if i < 0 {
			fresh = append(fresh, v)
			continue
		}
		all[i].Stays = true
	}
	return fresh
}

// failBreach ends a round whose turn has written what it may not.
func (s *Session) failBreach(ctx context.Context, r round) error {
	v := s.state.Breach.verdict(s.id, s.writeRules().Access)
	// The view lists it after the step's own checks.
	if err := s.record(GateEnded{Index: len(r.step.Checks), Verdict: v}); err != nil {
		return err
	}
	return r.fail(ctx, v)
}
