package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/text"
)

// A WorkingChange is how a person's working tree differs from a commit.
type WorkingChange struct {
	Base  string   // the commit, "" if the repository has none
	Paths []string // all paths that differ, as "A path", "M path", "D path"
	Text  string   // a list of the paths first, then their patches, as far as there is room
	Cut   bool     // something is missing from Text
}

// HeadCommit returns the commit of HEAD in the checkout, or "" if there is none yet.
func (r Root) HeadCommit(ctx context.Context, environ []string) string {
	id, err := newPersonGit(r.Dir, environ).line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return ""
	}
	return id
}

// WorkingDiff returns how the working tree that holds dir differs from a commit (since, or HEAD if it is ""; from an empty tree
// if there is no commit yet), with at most limit bytes of text. New files that git does not ignore are part of it. Nothing of
// the person's changes: git works on an index and an object folder of its own. A *GoneError means that there is no such
// commit.
func WorkingDiff(ctx context.Context, dir, since string, limit int, environ []string) (d WorkingChange, err error) {
	root, err := Find(dir)
	if err != nil {
		return d, err
	}
	scratch, err := os.MkdirTemp("", "mulligan-diff-")
	if err != nil {
		return d, err
	}
	defer os.RemoveAll(scratch)
	if d.Base = since; since == "" {
		d.Base = root.HeadCommit(ctx, environ)
	}
	g := newPersonGit(root.Dir, environ).with("GIT_INDEX_FILE="+filepath.Join(scratch, "index"), "GIT_OBJECT_DIRECTORY="+scratch,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(root.common, "objects"))
	from := d.Base
	if from == "" {
		if from, err = g.line(ctx, "hash-object", "-t", "tree", "-w", "--stdin"); err != nil {
			return d, err
		}
	}
	if _, err := g.run(ctx, "read-tree", from); err != nil {
		if _, failed := errors.AsType[*GitError](err); failed {
			return d, &GoneError{ID: from}
		}
		return d, err
	}
	if _, err := g.run(ctx, "add", "--all", "--ignore-errors"); err != nil {
		if _, failed := errors.AsType[*GitError](err); !failed { // files that cannot be read are left out
			return d, err
		}
	}
	tree, err := g.line(ctx, "write-tree")
	if err != nil {
		return d, err
	}
	return d, d.describe(ctx, g, from, tree, limit)
}

// describe adds what differs between two trees.
func (d *WorkingChange) describe(ctx context.Context, g git, from, to string, limit int) error {
	out, err := g.run(ctx, "diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to)
	if err != nil {
		return err
	}
	fields := splitNull(out)
	for i := 0; i+1 < len(fields); i += 2 {
		d.Paths = append(d.Paths, fields[i]+" "+text.QuotePath(fields[i+1]))
	}
	patch, err := g.run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", from, to, "--")
	if err != nil {
		return err
	}
	d.Text = strings.Join(d.Paths, "\n") + "\n\n" + string(patch)
	if len(d.Text) > limit {
		d.Text, d.Cut = d.Text[:limit], true
	}
	d.Text = strings.ToValidUTF8(d.Text, "\uFFFD")
	return nil
}
