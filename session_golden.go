package mulligan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan/internal/text"
)

// A goldenRun is what was laid over the work for a golden check: paths that differed from the session's
// base, while before is the workspace without that.
type goldenRun struct {
	before Tree
	paths  []string
	laid   Tree // what the check is to examine
}

// layPaths lays out paths as the base has them.
func (s *Session) layPaths(ctx context.Context, run *goldenRun, base Tree, paths []string, label string) (err error) {
	if s.Proof != nil {
		run.laid, err = s.Proof.Combine(ctx, run.laid, base, paths)
		return err
	}
	_, err = s.Workspace.PutBack(ctx, base, paths, label)
	return err
}

// layGolden makes the protected files what they were at the session's base, for a check that wants that.
// Files that the base lacks go. A killed session puts the work back before it runs the check again:
// GateStarted has the tree.
func (s *Session) layGolden(ctx context.Context, r round, index int, before Tree) (run goldenRun, err error) {
	run.laid = before
	if !r.step.Checks[index].Golden || s.Scope == nil {
		return run, nil
	}
	ctx, run.before = context.WithoutCancel(ctx), before
	st := &s.state
	bases := []Tree{st.Base}
	if st.Final == nil {
		bases = append(bases, s.stepState().Base)
	}
	for i, base := range bases {
		paths, err := s.findGolden(ctx, base, before, i > 0)
		if err != nil || len(paths) == 0 {
			if err != nil {
				return run, err
			}
			continue
		}
		if err := s.layPaths(ctx, &run, base, paths, s.id+"/"+r.label+"-golden"); err != nil {
			return run, fmt.Errorf("laying out the files of the session's base: %w", err)
		}
		run.paths = append(run.paths, paths...)
	}
	slices.Sort(run.paths)
	return run, nil
}

// findGolden returns the protected paths that differ from a base: those that a step before was given to
// write, whose base is this step's, or the others, whose base is the session's.
func (s *Session) findGolden(ctx context.Context, base, now Tree, given bool) ([]string, error) {
	if base.ID == "" || base.ID == now.ID {
		return nil, nil
	}
	changes, err := s.Workspace.Changes(ctx, base, now)
	if err != nil {
		return nil, fmt.Errorf("comparing with the session's base: %w", err)
	}
	var paths []string
	for _, v := range s.Scope(s.protectionRules(), changes) {
		if s.wasGiven(v.Change) == given {
			paths = append(paths, v.Path)
		}
	}
	return paths, nil
}

// wasGiven reports whether a step before the present one names a path in its allow_write: then what that
// step made of it is what the person wanted.
func (s *Session) wasGiven(c Change) bool {
	st := &s.state
	before := st.Plan.Steps[:min(st.Step, len(st.Plan.Steps))]
	return slices.ContainsFunc(before, func(step Step) bool {
		return step.Access.Limited && len(s.Scope(WriteRules{Access: step.Access}, []Change{c})) == 0
	})
}

// liftGolden puts the work's own files back after a golden check.
func (s *Session) liftGolden(ctx context.Context, r round, run goldenRun) error {
	if len(run.paths) == 0 {
		return nil
	}
	if _, err := s.Workspace.PutBack(context.WithoutCancel(ctx), run.before, run.paths, s.id+"/"+r.label+"-golden"); err != nil {
		return fmt.Errorf("putting the work back after a golden check: %w", err)
	}
	return nil
}

// tell adds to a verdict which files were not the work's.
func (run goldenRun) tell(v Verdict) Verdict {
	if len(run.paths) == 0 {
		return v
	}
	quoted := make([]string, len(run.paths))
	for i, path := range run.paths {
		quoted[i] = text.QuotePath(path)
	}
	note := fmt.Sprintf("ran with %s as at the session's start: %s", text.Count(len(run.paths), "protected file"), strings.Join(clipList(quoted), ", "))
	if v.Summary = strings.TrimPrefix(v.Summary+"; "+note, "; "); v.Finding != nil {
		f := *v.Finding
		f.Text = "The check " + note + ", not as they are now.\n" + f.Text
		v.Finding = &f
	}
	return v
}
