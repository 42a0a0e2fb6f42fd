package workspace

import (
	"context"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mulligan"
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
	for _, d := range found[:min(len(found), max(limit, 0))] {
		paths = append(paths, d.statusLetter()+" "+quotePath(d.path))
	}
	return paths, len(found), nil
}

// statusLetter returns the letter of git's short status for the difference.
func (d difference) statusLetter() string {
	switch d.kind() {
	case changeAdded:
		return "A"
	case changeDeleted:
		return "D"
	}
	return "M"
}

// quotePath returns a path as one line in which no part can be taken for another word.
func quotePath(path string) string {
	odd := func(r rune) bool { return r == '"' || r == '\\' || !unicode.IsPrint(r) }
	plain := utf8.ValidString(path) && !strings.ContainsFunc(path, odd) && strings.TrimSpace(path) == path
	if plain {
		return path
	}
	return strconv.Quote(path)
}
