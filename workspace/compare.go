package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// A difference is a path that differs between two trees.
type difference struct {
	path     string
	from, to entry
}

// An entry is what a tree has at a path; the zero value is nothing.
type entry struct {
	mode string // 100644, 100755, 120000, 160000
	id   string
}

const (
	modeFile   = "100644"
	modeExec   = "100755"
	modeLink   = "120000"
	modeModule = "160000"
)

// A GoneError means that a tree or a commit exists no longer.
type GoneError struct{ ID string }

func (e *GoneError) Error() string { return fmt.Sprintf("the tree or commit %.10s is gone", e.ID) }

// compare lists what differs between two trees or commits, by path.
func (s *Store) compare(ctx context.Context, from, to string) ([]difference, error) {
	if c := s.compared.Load(); c != nil && c.from == from && c.to == to {
		return c.found, nil
	}
	found, err := s.listDifferences(ctx, from, to)
	if err == nil && len(from) == len(to) && isObjectID(from) && isObjectID(to) {
		s.compared.Store(&comparison{from, to, found})
	}
	return found, err
}

// A comparison is what differs between two trees or commits.
type comparison struct {
	from, to string
	found    []difference
}

// isObjectID reports whether a name of a tree or commit can stand for no other one later.
func isObjectID(name string) bool {
	return len(name) >= 40 && strings.Trim(name, "0123456789abcdef") == ""
}

// listDifferences is compare by git.
func (s *Store) listDifferences(ctx context.Context, from, to string) ([]difference, error) {
	out, err := s.git("").run(ctx, "diff-tree", "-r", "-z", "--no-renames", "--raw", "--full-index", from, to)
	if err != nil {
		return nil, err
	}
	var found []difference
	fields := splitNull(out)
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) < 5 {
			return nil, fmt.Errorf("git diff-tree printed %q", fields[i])
		}
		found = append(found, difference{path: fields[i+1], from: newEntry(f[0], f[2]), to: newEntry(f[1], f[3])})
	}
	return found, nil
}

// newEntry returns an entry as git prints it.
func newEntry(mode, id string) entry {
	if strings.Trim(mode, "0") == "" {
		return entry{}
	}
	return entry{mode, id}
}

// isFile reports whether the entry is a regular file.
func (e entry) isFile() bool { return e.mode == modeFile || e.mode == modeExec }

// kind returns what was done to the path.
func (d difference) kind() mulligan.ChangeKind {
	switch {
	case d.from == entry{}:
		return mulligan.Created
	case d.to == entry{}:
		return mulligan.Deleted
	case d.to.mode == modeLink && d.from.mode != modeLink:
		return mulligan.BecameLink
	case d.from.isFile() != d.to.isFile() || d.to.mode == modeModule && d.from.mode != modeModule:
		return mulligan.BecameOther
	case d.from.id == d.to.id && d.to.mode == modeExec:
		return mulligan.MadeExecutable
	case d.from.id == d.to.id:
		return mulligan.MadePlain
	}
	return mulligan.Edited
}

// letter returns the kind as git status has it.
func (d difference) letter() string {
	switch {
	case d.from == entry{}:
		return "A"
	case d.to == entry{}:
		return "D"
	}
	return "M"
}

// Changes lists all paths that differ between two trees.
func (s *Store) Changes(ctx context.Context, from, to mulligan.Tree) ([]mulligan.Change, error) {
	if from.ID == to.ID {
		return nil, nil
	}
	found, err := s.compare(ctx, from.ID, to.ID)
	changes := make([]mulligan.Change, 0, len(found))
	for _, d := range found {
		changes = append(changes, mulligan.Change{Path: d.path, Kind: d.kind()})
	}
	return changes, err
}

// Changed lists the paths that differ between two trees, as "A path", "M path", "D path": at most limit of them, and how
// many there are.
func (s *Store) Changed(ctx context.Context, from, to mulligan.Tree, limit int) (paths []string, all int, err error) {
	if from.ID == to.ID {
		return nil, 0, nil
	}
	found, err := s.compare(ctx, from.ID, to.ID)
	for _, d := range found[:min(len(found), max(limit, 0))] {
		paths = append(paths, d.letter()+" "+text.QuotePath(d.path))
	}
	return paths, len(found), err
}

// ChangedPaths returns the paths that differ between two trees or commits.
func (s *Store) ChangedPaths(ctx context.Context, from, to string) (paths []string, err error) {
	found, err := s.compare(ctx, from, to)
	for _, d := range found {
		paths = append(paths, d.path)
	}
	return paths, err
}

// maxDiffPaths is how many paths a difference names.
const maxDiffPaths = 500

// Diff returns what differs between two trees, with at most limit bytes of a patch.
func (s *Store) Diff(ctx context.Context, from, to mulligan.Tree, limit int) (d mulligan.Diff, err error) {
	if from.ID == to.ID {
		return d, nil
	}
	if d.Paths, d.All, err = s.Changed(ctx, from, to, maxDiffPaths); err != nil {
		return d, err
	}
	patch, err := s.Patch(ctx, from.ID, to.ID, false)
	if err != nil {
		return d, err
	}
	if len(patch) > limit {
		d.Cut, patch = len(patch)-limit, patch[:limit]
	}
	d.Patch = strings.ToValidUTF8(string(patch), "\uFFFD")
	return d, nil
}

// Patch returns the difference between two trees or commits as git prints it, or with stat a list of the files. It starts
// no program that somebody has set up for diffs. A *GoneError names the one that is gone.
func (s *Store) Patch(ctx context.Context, from, to string, stat bool) ([]byte, error) {
	for _, id := range []string{from, to} {
		if id == "" || strings.HasPrefix(id, "-") {
			return nil, &GoneError{ID: id}
		}
		_, err := s.git("").run(ctx, "cat-file", "-e", id+"^{tree}")
		if _, failed := errors.AsType[*GitError](err); failed {
			return nil, &GoneError{ID: id}
		}
		if err != nil {
			return nil, err
		}
	}
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"}
	if stat {
		args = append(args, "--stat=100")
	}
	return s.git("").run(ctx, append(args, from, to, "--")...)
}
