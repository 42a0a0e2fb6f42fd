package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"
)

// errOddTree means that a tree has something that only git edits.
var errOddTree = errors.New("a tree is not as git writes them today")

// convertsFiles reports whether git may add files otherwise than as they are, by its config or by attributes that are in
// no commit.
func (w *Workspace) convertsFiles() bool {
	frozen := w.git.folder.Frozen()
	config := frozen.Config
	crlf, _ := config.Last("core.autocrlf")
	return crlf.Bare || crlf.Value != "" && crlf.Value != "false" || config.Bool("core.ignorecase", false) || config.Bool("core.precomposeunicode", false) ||
		hasRules(frozen.Attributes) || hasRules(frozen.InfoAttributes)
}

// writePlainTree is writeUserTree without git, for files that git would add as they are, and whose names it surely
// accepts. It reports whether it has made the tree. A *damagedError is about the tree that it has made; after all other
// failures git tells better what is wrong.
func (w *Workspace) writePlainTree(ctx context.Context, parentTree string, found []difference) (tree string, ok bool, err error) {
	if w.idLen != sha1Hex || !w.writesPlainFiles() || w.convertsFiles() || w.scan.rules.sparse {
		return "", false, nil
	}
	edits := make(map[string]*entry, len(found))
	for _, d := range found {
		if d.to != nil && (d.to.mode == modeModule || !isPlainName(d.path)) || d.from != nil && d.from.mode == modeModule {
			return "", false, nil
		}
		edits[d.path] = d.to
	}
	for _, d := range found {
		if d.to != nil && w.copyToUser(ctx, d.to.id) != nil {
			return "", false, nil
		}
	}
	tree, err = treeEditor{w.readPlainTree, w.putUserTree}.edit(ctx, parentTree, edits)
	if err == nil && tree == "" {
		tree, err = w.putUserTree(nil)
	}
	if err != nil {
		return "", false, nil
	}
	written, err := w.verifyTree(ctx, parentTree, tree)
	return tree, err == nil && hasPaths(written, found), err
}

// hasPaths reports whether the first list has every path of the second, and no other.
func hasPaths(all, want []difference) bool {
	if len(all) != len(want) {
		return false
	}
	for i, d := range all {
		if d.path != want[i].path {
			return false
		}
	}
	return true
}

// copyToUser copies a blob of a snapshot to the user's repository.
func (w *Workspace) copyToUser(ctx context.Context, id string) error {
	o, err := w.snapshots.open(ctx, id)
	if err != nil {
		return err
	}
	copied := false
	err = w.writeUserObject(id, "blob", o.size, func(to io.Writer) error {
		copied = true
		return w.snapshots.copyBody(o, to)
	})
	if !copied {
		err = errors.Join(err, w.snapshots.copyBody(o, io.Discard))
	}
	return err
}

// readPlainTree returns the entries of a tree of the user's repository. The error is errOddTree if git would not write
// them as they are.
func (w *Workspace) readPlainTree(ctx context.Context, tree string) ([]entry, error) {
	if tree == "" {
		return nil, nil
	}
	data, err := w.objects.readObject(ctx, tree)
	if err != nil {
		return nil, err
	}
	all, err := parseTree(data, len(tree)/2)
	if err != nil {
		return nil, err
	}
	again, err := encodeEntries(all)
	if err == nil && !bytes.Equal(again, data) {
		err = errOddTree
	}
	names := make(map[string]bool, len(all))
	for _, e := range all {
		if names[e.name] || e.mode == modeFolder && e.id == objectID("tree", nil).String() {
			err = errOddTree
		}
		names[e.name] = true
	}
	return all, err
}

// putUserTree writes a tree object into the user's repository.
func (w *Workspace) putUserTree(data []byte) (string, error) { return w.putUserObject("tree", data) }

// isPlainName reports whether git surely accepts a path, on every system: it refuses names that some file system takes
// for .git.
func isPlainName(name string) bool {
	if name != path.Clean(name) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		lower := strings.ToLower(part)
		if strings.HasPrefix(lower, ".git") && part != ignoreFile || strings.HasPrefix(lower, "git~") {
			return false
		}
		if strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") || strings.ContainsFunc(part, isUnusual) {
			return false
		}
	}
	return true
}

// isUnusual reports whether a character of a name may be special to git or to a file system.
func isUnusual(r rune) bool { return r < ' ' || r > '~' || r == '\\' || r == ':' }
