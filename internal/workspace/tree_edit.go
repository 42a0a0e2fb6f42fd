package workspace

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// A treeEditor makes trees of a repository out of others.
type treeEditor struct {
	read func(ctx context.Context, tree string) ([]entry, error)
	put  func(data []byte) (id string, err error)
}

// editTree returns a tree of the snapshot repository with some paths changed. An edit that is nil removes
// its path; a folder that loses its last entry goes too.
func (w *Workspace) editTree(ctx context.Context, tree string, edits map[string]*entry) (string, error) {
	return treeEditor{w.snapshots.readEntries, w.putSnapshotTree}.edit(ctx, tree, edits)
}

// edit is editTree for the editor's repository. The result is "" if nothing is left.
func (t treeEditor) edit(ctx context.Context, tree string, edits map[string]*entry) (string, error) {
	if len(edits) == 0 {
		return tree, nil
	}
	here, below := splitEdits(edits)
	all, err := t.read(ctx, tree)
	if err != nil {
		return "", err
	}
	byName := make(map[string]entry, len(all)+len(here))
	for _, e := range all {
		byName[e.name] = e
	}
	for name, e := range here {
		delete(byName, name)
		if e != nil {
			byName[name] = entry{mode: e.mode, name: name, id: e.id}
		}
	}
	for name, nestedEdits := range below {
		old := ""
		if e := byName[name]; e.mode == modeFolder {
			old = e.id
		}
		id, err := t.edit(ctx, old, nestedEdits)
		if err != nil {
			return "", err
		}
		if id != "" {
			byName[name] = entry{mode: modeFolder, name: name, id: id}
		} else if byName[name].mode == modeFolder {
			delete(byName, name)
		}
	}
	if len(byName) == 0 {
		return "", nil
	}
	data, err := encodeEntries(slices.Collect(maps.Values(byName)))
	if err != nil {
		return "", err
	}
	return t.put(data)
}

// splitEdits tells the edits of a folder's own entries from those of the folders in it.
func splitEdits(edits map[string]*entry) (here map[string]*entry, below map[string]map[string]*entry) {
	here, below = make(map[string]*entry), make(map[string]map[string]*entry)
	for path, e := range edits {
		name, rest, nested := strings.Cut(path, "/")
		if !nested {
			here[name] = e
			continue
		}
		if below[name] == nil {
			below[name] = make(map[string]*entry)
		}
		below[name][rest] = e
	}
	return here, below
}

// putSnapshotTree stores a tree object.
func (w *Workspace) putSnapshotTree(data []byte) (string, error) {
	id, err := w.store.putObject("tree", data)
	return id.String(), err
}

// encodeEntries returns the tree object that has the entries, which it sorts.
func encodeEntries(all []entry) ([]byte, error) {
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var data []byte
	for _, e := range all {
		id, err := parseOID(e.id)
		if err != nil {
			return nil, err
		}
		data = appendEntry(data, e.mode, e.name, id)
	}
	return data, nil
}

// sortName returns the name by which git orders the entries of a tree.
func (e entry) sortName() string {
	if e.mode == modeFolder {
		return e.name + "/"
	}
	return e.name
}

// findEntry returns the entry of a path in a tree of the snapshot repository, or nil if it has none.
func (w *Workspace) findEntry(ctx context.Context, tree, path string) (*entry, error) {
	for {
		name, rest, nested := strings.Cut(path, "/")
		all, err := w.snapshots.readEntries(ctx, tree)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(e entry) bool { return e.name == name })
		switch {
		case at < 0:
			return nil, nil
		case !nested:
			return &all[at], nil
		case all[at].mode != modeFolder:
			return nil, nil
		}
		tree, path = all[at].id, rest
	}
}
