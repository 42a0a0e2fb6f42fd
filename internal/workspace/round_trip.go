package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/gitfolder"
)

// roundTripChunk is how many files are checked out at a time.
const roundTripChunk = 2000

// checkRoundTrip returns a *mulligan.RefusedError if a clone of a tree would have other bytes than the snapshot that the
// gates saw, because of a .gitattributes that differs from the base commit's. Where none differs it starts no process.
func (w *Workspace) checkRoundTrip(ctx context.Context, snapshot, tree, base string) (err error) {
	changed, err := w.changedAttributes(ctx, base, tree)
	if err != nil || len(changed) == 0 {
		return err
	}
	scratch, err := os.MkdirTemp(w.store.dir, scratchPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	t, err := w.newRoundTrip(ctx, scratch, tree, changed)
	if err != nil {
		return err
	}
	if err := t.findStored(ctx, tree, snapshot); err != nil {
		return err
	}
	if err := t.walk(ctx, "", snapshot); err != nil {
		return err
	}
	if err := t.checkChunk(ctx); err != nil {
		return err
	}
	if len(t.found) > 0 {
		return &mulligan.RefusedError{Found: t.found}
	}
	return nil
}

// changedAttributes returns the .gitattributes files that differ between a commit, or none if it is "", and a tree.
func (w *Workspace) changedAttributes(ctx context.Context, base, tree string) ([]difference, error) {
	var baseTree string
	if base != "" {
		commit, err := w.readCommit(ctx, base)
		if err != nil {
			return nil, err
		}
		baseTree = commit.tree
	}
	compared := comparison{from: w.objects, to: w.objects}
	found, err := compared.compareTrees(ctx, baseTree, tree)
	return slices.DeleteFunc(found, func(d difference) bool { return !d.hasName(attributesFile) }), err
}

// A roundTrip compares the files of a snapshot with what git checks out of the tree that was made of it.
type roundTrip struct {
	w       *Workspace
	scratch string
	changed []difference // the .gitattributes files
	// now and before have the tree as their index: with its own attributes, and with those of the base. Their work
	// tree is a folder without attributes, and what they write goes to a folder of objects of their own.
	now, before git
	filters     []gitfolder.Filter
	converted   map[string]bool // paths whose blobs in the tree are not the snapshot's; nil: it is not known
	chunk       []fileAt        // the files that come next
	found       []mulligan.Unheld
}

// A fileAt is a file of a snapshot.
type fileAt struct {
	path string
	entry
	attributes []string // those that differ from the base's
	checkedOut string   // the id of what git checks out, or "" if it fails
}

// newRoundTrip makes the indexes.
func (w *Workspace) newRoundTrip(ctx context.Context, scratch, tree string, changed []difference) (*roundTrip, error) {
	t := &roundTrip{w: w, scratch: scratch, changed: changed, filters: w.Filters()}
	for _, name := range []string{"files", "objects"} {
		if err := os.Mkdir(t.at(name), 0o700); err != nil {
			return nil, err
		}
	}
	g := w.git.withEnv("GIT_WORK_TREE="+t.at("files"), "GIT_OBJECT_DIRECTORY="+t.at("objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteForGit(filepath.Join(w.root.common, "objects")),
		"GIT_LFS_SKIP_SMUDGE=0") // a person may leave large files out of their own checkout
	g.dir = t.at("files")
	t.now, t.before = g.withEnv("GIT_INDEX_FILE="+t.at("now")), g.withEnv("GIT_INDEX_FILE="+t.at("before"))
	for _, g := range []git{t.now, t.before} {
		if _, err := g.run(ctx, "read-tree", tree); err != nil {
			return nil, err
		}
	}
	var lines bytes.Buffer
	for _, d := range changed {
		if d.from == nil {
			fmt.Fprintf(&lines, "0 %s\t%s\x00", strings.Repeat("0", w.idLen), d.path)
		} else {
			fmt.Fprintf(&lines, "%o %s\t%s\x00", d.from.mode, d.from.id, d.path)
		}
	}
	_, err := t.before.runWithInput(ctx, lines.Bytes(), "update-index", "-z", "--replace", "--index-info")
	return t, err
}

// findStored finds out which files the tree has as they are in the snapshot, where both have ids of the same kind and the
// session's config does not have git write line ends of its own.
func (t *roundTrip) findStored(ctx context.Context, tree, snapshot string) error {
	config := t.w.git.folder.Frozen().Config
	auto, _ := config.Last("core.autocrlf")
	eol, _ := config.Last("core.eol")
	plain := slices.Contains([]string{"", "false", "input"}, auto.Value) && slices.Contains([]string{"", "lf"}, eol.Value)
	if len(tree) != len(snapshot) || !plain || runtime.GOOS == "windows" {
		return nil
	}
	compared := comparison{from: t.w.objects, to: t.w.snapshots}
	found, err := compared.compareTrees(ctx, tree, snapshot)
	t.converted = make(map[string]bool, len(found))
	for _, d := range found {
		t.converted[d.path] = true
	}
	return err
}

// at returns the path of a name in the scratch folder.
func (t *roundTrip) at(name string) string { return filepath.Join(t.scratch, name) }

// walk looks at the files of a folder that changed attributes may concern. It ends early when enough is found.
func (t *roundTrip) walk(ctx context.Context, prefix, tree string) error {
	entries, err := t.w.snapshots.readEntries(ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := prefix + e.name
		switch {
		case len(t.found) >= maxRefused:
			return nil
		case e.mode == modeFolder && t.leadsToChanged(name):
			if err := t.walk(ctx, name+"/", e.id); err != nil {
				return err
			}
		case (e.mode == modeFile || e.mode == modeExec) && e.name != attributesFile && t.isBelowChanged(name):
			t.chunk = append(t.chunk, fileAt{path: name, entry: e})
		}
		if len(t.chunk) == roundTripChunk {
			if err := t.checkChunk(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// isBelowChanged reports whether a path lies in the folder of a changed .gitattributes, or below.
func (t *roundTrip) isBelowChanged(name string) bool {
	return slices.ContainsFunc(t.changed, func(d difference) bool {
		dir := path.Dir(d.path)
		return dir == "." || strings.HasPrefix(name, dir+"/")
	})
}

// leadsToChanged reports whether a folder has files that a changed .gitattributes may concern.
func (t *roundTrip) leadsToChanged(folder string) bool {
	return t.isBelowChanged(folder+"/") || slices.ContainsFunc(t.changed, func(d difference) bool {
		return strings.HasPrefix(d.path, folder+"/")
	})
}
