package workspace

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"mulligan"
)

// BranchTip returns the commit of a branch, or "" if there is no such branch.
func (w *Workspace) BranchTip(ctx context.Context, branch string) (string, error) {
	return w.branchCommit(ctx, headsPrefix+branch)
}

// A GoneError means that a tree or a commit exists no longer.
type GoneError struct {
	ID string
}

func (e *GoneError) Error() string { return fmt.Sprintf("the tree or commit %.10s is gone", e.ID) }

// A Differ compares snapshots and commits of one checkout. It only reads, and starts nothing but git: no
// program that the repository or its user has set up for diffs, and no filter.
type Differ struct {
	git       git // on the snapshot repository, with the objects of the user's beside
	user      git
	found     bool // there is a user's repository
	live      git  // on that itself, for its config
	done      func()
	snapshots string
}

// NewDiffer returns a Differ for a checkout and its snapshot repository, which the caller must close. Where
// the checkout is gone it knows no commits.
func NewDiffer(dir, snapshots string) *Differ {
	d := &Differ{git: newSnapshotGit(snapshots, new(atomic.Int64)), snapshots: snapshots, done: func() {}}
	root, err := Find(dir)
	if err != nil {
		return d
	}
	if user, done, err := gitForRefs(root.Dir); err == nil {
		d.user, d.done, d.live, d.found = user, done, newLiveGit(root, new(atomic.Int64)), checkConfig(root) == nil
		d.git = d.git.withEnv("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteForGit(filepath.Join(root.common, "objects")))
	}
	return d
}

// Close removes what the Differ has made for its gits.
func (d *Differ) Close() { d.done() }

// Snapshots returns the snapshots of a session, oldest first.
func (d *Differ) Snapshots(ctx context.Context, session string) ([]Snapshot, error) {
	if !hasHead(d.snapshots) {
		return nil, nil
	}
	return listSnapshots(ctx, d.git, path.Join(snapshotRefs, session))
}

// Tip returns the commit of a branch, or "" if there is no such branch.
func (d *Differ) Tip(ctx context.Context, branch string) (string, error) {
	if !d.found {
		return "", nil
	}
	return d.user.line(ctx, "for-each-ref", "--format=%(objectname)", headsPrefix+branch)
}

// Comparable reports whether a commit can be compared with a snapshot: it exists, its ids are of the same
// kind, and git does not convert files between the repository and the checkout, as with line ends.
func (d *Differ) Comparable(ctx context.Context, commit, tree string) bool {
	if !d.found || len(commit) != len(tree) || d.require(ctx, commit) != nil {
		return false
	}
	if value, _ := d.live.line(ctx, "config", "--get", "core.autocrlf"); value != "" && value != "false" {
		return false
	}
	out, err := d.git.run(ctx, "ls-tree", "-r", "--name-only", "-z", tree)
	for name := range strings.SplitSeq(string(out), "\x00") {
		if path.Base(name) == ".gitattributes" {
			return false
		}
	}
	return err == nil
}

// require returns a *GoneError if there is no such tree or commit.
func (d *Differ) require(ctx context.Context, id string) error {
	if id == "" || strings.HasPrefix(id, "-") {
		return &GoneError{ID: id}
	}
	_, err := d.git.run(ctx, "cat-file", "-e", id+"^{tree}")
	if exitCode(err) > 0 {
		return &GoneError{ID: id}
	}
	return err
}

// Diff returns the difference between two trees or commits as git prints it: as a patch, or with stat as a
// list of the files. A *GoneError names the one that is gone.
func (d *Differ) Diff(ctx context.Context, from, to string, stat bool) ([]byte, error) {
	g := d.git
	if len(from) > 2*len(oid{}) && d.found { // commits of a SHA-256 repository
		g = d.user
	}
	for _, id := range []string{from, to} {
		if err := (&Differ{git: g}).require(ctx, id); err != nil {
			return nil, err
		}
	}
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"}
	if stat {
		args = append(args, "--stat=100")
	}
	return g.run(ctx, append(args, from, to, "--")...)
}

// Diff returns what differs between two snapshots, with at most limit bytes of a patch. Like a Differ it
// starts nothing but git.
func (w *Workspace) Diff(ctx context.Context, from, to mulligan.Tree, limit int) (mulligan.Diff, error) {
	var d mulligan.Diff
	if from.ID == to.ID {
		return d, nil
	}
	var err error
	if d.Paths, d.All, err = w.Changed(ctx, from, to, maxDiffPaths); err != nil {
		return d, err
	}
	g := newSnapshotGit(w.store.dir, &w.started)
	g.before, g.hold = w.git.before, w.git.hold
	patch, err := (&Differ{git: g}).Diff(ctx, from.ID, to.ID, false)
	if err != nil {
		return d, err
	}
	if len(patch) > limit {
		d.Cut = len(patch) - limit
		patch = patch[:limit]
	}
	d.Patch = strings.ToValidUTF8(string(patch), "\uFFFD")
	return d, nil
}

const maxDiffPaths = 500
