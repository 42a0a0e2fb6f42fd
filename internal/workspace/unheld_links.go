package workspace

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mulligan"
)

// listStrayLinks returns the links in a folder that lead to what no commit has.
func (w *Workspace) listStrayLinks(f *folder, prefix string) (found []mulligan.Unheld, err error) {
	for _, n := range f.nodes {
		var in []mulligan.Unheld
		switch {
		case n.kind == link:
			in, err = w.examineLink(prefix + n.name)
		case n.kind == nested && n.sub != nil:
			in, err = w.listStrayLinks(n.sub, prefix+n.name+"/")
		}
		if err != nil {
			return nil, err
		}
		found = append(found, in...)
	}
	return found, nil
}

// listNewStrayLinks returns the links that are new or changed between two snapshots and lead to what no
// commit has. The second is of the files as they are.
func (w *Workspace) listNewStrayLinks(ctx context.Context, since, now string) (found []mulligan.Unheld, err error) {
	changed, err := w.compareSnapshots(ctx, since, now)
	if err != nil {
		return nil, err
	}
	for _, d := range changed {
		if d.to == nil || d.to.mode != modeLink {
			continue
		}
		in, err := w.examineLink(d.path)
		if err != nil {
			return nil, err
		}
		found = append(found, in...)
	}
	return found, nil
}

// examineLink returns a link if it leads to what no commit has. One that leads nowhere is fine.
func (w *Workspace) examineLink(name string) ([]mulligan.Unheld, error) {
	target, err := os.Readlink(w.fullPath(name))
	if isGone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kind, err := w.followLink(path.Dir(name), target)
	if err != nil || kind == "" {
		return nil, err
	}
	return []mulligan.Unheld{{Kind: kind, Path: name, ID: target}}, nil
}

// maxHops is how many links are followed, as in the kernel.
const maxHops = 40

// followLink goes where a link in a folder of the checkout leads, through other links, and returns why a
// clone could not go there, or "" if it could. An absolute link leads out, wherever it leads: a clone lies
// elsewhere.
func (w *Workspace) followLink(dir, target string) (mulligan.UnheldKind, error) {
	if filepath.IsAbs(target) {
		return mulligan.UnheldLinkOut, nil
	}
	at, rest := dir, strings.Split(filepath.ToSlash(target), "/")
	for hops := 0; len(rest) > 0 && hops < maxHops; {
		part := rest[0]
		rest = rest[1:]
		if part == "" {
			continue
		}
		at = path.Join(at, part)
		switch {
		case at == ".." || strings.HasPrefix(at, "../"):
			return mulligan.UnheldLinkOut, nil
		case part == "." || part == ".." || at == ".":
			continue
		case w.isNeverCommitted(at):
			return mulligan.UnheldLinkHidden, nil
		}
		next, err := os.Readlink(w.fullPath(at))
		if err != nil {
			continue // it is no link, or nothing is there
		}
		if filepath.IsAbs(next) {
			return mulligan.UnheldLinkOut, nil
		}
		hops++
		at, rest = path.Dir(at), append(strings.Split(filepath.ToSlash(next), "/"), rest...)
	}
	return "", nil
}

// isNeverCommitted reports whether git ignores a path, or it is git's own, or one that snapshots leave out.
func (w *Workspace) isNeverCommitted(name string) bool {
	if strings.EqualFold(path.Base(name), ".git") {
		return true
	}
	n := w.scan.root.findNode(name)
	return n != nil && (n.kind == ignored || n.kind == odd)
}
