package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
)

// Return checks out what a person was on when the session began: their branch at its present tip, or the
// commit of a detached HEAD. Files that git ignores stay. It moves no branch. If it cannot, everything
// stays as it is, and Standing.Stays tells why. A Return that a killed process began is completed:
// a file that is neither what the session left nor the person's is kept under the label aside first.
func (w *Workspace) Return(ctx context.Context, r mulligan.Return, label, aside string) (mulligan.Standing, error) {
	w.lock()
	defer w.mu.Unlock()
	// Once begun it is completed: half of it would be neither checkout.
	ctx = context.WithoutCancel(ctx)
	var notes []string
	target, stays, err := w.findReturnTarget(ctx, r)
	if err == nil && stays == "" {
		notes, stays, err = w.switchBack(ctx, r, target, aside)
	}
	if err != nil {
		return mulligan.Standing{}, fmt.Errorf("cannot return the checkout: %w", err)
	}
	s, err := w.standLocked(ctx, r.From, label)
	s.Stays, s.Notes = stays, notes
	if err != nil || stays != "" {
		return s, err
	}
	s.Returned = true
	s.Hidden, s.Notes, err = w.listLeftovers(ctx, s, notes)
	if theirs := r.Theirs; theirs != nil {
		s.Hidden = slices.DeleteFunc(s.Hidden, func(path string) bool { return slices.Contains(theirs.Paths, path) })
	}
	return s, err
}

// Stand returns how the checkout stands, and keeps its files as a snapshot under the label. from is the
// session's branch.
func (w *Workspace) Stand(ctx context.Context, from, label string) (mulligan.Standing, error) {
	w.lock()
	defer w.mu.Unlock()
	return w.standLocked(context.WithoutCancel(ctx), from, label)
}

// standLocked is Stand. It must be called with w.mu held.
func (w *Workspace) standLocked(ctx context.Context, from, label string) (mulligan.Standing, error) {
	tree, err := w.snapshotLocked(ctx, label)
	if err != nil {
		return mulligan.Standing{}, err
	}
	ref, _, err := w.currentHead(ctx)
	if err != nil {
		return mulligan.Standing{}, err
	}
	s := mulligan.Standing{Branch: strings.TrimPrefix(ref, headsPrefix), Head: tree.Head, Tree: tree.ID}
	if from != "" {
		s.SessionHead, err = w.branchCommit(ctx, headsPrefix+from)
	}
	return s, err
}

// findReturnTarget returns the commit to check out, or why the checkout has to stay.
func (w *Workspace) findReturnTarget(ctx context.Context, r mulligan.Return) (commit, stays string, err error) {
	if doing := w.InProgress(ctx); doing != "" && !strings.HasPrefix(doing, "a merge") {
		return "", "git is in the middle of " + doing + " that was begun meanwhile", nil
	}
	if r.To == "" {
		if _, err := w.readCommit(ctx, r.Commit); err != nil {
			return "", fmt.Sprintf("the commit %.10s is gone", r.Commit), nil
		}
		return r.Commit, "", nil
	}
	ref := headsPrefix + r.To
	if commit, err = w.branchCommit(ctx, ref); err != nil {
		return "", "", err
	}
	if commit == "" {
		return "", fmt.Sprintf("the branch %s is gone", r.To), nil
	}
	elsewhere, err := w.findOtherCheckout(ctx, ref)
	if err == nil && elsewhere != "" {
		stays = fmt.Sprintf("the branch %s is checked out in %s", r.To, elsewhere)
	}
	return commit, stays, err
}

// findOtherCheckout returns the folder of another worktree that has a ref checked out, or "" if none has.
func (w *Workspace) findOtherCheckout(ctx context.Context, ref string) (string, error) {
	if !isFolder(filepath.Join(w.root.common, "worktrees")) && w.root.git == w.root.common {
		return "", nil // there is no other
	}
	all, err := listWorktrees(ctx, w.root, w.refs)
	if err != nil {
		return "", err
	}
	own, err := filepath.EvalSymlinks(w.root.Dir)
	if err != nil {
		return "", err
	}
	for _, t := range all {
		if t.ref == ref && t.dir != own && t.dir != w.root.Dir {
			return t.dir, nil
		}
	}
	return "", nil
}

// switchBack makes files and index those of the target and puts HEAD on it, or returns why it did not.
// No branch is moved.
func (w *Workspace) switchBack(ctx context.Context, r mulligan.Return, target, aside string) (notes []string, stays string, err error) {
	now, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return nil, "", err
	}
	c, err := w.readCommit(ctx, target)
	if err != nil {
		return nil, "", err
	}
	found, attributes, err := w.compareWithCommit(ctx, c.tree, now)
	if err != nil {
		return nil, "", err
	}
	if stays, err = w.findObstacle(ctx, found); stays != "" || err != nil {
		return nil, stays, err
	}
	if now != r.Left.ID {
		if found, err = w.skipUnknown(ctx, r.Left.ID, found); err != nil {
			return nil, "", err
		}
		if notes, err = w.keepStrays(ctx, r.Left.ID, now, found, aside); err != nil {
			return nil, "", err
		}
	}
	inWay, others := splitInWay(found)
	if err := w.removeUntracked(inWay); err != nil {
		return notes, "", err
	}
	if err := w.checkOutTarget(ctx, found, target, attributes); err != nil {
		return notes, "git could not switch: " + err.Error(), w.applyDifferences(ctx, inWay)
	}
	if err := w.removeUntracked(others); err != nil {
		return notes, "", err
	}
	w.forgetMerge()
	if err := w.pointHead(ctx, r.To, target); err != nil || r.Theirs == nil {
		return notes, "", err
	}
	if r.Theirs.Tree.Head != target {
		session, _, _ := strings.Cut(aside, "/")
		return append(notes, fmt.Sprintf("your uncommitted %s was of another commit; `mulligan restore %s %s` has it", strings.Join(r.Theirs.Paths, ", "), session, BeforeEntry)), "", nil
	}
	return notes, "", w.writeTheirs(ctx, *r.Theirs)
}

// BeforeEntry names the snapshot of the checkout before a resumed session entered it.
const BeforeEntry = "before-going-on"

// writeTheirs brings a person's uncommitted files back.
func (w *Workspace) writeTheirs(ctx context.Context, theirs mulligan.PersonFiles) error {
	now, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return err
	}
	found, err := w.compareSnapshots(ctx, now, theirs.Tree.ID)
	if err != nil {
		return err
	}
	return w.applyDifferences(ctx, slices.DeleteFunc(found, func(d difference) bool { return !slices.Contains(theirs.Paths, d.path) }))
}

// compareWithCommit returns the differences from a tree of the user's repository to a snapshot, and whether one of these
// has attributes that may rule them. Where a filter rules a file, it may count as different although it is not.
func (w *Workspace) compareWithCommit(ctx context.Context, userTree, snapshot string) (found []difference, attributes bool, err error) {
	compared := comparison{from: w.objects, to: w.snapshots}
	if w.idLen != len(snapshot) {
		compared.same = w.sameContent(ctx)
	}
	found, err = compared.compareTrees(ctx, userTree, snapshot)
	return found, compared.attributes, err
}

// skipUnknown returns the differences without paths that neither the target nor what the session left has:
// they stay. Once a killed process has written the target's ignore rules, files that only the session's own
// rules hide are among them.
func (w *Workspace) skipUnknown(ctx context.Context, left string, found []difference) ([]difference, error) {
	known, err := w.listTree(ctx, left)
	return slices.DeleteFunc(found, func(d difference) bool { return d.from == nil && !known[d.path] }), err
}

// keepStrays keeps a snapshot if files are neither what the session left nor the target's, and returns a
// note that names them.
func (w *Workspace) keepStrays(ctx context.Context, left, now string, target []difference, label string) ([]string, error) {
	since, err := w.compareSnapshots(ctx, left, now)
	if err != nil {
		return nil, err
	}
	foreign := make(map[string]bool, len(target))
	for _, d := range target {
		foreign[d.path] = d.to != nil
	}
	var paths []string
	for _, d := range since {
		if d.to != nil && foreign[d.path] {
			paths = append(paths, d.path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	label, err = w.nextLabel(label)
	if err != nil {
		return nil, err
	}
	_, err = w.snapshotLocked(ctx, label)
	return []string{describeAside(paths, label)}, err
}

// nextLabel returns the label with the first number that no snapshot has.
func (w *Workspace) nextLabel(label string) (string, error) {
	for n := 1; ; n++ {
		numbered := fmt.Sprintf("%s-%d", label, n)
		id, err := readRef(w.store.dir, w.store.dir, snapshotRefs+"/"+numbered)
		if err != nil || id == "" {
			return numbered, err
		}
	}
}

// describeAside returns which files were put aside, and the command that brings them back.
func describeAside(paths []string, label string) string {
	session, name, _ := strings.Cut(label, "/")
	list := strings.Join(paths[:min(len(paths), maxNamed)], ", ")
	if more := len(paths) - maxNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("put aside: %s; `mulligan restore %s %s` brings them back", list, session, name)
}

// maxNamed is how many paths a note names.
const maxNamed = 10

// pointHead makes HEAD name a branch, or detaches it at a commit if branch is "". The branch stays where it
// is.
func (w *Workspace) pointHead(ctx context.Context, branch, commit string) error {
	w.branch = branch
	ref, head, err := w.currentHead(ctx)
	switch {
	case err != nil:
		return err
	case branch == "" && ref == "" && head == commit, branch != "" && ref == headsPrefix+branch:
		return nil
	case branch == "":
		return w.changeHead(ctx, "update-ref", "--no-deref", "-m", "mulligan: return", "HEAD", commit)
	}
	return w.switchHead(ctx, headsPrefix+branch, "mulligan: return to "+branch)
}

// listLeftovers returns the paths that the returned checkout has and its commit does not, and notes about
// modules that stay at another commit.
func (w *Workspace) listLeftovers(ctx context.Context, s mulligan.Standing, notes []string) (hidden, all []string, err error) {
	c, err := w.readCommit(ctx, s.Head)
	if err != nil {
		return nil, notes, err
	}
	found, _, err := w.compareWithCommit(ctx, c.tree, s.Tree)
	for _, d := range found {
		switch {
		case d.from == nil:
			hidden = append(hidden, d.path)
		case d.to != nil && d.from.mode == modeModule && d.to.mode == modeModule:
			notes = append(notes, fmt.Sprintf("the submodule %s stays at %.10s; `git submodule update %s` takes it to %.10s", d.path, d.to.id, d.path, d.from.id))
		}
	}
	return hidden, notes, err
}
