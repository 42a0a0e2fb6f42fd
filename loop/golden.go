package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// A goldenRun is the work with what was laid over it for a golden check: paths that differed from the session's base.
type goldenRun struct {
	laid  mulligan.Tree // what the check is to examine
	paths []string
}

// layGolden makes the protected files what they were at the session's base, for a check that wants that.
// Files that the base lacks go.
func (s *Session) layGolden(ctx context.Context, r round, index int, before mulligan.Tree) (run goldenRun, err error) {
	run.laid = before
	if !r.step.Checks[index].Golden || s.FindViolations == nil {
		return run, nil
	}
	ctx = context.WithoutCancel(ctx)
	st := &s.state
	bases, at := []mulligan.Tree{st.Base}, st.FindStep(r.step.Name)
	if at < 0 {
		at = min(st.Step, len(st.Plan.Steps)) // the final delivery's checks come behind all steps
	} else if st.Final == nil {
		bases = append(bases, st.Steps[at].Base)
	}
	for i, base := range bases {
		paths, err := s.findGolden(ctx, base, before, st.Plan.Steps[:at], i > 0)
		if err != nil || len(paths) == 0 {
			if err != nil {
				return run, err
			}
			continue
		}
		if run.laid, err = s.Store.Combine(ctx, run.laid, base, paths); err != nil {
			return run, fmt.Errorf("laying out the files of the session's base: %w", err)
		}
		run.paths = append(run.paths, paths...)
	}
	slices.Sort(run.paths)
	return run, nil
}

// findGolden returns the protected paths that differ from a base: those that one of the steps before was given to
// write, whose base is this step's, or the others, whose base is the session's.
func (s *Session) findGolden(ctx context.Context, base, now mulligan.Tree, before []mulligan.Step, given bool) ([]string, error) {
	if base.ID == "" || base.ID == now.ID {
		return nil, nil
	}
	changes, err := s.Store.Changes(ctx, base, now)
	if err != nil {
		return nil, fmt.Errorf("comparing with the session's base: %w", err)
	}
	var paths []string
	for _, v := range s.FindViolations(s.protectionCase(), changes) {
		if s.wasGiven(v.Change, before) == given {
			paths = append(paths, v.Path)
		}
	}
	return paths, nil
}

// wasGiven reports whether one of the steps before names a path in its allow_write: then what that
// step made of it is what the person wanted.
func (s *Session) wasGiven(c mulligan.Change, before []mulligan.Step) bool {
	return slices.ContainsFunc(before, func(step mulligan.Step) bool {
		return step.WriteRules.Limited && len(s.FindViolations(mulligan.WriteCase{Rules: step.WriteRules}, []mulligan.Change{c})) == 0
	})
}

// tell adds to a verdict which files were not the work's.
func (run goldenRun) tell(v mulligan.Verdict) mulligan.Verdict {
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
