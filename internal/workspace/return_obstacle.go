package workspace

import (
	"context"
	"fmt"
	"strings"
)

// findObstacle returns why files of a commit cannot be checked out: in the place of one is something that
// git ignores, and of which there is no copy. What a snapshot has gives way.
func (w *Workspace) findObstacle(ctx context.Context, found []difference) (string, error) {
	for _, d := range found {
		if d.from == nil || d.to != nil || d.from.mode == modeModule {
			continue
		}
		why, err := w.findObstacleAt(ctx, d)
		if why != "" || err != nil {
			return why, err
		}
	}
	return "", nil
}

// findObstacleAt returns why a file that the snapshot lacks cannot be checked out, or "" if it can.
func (w *Workspace) findObstacleAt(ctx context.Context, d difference) (string, error) {
	for _, dir := range parentFolders(d.path) {
		st, err := lstat(w.fullPath(dir))
		if err != nil {
			return "", nil // nothing is in its place
		}
		if st.isFolder() {
			continue
		}
		if n := w.scan.root.findNode(dir); n != nil && (n.kind == plain || n.kind == link) {
			return "", nil // the folder became a file or link, which the snapshot has
		}
		return describeObstacle(dir, d.path), nil
	}
	st, err := lstat(w.fullPath(d.path))
	if err != nil {
		return "", nil
	}
	if st.isFolder() {
		n := w.scan.root.findNode(d.path)
		if n == nil || n.kind != nested || n.sub == nil {
			return describeObstacle(d.path, d.path), nil
		}
		if hidden := n.sub.findUnkept(d.path + "/"); hidden != "" {
			return describeObstacle(hidden, d.path), nil
		}
		return "", nil
	}
	if st.isRegular() {
		id, err := w.git.runWithInput(ctx, []byte(quoteForGit(d.path)+"\n"), "hash-object", "--stdin-paths")
		if err != nil || strings.TrimSpace(string(id)) == d.from.id {
			return "", err
		}
	}
	return describeObstacle(d.path, d.path), nil
}

// describeObstacle returns that a path is in the way of a file.
func describeObstacle(inWay, file string) string {
	if inWay == file {
		return fmt.Sprintf("%s would be overwritten: it is ignored here, and tracked there", quotePath(file))
	}
	return fmt.Sprintf("%s would be lost: git does not keep it, and it is in the way of %s", quotePath(inWay), quotePath(file))
}

// splitInWay returns the differences whose files are in the way of a commit's: they took the place of a folder,
// or lie in a folder that took the place of a file. Git takes what is behind such a link for the commit's own.
func splitInWay(found []difference) (inWay, others []difference) {
	files := make(map[string]bool)
	for _, d := range found {
		if d.from != nil && d.to == nil && d.folder {
			files[d.path] = true
		}
	}
	for _, d := range found {
		if d.from == nil && (d.folder || isBelow(d.path, files)) {
			inWay = append(inWay, d)
		} else {
			others = append(others, d)
		}
	}
	return inWay, others
}

// findUnkept returns the first path in a folder that no snapshot has, or "" if there is none.
func (f *folder) findUnkept(prefix string) string {
	for _, n := range f.nodes {
		switch {
		case n.kind == ignored || n.kind == odd || n.kind == module:
			return prefix + n.name
		case n.kind == nested && n.sub != nil:
			if name := n.sub.findUnkept(prefix + n.name + "/"); name != "" {
				return name
			}
		}
	}
	return ""
}
