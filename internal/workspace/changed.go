package workspace

import (
	"cmp"
	"context"

	"mulligan"
	"mulligan/internal/text"
)

// Changed returns the paths that differ between two snapshots as "A path", "M path" and "D path", sorted
// by path: at most limit of them, and how many there are. A path that is not one line of plain text is
// quoted.
func (w *Workspace) Changed(ctx context.Context, from, to mulligan.Tree, limit int) (paths []string, all int, err error) {
	if from.ID == to.ID {
		return nil, 0, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found, err := w.compareSnapshots(ctx, from.ID, to.ID)
	if err != nil {
		return nil, 0, err
	}
	letters := map[changeKind]string{changeAdded: "A", changeDeleted: "D"}
	for _, d := range found[:min(len(found), max(limit, 0))] {
		paths = append(paths, cmp.Or(letters[d.kind()], "M")+" "+quotePath(d.path))
	}
	return paths, len(found), nil
}

// quotePath returns a path as one line in which no part can be taken for another word.
func quotePath(path string) string { return text.QuotePath(path) }
