package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// SessionBranches is the folder of the branches that sessions make in the person's repository.
const SessionBranches = "mulligan/"

// leftRefs is the folder of the refs in the person's repository that have the work that did not verify.
const leftRefs = "refs/mulligan/left/"

// LeftRef returns the ref in the person's repository that has what a session left and no commit of its branch has.
func LeftRef(session string) string { return leftRefs + session }

// A MergedBranch is the branch of a session, all of whose commits a branch of the person's has.
type MergedBranch struct {
	Name string // without refs/heads/
	Into string
	tip  string
}

// FindMerged returns a session's branch if a branch of the person's has all its commits, else nil. root is a checkout of
// their repository.
func FindMerged(ctx context.Context, root, branch string, environ []string) (*MergedBranch, error) {
	const heads = "refs/heads/"
	if !strings.HasPrefix(branch, SessionBranches) {
		return nil, nil
	}
	g := newPersonGit(root, environ)
	tip, err := g.line(ctx, "for-each-ref", "--format=%(objectname)", heads+branch)
	if err != nil || tip == "" || strings.Contains(tip, "\n") {
		return nil, err
	}
	out, err := g.run(ctx, "for-each-ref", "--format=%(refname)", "--contains="+tip, heads)
	if err != nil {
		return nil, err
	}
	for ref := range strings.Lines(string(out)) {
		if name := strings.TrimPrefix(strings.TrimSuffix(ref, "\n"), heads); !strings.HasPrefix(name, SessionBranches) {
			return &MergedBranch{Name: branch, Into: name, tip: tip}, nil
		}
	}
	return nil, nil
}

// CheckedOutIn returns the folder of the worktree in which a branch is checked out, or "" if none has it.
func CheckedOutIn(ctx context.Context, root, branch string, environ []string) (string, error) {
	out, err := newPersonGit(root, environ).line(ctx, "for-each-ref", "--format=%(worktreepath)", "refs/heads/"+branch)
	return out, err
}

// Delete deletes the branch. It returns an error, and deletes nothing, if it is not merged any more or is checked out.
func (b *MergedBranch) Delete(ctx context.Context, root string, environ []string) error {
	now, err := FindMerged(ctx, root, b.Name, environ)
	if err != nil {
		return err
	}
	if now == nil {
		return errors.New("it is not merged")
	}
	if dir, err := CheckedOutIn(ctx, root, b.Name, environ); err != nil || dir != "" {
		if err == nil {
			err = fmt.Errorf("it is checked out in %s", dir)
		}
		return err
	}
	// Git deletes it only if it still is at the commit that is merged.
	_, err = newPersonGit(root, environ).run(ctx, "update-ref", "--no-deref", "-d", "refs/heads/"+b.Name, now.tip)
	return err
}

// Forget drops all that a session keeps in the store, and the ref in the person's repository that has what it left.
func (s *Store) Forget(ctx context.Context, root, session string) error {
	list, err := s.List(ctx, session)
	if err != nil || len(list) == 0 {
		return err
	}
	var drop strings.Builder
	for _, k := range list {
		fmt.Fprintf(&drop, "delete %s%s\n", sessionRefs, k.Label)
	}
	if _, err := s.git("").feed(ctx, []byte(drop.String()), "update-ref", "--stdin"); err != nil {
		return err
	}
	if !exists(root) {
		return nil
	}
	_, err = newPersonGit(root, s.environ).run(ctx, "update-ref", "--no-deref", "-d", LeftRef(session))
	return err
}

// Tidy packs what was added to the store, and frees what no ref has and is older than two weeks.
func (s *Store) Tidy(ctx context.Context) error {
	if _, err := s.git("").run(ctx, "repack", "--geometric=2", "-d", "--quiet"); err != nil {
		return err
	}
	_, err := s.git("").run(ctx, "prune", "--expire=2.weeks.ago")
	return err
}
