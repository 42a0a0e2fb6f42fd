package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/gitfolder"
)

// ErrUnborn means that the person's repository has no commit yet.
var ErrUnborn = errors.New("the repository has no commit yet")

// A Checkout is the person's: where it is, and what is checked out in it. Nothing of ours writes there.
type Checkout struct {
	Root   string // the top level, absolute
	Git    string // its git folder
	Common string // the git folder that all its worktrees share
	Branch string // that HEAD names, without refs/heads/; "" if HEAD is detached
	Head   string // HEAD's commit
	Format string // of object names: sha1 or sha256
}

// LookAt returns a person's checkout as it is now. The error is ErrUnborn if nothing is committed there.
func LookAt(ctx context.Context, root string, environ []string) (Checkout, error) {
	c := Checkout{Root: root}
	g := newPersonGit(root, environ)
	where := []string{"rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-object-format"}
	out, err := g.line(ctx, append(where, "HEAD^{commit}", "--symbolic-full-name", "HEAD")...)
	if _, failed := errors.AsType[*GitError](err); failed {
		if _, err := g.line(ctx, where...); err != nil {
			return c, err
		}
		return c, ErrUnborn
	}
	if err != nil {
		return c, err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 5 {
		return c, fmt.Errorf("git rev-parse printed %q", out)
	}
	c.Git, c.Common, c.Format, c.Head = lines[0], lines[1], lines[2], lines[3]
	if branch, ok := strings.CutPrefix(lines[4], "refs/heads/"); ok { // else HEAD is detached
		c.Branch = branch
	}
	return c, nil
}

// freeze returns git's config of now, of which our gits have what starts no program but filters.
func (c Checkout) freeze(ctx context.Context, environ []string) (*gitfolder.Frozen, error) {
	out, err := newPersonGit(c.Root, environ).run(ctx, "config", "--list", "-z", "--includes")
	if err != nil {
		return nil, err
	}
	getenv := func(name string) string {
		for _, kv := range environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				return value
			}
		}
		return ""
	}
	repository := gitfolder.Repository{Dir: c.Root, Git: c.Git, Common: c.Common}
	return gitfolder.Freeze(repository, gitfolder.ParseConfig(out), getenv), nil
}

// Uncommitted lists what the checkout has that HEAD does not, as "M path" lines, "?" for untracked files.
func (c Checkout) Uncommitted(ctx context.Context, environ []string) ([]string, error) {
	out, err := newPersonGit(c.Root, environ).run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, entry := range splitNull(out) {
		if len(entry) < 4 {
			continue
		}
		state := strings.TrimSpace(entry[:2])
		lines = append(lines, state[:1]+" "+entry[3:])
	}
	return lines, nil
}

// exists reports whether there is anything at a path.
func exists(path string) bool {
	_, err := os.Lstat(filepath.Clean(path))
	return err == nil
}

// IgnoredIn returns those of some paths that git ignores in the checkout root.
func IgnoredIn(ctx context.Context, root string, paths, environ []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	out, err := newPersonGit(root, environ).feed(ctx, joinNull(paths), "check-ignore", "--no-index", "-z", "--stdin")
	if failed, ok := errors.AsType[*GitError](err); ok && strings.TrimSpace(failed.Stderr) == "" {
		return nil, nil // none is
	}
	return splitNull(out), err
}
