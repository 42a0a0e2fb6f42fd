package workspace

import (
	"cmp"
	"context"
	"slices"

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
	asked := changedBetween{from.ID, to.ID, limit}
	if known, ok := w.answered.get(asked); ok {
		return slices.Clone(known.paths), known.all, nil
	}
	found, err := w.compareSnapshots(ctx, from.ID, to.ID)
	if err != nil {
		return nil, 0, err
	}
	letters := map[changeKind]string{changeAdded: "A", changeDeleted: "D"}
	for _, d := range found[:min(len(found), max(limit, 0))] {
		paths = append(paths, cmp.Or(letters[d.kind()], "M")+" "+quotePath(d.path))
	}
	w.answered.put(asked, changedPaths{slices.Clone(paths), len(found)})
	return paths, len(found), nil
}

// A changedBetween is what Changed was asked, and changedPaths what it has answered.
type changedBetween struct {
	from, to string
	limit    int
}

type changedPaths struct {
	paths []string
	all   int
}

// maxKnownBytes is about how much memory the answers of Changed may take.
const maxKnownBytes = 4 << 20

// A changedMemory has answers of Changed. What differs between two trees stays the same, and the prompts of a session ask
// about each of its attempts again and again. It is not safe for concurrent use; the zero value is ready to use.
type changedMemory struct {
	known map[changedBetween]changedPaths
	bytes int
}

func (m *changedMemory) get(asked changedBetween) (changedPaths, bool) {
	answer, ok := m.known[asked]
	return answer, ok
}

// put remembers an answer. If there are too many it forgets all others.
func (m *changedMemory) put(asked changedBetween, answer changedPaths) {
	size := 256 // of the entry and the ids
	for _, path := range answer.paths {
		size += len(path) + 16
	}
	if m.bytes+size > maxKnownBytes || m.known == nil {
		m.known, m.bytes = make(map[changedBetween]changedPaths), 0
	}
	m.known[asked] = answer
	m.bytes += size
}

// quotePath returns a path as one line in which no part can be taken for another word.
func quotePath(path string) string { return text.QuotePath(path) }
