package mulligan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan/internal/text"
)

// rememberGit remembers the repository's own git files, before something runs that may change them. The caller must
// flush before that: a process that resumes the session goes by the digest in the journal.
func (s *Session) rememberGit(ctx context.Context) error {
	digest, left, err := s.Workspace.RememberGit(context.WithoutCancel(ctx), s.id)
	if err != nil {
		return fmt.Errorf("remembering git's own files: %w", err)
	}
	if err := s.recordGit(GitByKilled, left); err != nil || digest == s.state.Git.Memory {
		return err
	}
	return s.record(GitRemembered{Digest: digest})
}

// settleGit compares git's own files after something has run, when its processes have ended, and before any git of
// ours runs. What starts programs or hides files is put back, and so is what was taken from branches. before is the
// workspace before a turn.
func (s *Session) settleGit(ctx context.Context, by GitActor, before Tree) error {
	st := &s.state
	base := st.Head
	if base == "" {
		base = st.Place.Base
	}
	changes, err := s.Workspace.RestoreGit(context.WithoutCancel(ctx), GitCheck{Session: s.id, Base: base, Made: st.Git.Made, Before: before})
	if err != nil {
		return fmt.Errorf("comparing git's own files: %w", err)
	}
	return s.recordGit(by, changes)
}

// recordGit records what was found, and notes it for a person.
func (s *Session) recordGit(by GitActor, changes []GitChange) error {
	if len(changes) == 0 {
		return nil
	}
	var files, branches, stay, kept []string
	for _, c := range changes {
		switch {
		case c.Stays():
			stay = append(stay, c.brief())
		case c.Fails() || c.Kind == GitOwnGone:
			branches = append(branches, c.brief())
		default:
			files = append(files, c.brief())
			if c.Kept != "" && !slices.Contains(kept, c.Kept) {
				kept = append(kept, c.Kept)
			}
		}
	}
	var notes []Body
	for _, n := range []struct {
		what string
		list []string
	}{
		{"git's own files were changed %s, and put back: ", files},
		{"git's own files as they were then: ", kept},
		{"branches were changed %s, and put back: ", branches},
		{"branches were changed %s, and stay so: ", stay},
	} {
		if len(n.list) > 0 {
			notes = append(notes, Noted{Text: strings.ReplaceAll(n.what, "%s", by.describe()) + strings.Join(clipList(n.list), "; ")})
		}
	}
	return s.record(append(notes, GitRestored{By: by, Changes: changes})...)
}

// describe returns when something was changed, for a person.
func (a GitActor) describe() string {
	switch a {
	case GitByAgent:
		return "in the agent's turn"
	case GitByCheck:
		return "while a check ran"
	case GitByHook:
		return "while a hook ran"
	case GitByKilled:
		return "before a process of mulligan's was killed"
	}
	return "meanwhile"
}

// gitRulesGate is the name under which an attempt fails that took commits from a branch.
const gitRulesGate = "other branches keep their commits"

// enforceGitRules ends a round before its first gate if the agent has taken commits from a branch, and reports
// whether it has. They were put back.
func (s *Session) enforceGitRules(ctx context.Context, r round) (failed bool, err error) {
	found := s.state.Git.Violations
	if len(found) == 0 {
		return false, nil
	}
	lines := make([]string, 0, len(found))
	for _, c := range found {
		lines = append(lines, c.Describe())
	}
	summary := found[0].describe()
	if more := len(found) - 1; more > 0 {
		summary += ", and " + text.Count(more, "other branch")
	}
	body := "Only this work's own branch is yours to change, and only by commits on top of it. What you did to these branches was put back:\n- " +
		strings.Join(clipList(lines), "\n- ") + "\nLeave them alone. You may make branches of your own."
	v := Verdict{Status: Fail, Gate: gitRulesGate, Summary: summary, Finding: &Finding{Command: gitRulesGate, Text: body, Bytes: int64(len(body))}}
	// The view lists it after the step's own checks.
	if err := s.record(GateEnded{Index: len(r.step.Checks), Verdict: v}); err != nil {
		return true, err
	}
	return true, r.fail(ctx, v)
}
