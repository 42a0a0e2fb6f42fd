package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/internal/workspace"
)

// look finds what there is to remove. It changes nothing.
func (p *pruner) look(ctx context.Context, all []mulligan.Summary) error {
	here := all
	if !p.opt.All {
		here = p.app.client().OfRepository(all)
		p.countOthers(all, here)
	}
	var old []mulligan.Summary
	for _, s := range here {
		if !p.isOld(s) {
			continue
		}
		old = append(old, s)
		item, err := p.lookAt(ctx, s)
		if err != nil {
			return err
		}
		p.sessions = append(p.sessions, item)
	}
	p.findMergedBranches(ctx, all, old)
	if p.opt.All { // nothing tells of which repository a log is
		return p.findLogs()
	}
	return nil
}

// isOld reports whether the session is over for good, and for long enough.
func (p *pruner) isOld(s mulligan.Summary) bool {
	return !sessions.CanResume(s) && s.Updated.Before(p.before)
}

// countOthers counts the old sessions of other repositories that left files.
func (p *pruner) countOthers(all, here []mulligan.Summary) {
	for _, s := range all {
		own := slices.ContainsFunc(here, func(h mulligan.Summary) bool { return h.ID == s.ID })
		if _, err := os.Stat(p.folders.Session(s.ID)); err == nil && !own && p.isOld(s) {
			p.others++
		}
	}
}

// lookAt returns what one session left.
func (p *pruner) lookAt(ctx context.Context, s mulligan.Summary) (item pruneItem, err error) {
	item = pruneItem{session: s, bytes: measureSize(p.folders.Session(s.ID))}
	item.worktree, item.stays = p.visitWorktree(ctx, s, func(context.Context, mulligan.Summary) error {
		item.bytes += measureSize(s.Dir)
		return nil
	})
	item.kept, err = workspace.ListKept(ctx, s.Root, p.folders.Snapshots(s.Root), s.ID)
	return item, err
}

// findLogs finds the old logs of sessions that ran as processes of their own.
func (p *pruner) findLogs() error {
	entries, err := os.ReadDir(p.folders.Logs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(p.before) {
			continue
		}
		path := filepath.Join(p.folders.Logs(), entry.Name())
		p.logs, p.logBytes = append(p.logs, path), p.logBytes+measureSize(path)
	}
	return nil
}

// A mergedBranch is the branch of a session, all of whose commits a branch of the user's has.
type mergedBranch struct {
	root, name, into string
	needed           bool // work of the session's that is not committed belongs to it
}

// findMergedBranches finds the merged branches of old sessions that no other session works on.
func (p *pruner) findMergedBranches(ctx context.Context, all, old []mulligan.Summary) {
	for _, s := range old {
		if !strings.HasPrefix(s.Branch, workspace.SessionBranches) || slices.ContainsFunc(p.branches, func(b mergedBranch) bool { return b.name == s.Branch }) {
			continue
		}
		if slices.ContainsFunc(all, func(o mulligan.Summary) bool { return o.Branch == s.Branch && !p.isOld(o) }) {
			continue
		}
		into, err := workspace.MergedInto(ctx, s.Root, s.Branch)
		if err != nil || into == "" || p.isCheckedOut(ctx, s) { // a repository that is gone has no branch to delete
			continue
		}
		needed := slices.ContainsFunc(p.sessions, func(i pruneItem) bool { return i.session.Branch == s.Branch && len(i.listWork()) > 0 })
		p.branches = append(p.branches, mergedBranch{root: s.Root, name: s.Branch, into: into, needed: needed})
	}
}

// isCheckedOut reports whether the session's branch is checked out in a worktree that stays.
func (p *pruner) isCheckedOut(ctx context.Context, s mulligan.Summary) bool {
	in, err := workspace.CheckedOutIn(ctx, s.Root)
	dir := in[s.Branch]
	if err != nil || dir == "" {
		return err != nil
	}
	return !slices.ContainsFunc(p.sessions, func(i pruneItem) bool { return i.worktree && i.session.Dir == dir })
}

// deleteBranches deletes the merged branches, and names each that it must keep.
func (p *pruner) deleteBranches(ctx context.Context) {
	deleted := 0
	for _, b := range p.branches {
		if err := workspace.DeleteMerged(ctx, b.root, b.name); err != nil {
			fmt.Fprintf(p.app.Stdout, "branch %s is kept: %v\n", b.name, err)
			continue
		}
		deleted++
	}
	fmt.Fprintf(p.app.Stdout, "deleted %s\n", text.Count(deleted, "merged branch"))
}
