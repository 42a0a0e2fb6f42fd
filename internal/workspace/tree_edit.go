package workspace

import (
	"context"
	"slices"
	"strings"
)

// editTree returns a tree of the snapshot repository with some paths changed. An edit that is nil removes
// its path; a folder that loses its last entry goes too.
func (w *Workspace) editTree(ctx context.Context, tree string, edits map[string]*entry) (string, error) {
	if len(edits) == 0 {
		return tree, nil
	}
	here, below := splitEdits(edits)
	all, err := w.snapshots.readEntries(ctx, tree)
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
		id, err := w.editTree(ctx, old, nestedEdits)
		if err != nil {
			return "", err
		}
		if id != "" {
			byName[name] = entry{mode: modeFolder, name: name, id: id}
		} else if byName[name].mode == modeFolder {
			delete(byName, name)
		}
	}
	return w.putTree(byName)
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

// putTree stores a tree and returns its id, "" if it has no entries.
func (w *Workspace) putTree(byName map[string]entry) (string, error) {
	if len(byName) == 0 {
		return "", nil
	}
	all := make([]entry, 0, len(byName))
	for _, e := range byName {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var data []byte
	for _, e := range all {
		id, err := parseOID(e.id)
		if err != nil {
			return "", err
		}
		data = appendEntry(data, e.mode, e.name, id)
	}
	id, err := w.store.putObject("tree", data)
	return id.String(), err
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
