package workspace

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The modes that git gives to the entries of a tree.
const (
	modeFile   = 0o100644
	modeExec   = 0o100755
	modeLink   = 0o120000
	modeModule = 0o160000
	modeFolder = 0o40000
)

// An entry is one line of a tree.
type entry struct {
	mode uint32
	name string
	id   string
}

// readEntries returns the entries of a tree in the reader's repository; "" is the empty tree.
func (r *objectReader) readEntries(ctx context.Context, tree string) ([]entry, error) {
	if tree == "" {
		return nil, nil
	}
	data, err := r.readObject(ctx, tree)
	if err != nil {
		return nil, err
	}
	return parseTree(data, len(tree)/2)
}

// parseTree parses a tree object whose ids have the given size.
func parseTree(data []byte, idSize int) ([]entry, error) {
	var all []entry
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, ok2 := strings.Cut(string(head), " ")
		n, err := strconv.ParseUint(mode, 8, 32)
		if !ok || !ok2 || err != nil || len(rest) < idSize {
			return nil, errors.New("a tree object is damaged")
		}
		all = append(all, entry{mode: plainMode(uint32(n)), name: name, id: hex.EncodeToString(rest[:idSize])})
		data = rest[idSize:]
	}
	return all, nil
}

// plainMode returns a mode without the permissions that early versions of git stored.
func plainMode(mode uint32) uint32 {
	switch {
	case mode&0o170000 != 0o100000:
		return mode
	case mode&0o100 != 0:
		return modeExec
	}
	return modeFile
}

// appendEntry adds a line to a tree object.
func appendEntry(tree []byte, mode uint32, name string, id oid) []byte {
	tree = strconv.AppendUint(tree, uint64(mode), 8)
	tree = append(tree, ' ')
	tree = append(tree, name...)
	tree = append(tree, 0)
	return append(tree, id[:]...)
}

// A difference is a path that differs between two trees. from or to is nil if that tree lacks it.
type difference struct {
	path     string
	from, to *entry
	folder   bool // in the place of what is nil there is a folder
}

// A comparison finds the differences between a tree of one repository and one of another.
type comparison struct {
	from, to *objectReader
	same     func(from, to entry) (bool, error) // compares two entries whose ids differ; nil: those are not equal
	found    []difference
	// attributes is set if a folder that differs has a file of attributes.
	attributes bool
}

// compareTrees returns the files, links and modules that differ, sorted by path. Folders whose ids are
// equal are not read.
func (c *comparison) compareTrees(ctx context.Context, from, to string) ([]difference, error) {
	if err := c.compareFolders(ctx, "", from, to); err != nil {
		return nil, err
	}
	slices.SortFunc(c.found, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return c.found, nil
}

// compareFolders adds the differences between two folders; "" is an empty one.
func (c *comparison) compareFolders(ctx context.Context, prefix, from, to string) error {
	if from == to {
		return nil
	}
	a, err := c.from.readEntries(ctx, from)
	if err != nil {
		return err
	}
	b, err := c.to.readEntries(ctx, to)
	if err != nil {
		return err
	}
	pairs := make(map[string][2]*entry, len(b))
	for side, entries := range [][]entry{a, b} {
		for i, e := range entries {
			c.attributes = c.attributes || strings.EqualFold(e.name, attributesFile)
			pair := pairs[e.name]
			pair[side] = &entries[i]
			pairs[e.name] = pair
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		if err := c.comparePair(ctx, prefix+name, pairs[name][0], pairs[name][1]); err != nil {
			return err
		}
	}
	return nil
}

// comparePair adds the differences between two entries of one path; either may be nil.
func (c *comparison) comparePair(ctx context.Context, path string, from, to *entry) error {
	var fromTree, toTree string
	if from != nil && from.mode == modeFolder {
		fromTree, from = from.id, nil
	}
	if to != nil && to.mode == modeFolder {
		toTree, to = to.id, nil
	}
	if err := c.compareFolders(ctx, path+"/", fromTree, toTree); err != nil {
		return err
	}
	if from == nil && to == nil {
		return nil
	}
	if same, err := c.equalLeaves(from, to); same || err != nil {
		return err
	}
	c.found = append(c.found, difference{path: path, from: from, to: to, folder: fromTree != "" || toTree != ""})
	return nil
}

// equalLeaves reports whether two entries that are no folders are equal; either may be nil.
func (c *comparison) equalLeaves(from, to *entry) (bool, error) {
	if from == nil || to == nil || from.mode != to.mode {
		return false, nil
	}
	if c.same == nil || from.id == to.id {
		return from.id == to.id, nil
	}
	return c.same(*from, *to)
}

// compareSnapshots returns the differences between two trees of the snapshot repository. It must be
// called with w.mu held.
func (w *Workspace) compareSnapshots(ctx context.Context, from, to string) ([]difference, error) {
	for _, id := range []string{from, to} {
		if _, err := parseOID(id); err != nil {
			return nil, err
		}
	}
	c := comparison{from: w.snapshots, to: w.snapshots}
	return c.compareTrees(ctx, from, to)
}

// A changeKind tells how a path differs between two trees.
type changeKind string

const (
	changeAdded    changeKind = "added"
	changeModified changeKind = "modified"
	changeDeleted  changeKind = "deleted"
	changeMode     changeKind = "mode" // same content, executable or not
	changeType     changeKind = "type" // a file became a link, or the like
)

// kind returns how the path differs.
func (d difference) kind() changeKind {
	switch {
	case d.from == nil:
		return changeAdded
	case d.to == nil:
		return changeDeleted
	case d.from.mode>>12 != d.to.mode>>12:
		return changeType
	case d.from.id == d.to.id:
		return changeMode
	}
	return changeModified
}

// hasName reports whether the last element of the path is name.
func (d difference) hasName(name string) bool {
	return d.path == name || strings.HasSuffix(d.path, "/"+name)
}
