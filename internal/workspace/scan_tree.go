package workspace

import (
	"slices"
	"strings"
)

// sortName returns the name by which git orders the entries of a tree: a folder's ends in a slash.
func (n *node) sortName() string {
	if n.kind == nested {
		return n.name + "/"
	}
	return n.name
}

// storeFolder stores a folder if it changed, and returns its id and whether it has no entries.
func (s *scan) storeFolder(f *folder) (id oid, empty bool, err error) {
	if f.stored {
		return f.tree, f.empty, nil
	}
	kept := make([]*node, 0, len(f.nodes))
	for _, n := range f.nodes {
		switch n.kind {
		case plain, link, module:
			kept = append(kept, n)
		case nested:
			id, empty, err := s.storeFolder(n.sub)
			if err != nil {
				return oid{}, false, err
			}
			if n.id, n.mode = id, modeFolder; !empty {
				kept = append(kept, n)
			}
		default:
		}
	}
	slices.SortFunc(kept, func(a, b *node) int { return strings.Compare(a.sortName(), b.sortName()) })
	var data []byte
	for _, n := range kept {
		data = appendEntry(data, n.mode, n.name, n.id)
	}
	if id = objectID("tree", data); id != f.tree {
		if f.tree, err = s.store.putNamed(id, "tree", data); err != nil {
			return oid{}, false, err
		}
	}
	f.stored, f.empty = true, len(kept) == 0
	return id, f.empty, nil
}

// forgetLost has all files read again, if objects that were stored for them could not be written to disk.
func (s *scan) forgetLost() {
	if lost := s.store.lost.Load(); lost != s.lost {
		s.lost = lost
		s.root.forgetStored()
	}
}

// forgetStored forgets which content the files of the folder had.
func (f *folder) forgetStored() {
	f.tree, f.stored = oid{}, false
	for _, n := range f.nodes {
		n.read = 0
		if n.sub != nil {
			n.sub.forgetStored()
		}
	}
}

// findNode returns the node of a path, or of the nearest folder above it that was not entered, or nil if
// there is none.
func (f *folder) findNode(path string) *node {
	name, rest, deeper := strings.Cut(path, "/")
	i, ok := slices.BinarySearchFunc(f.nodes, name, func(n *node, name string) int { return strings.Compare(n.name, name) })
	switch {
	case !ok:
		return nil
	case !deeper || f.nodes[i].sub == nil:
		return f.nodes[i]
	}
	return f.nodes[i].sub.findNode(rest)
}
