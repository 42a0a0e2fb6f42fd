package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"mulligan"
)

// restoreRounds bounds how often Restore compares and writes until the tree is as it should be.
const restoreRounds = 20

// Restore puts files, HEAD and index back to a snapshot. It takes a snapshot of the present state under
// the label first. Files that the .gitignore files of the snapshot ignore stay.
func (w *Workspace) Restore(ctx context.Context, to mulligan.Tree, label string) error {
	w.lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// Once begun it is completed: half of it would be neither the old state nor the new.
	if err := w.restoreLocked(context.WithoutCancel(ctx), to, label); err != nil {
		return fmt.Errorf("cannot restore the workspace: %w", err)
	}
	return nil
}

// restoreLocked is Restore. It must be called with w.mu held.
func (w *Workspace) restoreLocked(ctx context.Context, to mulligan.Tree, label string) error {
	if _, err := parseOID(to.ID); err != nil {
		return err
	}
	was, err := w.keepReplaced(ctx, to, label)
	if err != nil {
		return err
	}
	// The rules of what git ignores and tracks decide what may be deleted, so they come first: else the
	// user's ignored files would be deleted after an agent has deleted a .gitignore.
	if err := w.restoreRules(ctx, was, to, label); err != nil {
		return err
	}
	for round := range restoreRounds {
		found, err := w.findRemaining(ctx, was, to, fmt.Sprintf("%s-%d", label, round+2))
		if err != nil || len(found) == 0 {
			return err
		}
		if err := w.putBack(ctx, found); err != nil {
			return err
		}
	}
	return fmt.Errorf("the files do not stay as they are put; end what is still writing in %s", w.root.Dir)
}

// keepReplaced keeps what a restore replaces under the label. Where the files are those of the tree already, a process
// that was killed after the same restore has kept that, and it stays. It must be called with w.mu held.
func (w *Workspace) keepReplaced(ctx context.Context, to mulligan.Tree, label string) (mulligan.Tree, error) {
	before, err := readRef(w.store.dir, w.store.dir, path.Join(snapshotRefs, label))
	if err != nil || before == "" {
		return w.snapshotLocked(ctx, label)
	}
	id, err := w.scan.walkTree(ctx)
	if err != nil || id != to.ID {
		return w.snapshotLocked(ctx, label)
	}
	return mulligan.Tree{ID: id}, w.store.flush()
}

// findRemaining returns the differences that are left between the files and the tree to. If that would
// delete or overwrite files that the first snapshot lacks (a rule that is gone now had hidden them), it
// takes another snapshot under the label.
func (w *Workspace) findRemaining(ctx context.Context, was, to mulligan.Tree, label string) ([]difference, error) {
	now, err := w.scan.walkAndFlush(ctx)
	if err != nil {
		return nil, err
	}
	found, err := w.compareSnapshots(ctx, now, to.ID)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, w.skipMovedModule)
	since, err := w.compareSnapshots(ctx, was.ID, now)
	if err != nil {
		return nil, err
	}
	news := make(map[string]bool, len(since))
	for _, d := range since {
		news[d.path] = true
	}
	if slices.ContainsFunc(found, func(d difference) bool { return d.from != nil && news[d.path] }) {
		_, err = w.snapshotLocked(ctx, label)
	}
	return found, err
}

// skipMovedModule reports whether the difference is a module that is at another commit than in the
// snapshot, and logs that it stays there.
func (w *Workspace) skipMovedModule(d difference) bool {
	if d.from == nil || d.to == nil || d.from.mode != modeModule || d.to.mode != modeModule {
		return false
	}
	w.scan.logOnce("the module %s stays at %s; in the snapshot it was at %s", d.path, d.from.id, d.to.id)
	return true
}

// restoreRules puts back the .gitignore files, HEAD and the index.
func (w *Workspace) restoreRules(ctx context.Context, was, to mulligan.Tree, label string) error {
	found, err := w.compareSnapshots(ctx, was.ID, to.ID)
	if err != nil {
		return err
	}
	rules := slices.DeleteFunc(found, func(d difference) bool { return !d.hasName(ignoreFile) })
	if err := w.applyDifferences(ctx, rules); err != nil {
		return err
	}
	if err := w.restoreHead(ctx, to, label); err != nil {
		return err
	}
	w.forgetMerge()
	_, head, err := w.currentHead(ctx)
	if err != nil {
		return err
	}
	w.resetIndex(ctx, head)
	return nil
}

// restoreHead puts HEAD back on the branch that it named, and that on its commit.
func (w *Workspace) restoreHead(ctx context.Context, to mulligan.Tree, label string) error {
	ref, head, err := w.currentHead(ctx)
	if err != nil || to.Head == "" {
		return err
	}
	want, err := w.findRefOf(ctx, to, ref, label)
	if err != nil || want == ref && head == to.Head {
		return err
	}
	if w.foreign && want == ref {
		// What is not the session's own is never moved backwards: the files alone go back.
		forward, err := w.Contains(ctx, to.Head, head)
		if err != nil {
			return err
		}
		if !forward {
			w.log(fmt.Sprintf("%s stays at %.7s; its files go back to what they were", describeHead(ref, head), head))
			return nil
		}
	}
	what, from, back := "HEAD", describeHead(ref, head), describeHead(want, to.Head)
	if want == ref && ref != "" {
		what, from, back = describeHead(ref, head), fmt.Sprintf("%.7s", head), fmt.Sprintf("%.7s", to.Head)
	}
	if !w.quiet {
		w.log(fmt.Sprintf("%s goes back from %s to %s; `git reflog` has where it was", what, from, back))
	}
	return w.moveHead(ctx, want, to.Head, "mulligan: restore")
}

// findRefOf returns the ref that HEAD named when the tree was stored: the session's branch if it has one,
// else that of a snapshot with this tree, preferably of the label's session, else now.
func (w *Workspace) findRefOf(ctx context.Context, t mulligan.Tree, now, label string) (string, error) {
	if w.branch != "" {
		return headsPrefix + w.branch, nil
	}
	all, err := w.Snapshots(ctx, "")
	if err != nil {
		return "", err
	}
	fits := slices.DeleteFunc(all, func(s Snapshot) bool { return s.Tree != t || s.Label == label })
	if len(fits) == 0 {
		return now, nil
	}
	// The oldest is from before an agent could have moved HEAD.
	best := fits[0]
	if i := slices.IndexFunc(fits, func(s Snapshot) bool { return path.Dir(s.Label) == path.Dir(label) }); i > 0 {
		best = fits[i]
	}
	if best.Branch == "" {
		return "", nil
	}
	return headsPrefix + best.Branch, nil
}

// putBack makes the files that differ what they should be.
func (w *Workspace) putBack(ctx context.Context, found []difference) error {
	// An ignored file that is in the snapshot was tracked then, by an index that is gone. It is added to
	// the index again, or the next walk would not see it.
	var forced bytes.Buffer
	for _, d := range found {
		if n := w.scan.root.findNode(d.path); d.from == nil && n != nil && n.kind == ignored {
			forced.WriteString(d.path + "\x00")
		}
	}
	if err := w.applyDifferences(ctx, found); err != nil {
		return err
	}
	if forced.Len() == 0 {
		return nil
	}
	_, err := w.git.runWithInput(ctx, forced.Bytes(), "update-index", "-z", "--add", "--replace", "--stdin")
	return err
}

// applyDifferences deletes first and then writes, so that a folder can take a file's place and the other
// way round.
func (w *Workspace) applyDifferences(ctx context.Context, found []difference) (err error) {
	if len(found) == 0 {
		return nil
	}
	root, err := os.OpenRoot(w.root.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	p := &checkoutWriter{root: root, blobs: w.snapshots, log: w.log}
	for _, d := range slices.Backward(found) {
		if d.to == nil || d.kind() == changeType {
			if err := p.removeFile(d.path); err != nil {
				return err
			}
		}
	}
	for _, d := range found {
		if d.to == nil {
			continue
		}
		if err := p.writePath(ctx, d); err != nil {
			return fmt.Errorf("%s: %w", strings.ToValidUTF8(d.path, "?"), err)
		}
	}
	return nil
}
