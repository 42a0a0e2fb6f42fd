package mulligan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan/internal/text"
)

// An Unheld is something in the workspace that no commit of the workspace holds, although checks see it.
type Unheld struct {
	Kind UnheldKind `json:"kind"`
	Path string     `json:"path"`
	// ID is the content of a file, the commit of a submodule, the rule that hides a path, or where a link
	// leads; of what git refuses to add it is git's reason, or the object that is damaged.
	ID string `json:"id,omitempty"`
	// Rule is the line of .gitattributes behind a refusal, or behind other bytes in a clone: "FILE:LINE gives it ATTRIBUTE=VALUE".
	Rule string `json:"rule,omitempty"`
}

// An UnheldKind is why a commit does not hold something.
type UnheldKind string

const (
	UnheldRepository   UnheldKind = "repository"    // a repository inside the workspace that git does not track
	UnheldModuleFile   UnheldKind = "module_file"   // a changed or added file inside a submodule
	UnheldModuleCommit UnheldKind = "module_commit" // a submodule's commit that no remote-tracking ref has
	UnheldHidden       UnheldKind = "hidden"        // what a local rule hides
	UnheldSparse       UnheldKind = "sparse"        // a deleted file that git was told to skip
	UnheldLinkOut      UnheldKind = "link_out"      // a link that leads out of the repository
	UnheldLinkHidden   UnheldKind = "link_hidden"   // a link to what no commit has: ignored, or in a git folder
	UnheldName         UnheldKind = "name"          // a name that git refuses
	UnheldRefused      UnheldKind = "refused"       // a file whose content git refuses to add
	UnheldObject       UnheldKind = "object"        // a file whose object in the repository is damaged
	UnheldUnreadable   UnheldKind = "unreadable"    // a file or folder that cannot be read
	UnheldTooLong      UnheldKind = "too_long"      // a path that is longer than the system allows
	UnheldCheckout     UnheldKind = "checkout"      // a file that a clone would have in another way, by new attributes
	// UnheldRule is a rule that only this clone has, in info/exclude or core.excludesFile. By itself it
	// is no fault.
	UnheldRule UnheldKind = "rule"
)

// describe returns what is the matter and what an agent can do about it, in a line.
func (u Unheld) describe() string {
	switch u.Kind {
	case UnheldRepository:
		return u.Path + " is a git repository of its own, and a commit cannot hold its files: remove its .git, or all of it; list it in .gitignore if it is no part of the work"
	case UnheldModuleFile:
		return u.Path + " lies in a submodule, and is not committed there: undo the change, or do the work outside of the submodule"
	case UnheldModuleCommit:
		return fmt.Sprintf("the submodule %s is at commit %.10s, which none of its remote-tracking branches has, so that no clone could check it out: go back to a commit that its remote has", u.Path, u.ID)
	case UnheldHidden:
		return fmt.Sprintf("%s is hidden by the new rule %q in git's local excludes (.git/info/exclude or core.excludesFile), so that a commit lacks it: remove the rule, or move it to .gitignore if the path is no part of the work", u.Path, u.ID)
	case UnheldSparse:
		return u.Path + " is deleted, but git was told to skip it (skip-worktree, in a sparse checkout), so that a commit keeps it: `git update-index --no-skip-worktree` makes the deletion count"
	case UnheldLinkOut:
		return fmt.Sprintf("%s is a link to %s, which leads out of the repository, so that a commit lacks what is behind it: put the files themselves there, or a relative link to a path of the repository; list it in .gitignore if it is no part of the work", text.QuotePath(u.Path), text.QuotePath(u.ID))
	case UnheldLinkHidden:
		return fmt.Sprintf("%s is a link to %s, which git ignores or no commit can have, so that a commit lacks what is behind it: put the files themselves there; list the link in .gitignore if it is no part of the work", text.QuotePath(u.Path), text.QuotePath(u.ID))
	case UnheldName, UnheldRefused, UnheldObject, UnheldUnreadable, UnheldTooLong, UnheldCheckout:
		return u.describeRefused()
	case UnheldRule:
	}
	return u.Path
}

// unheldGate is the name under which work that a commit cannot hold fails an attempt.
const unheldGate = "the commit holds the work"

// failUnheld ends a round before its first gate if the workspace has work that a commit cannot hold, and
// reports whether it has.
func (s *Session) failUnheld(ctx context.Context, r round) (failed bool, err error) {
	v, err := s.examineUnheld(ctx)
	if err != nil || v == nil {
		return false, err
	}
	// The view lists it after the step's own checks.
	if err := s.record(GateEnded{Index: len(r.step.Checks), Verdict: *v}); err != nil {
		return true, err
	}
	return true, r.fail(ctx, *v)
}

// examineUnheld returns the verdict on work that a commit cannot hold, or nil if there is none. What the
// session's start had already, and what checks have made, is not the agent's.
func (s *Session) examineUnheld(ctx context.Context) (*Verdict, error) {
	found, err := s.findUnheld(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	v := newUnheldVerdict(found)
	return &v, nil
}

// newUnheldVerdict returns the verdict on what a commit cannot hold.
func newUnheldVerdict(found []Unheld) Verdict {
	lines := make([]string, 0, len(found))
	for _, u := range found[:min(len(found), maxListed)] {
		lines = append(lines, u.describe())
	}
	lines = addMore(lines, len(found)-len(lines))
	summary := fmt.Sprintf("a commit cannot hold %s", text.Clip(text.QuotePath(found[0].Path), 200))
	if more := len(found) - 1; more > 0 {
		summary += " and " + text.Count(more, "other path")
	}
	body := "A commit cannot hold all of the work:\n- " + strings.Join(lines, "\n- ")
	return Verdict{Status: Fail, Gate: unheldGate, Summary: summary, Finding: &Finding{Command: unheldGate, Text: body, Bytes: int64(len(body))}}
}

// findUnheld returns what a commit cannot hold and is not known from before. Where nothing is committed,
// or the start was not looked at, there is none.
func (s *Session) findUnheld(ctx context.Context) ([]Unheld, error) {
	st := &s.state
	if !st.Plan.Git.Commit || !st.UnheldSeen {
		return nil, nil
	}
	all, err := s.Workspace.Unheld(context.WithoutCancel(ctx), st.CommittedTree, st.Unheld)
	if err != nil {
		return nil, fmt.Errorf("looking for work that a commit cannot hold: %w", err)
	}
	return slices.DeleteFunc(all, func(u Unheld) bool { return u.Kind == UnheldRule || slices.Contains(st.Unheld, u) }), nil
}

// seeStart adds to the first attempt what the workspace has that a commit cannot hold.
func (s *Session) seeStart(ctx context.Context, started *AttemptStarted) (err error) {
	if s.state.UnheldSeen || !s.state.Plan.Git.Commit {
		return nil
	}
	started.UnheldSeen = true
	if started.Unheld, err = s.Workspace.Unheld(context.WithoutCancel(ctx), Tree{}, nil); err != nil {
		err = fmt.Errorf("looking at what the workspace has: %w", err)
	}
	return err
}
