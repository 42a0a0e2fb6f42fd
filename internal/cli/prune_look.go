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
	"mulligan/internal/lockfile"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/workspace"
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
	if err := p.findSlots(all, here); err != nil {
		return err
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
	item = pruneItem{session: s, bytes: workspace.SizeOf(p.folders.Session(s.ID))}
	store, err := p.app.OpenStore(s.Root)
	if err != nil {
		return item, err
	}
	item.kept, err = store.List(ctx, s.ID)
	return item, err
}

// A pruneSlot is a pair of clones that no session works in, and whose last session is old.
type pruneSlot struct {
	dir   string
	bytes int64
}

// findSlots finds the slots of the repositories of sessions whose last session is old. all are the journal's sessions.
func (p *pruner) findSlots(all, here []mulligan.Summary) error {
	var roots []string
	for _, s := range here {
		if !slices.Contains(roots, s.Root) {
			roots = append(roots, s.Root)
		}
	}
	for _, root := range roots {
		slots, err := p.folders.ListSlots(root)
		if err != nil {
			return err
		}
		for _, dir := range slots {
			id := workspace.SlotSession(dir)
			i := slices.IndexFunc(all, func(s mulligan.Summary) bool { return s.ID == id })
			if i >= 0 && !p.isOld(all[i]) {
				continue
			}
			lock, err := lockfile.Lock(p.folders.Lock(workspace.WorkspaceIn(dir)))
			if err != nil {
				continue // a session works in it
			}
			p.slots = append(p.slots, pruneSlot{dir: dir, bytes: workspace.SizeOf(dir)})
			lock.Unlock()
		}
	}
	return nil
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
		p.logs, p.logBytes = append(p.logs, path), p.logBytes+workspace.SizeOf(path)
	}
	return nil
}

// A mergedBranch is the merged branch of an old session.
type mergedBranch struct {
	*workspace.MergedBranch
	root   string
	needed bool // work of the session's that is not committed belongs to it
}

// findMergedBranches finds the merged branches of old sessions that no other session works on.
func (p *pruner) findMergedBranches(ctx context.Context, all, old []mulligan.Summary) {
	for _, s := range old {
		if !strings.HasPrefix(s.Branch, workspace.SessionBranches) || slices.ContainsFunc(p.branches, func(b mergedBranch) bool { return b.Name == s.Branch }) {
			continue
		}
		if slices.ContainsFunc(all, func(o mulligan.Summary) bool { return o.Branch == s.Branch && !p.isOld(o) }) {
			continue
		}
		merged, err := workspace.FindMerged(ctx, s.Root, s.Branch, p.app.Environ)
		if err != nil || merged == nil { // a repository that is gone has no branch to delete
			continue
		}
		if dir, err := workspace.CheckedOutIn(ctx, s.Root, s.Branch, p.app.Environ); err != nil || dir != "" {
			continue
		}
		needed := slices.ContainsFunc(p.sessions, func(i pruneItem) bool { return i.session.Branch == s.Branch && len(i.listWork()) > 0 })
		p.branches = append(p.branches, mergedBranch{MergedBranch: merged, root: s.Root, needed: needed})
	}
}

// deleteBranches deletes the merged branches, and names each that it must keep.
func (p *pruner) deleteBranches(ctx context.Context) {
	deleted := 0
	for _, b := range p.branches {
		if err := b.Delete(ctx, b.root, p.app.Environ); err != nil {
			fmt.Fprintf(p.app.Stdout, "branch %s is kept: %v\n", b.Name, err)
			continue
		}
		deleted++
	}
	fmt.Fprintf(p.app.Stdout, "deleted %s\n", text.Count(deleted, "merged branch"))
}
