package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mulligan"
)

// A Proof is the clone in which checks run. No agent can write it.
type Proof struct {
	site  *Site
	clone *clone
	// Furnish makes a proof that was made anew ready for checks. It may be nil.
	Furnish func(ctx context.Context, dir string) error
	// Makes are the ignored paths that Furnish makes.
	Makes []string
}

// furnished returns the file that is touched when a proof made anew is ready.
func (p *Proof) furnished() string { return filepath.Join(settingsIn(p.site.slot), "furnished") }

// clockStep is longer than the steps in which a file system counts time.
const clockStep = 20 * time.Millisecond

// MarkFresh tells that the proof was made anew just now: what changes from here on in what Furnish made is not fresh.
func (p *Proof) MarkFresh() error {
	if len(p.Makes) == 0 {
		return nil
	}
	time.Sleep(clockStep)
	if err := os.WriteFile(p.furnished(), nil, 0o600); err != nil {
		return err
	}
	time.Sleep(clockStep)
	return nil
}

// Dir returns the proof's path.
func (p *Proof) Dir() string { return p.clone.dir }

// templateIn returns the git folder that those of proofs are copies of.
func (p *Proof) template() string { return filepath.Join(settingsIn(p.site.slot), "proof.git") }

// Prepare makes the proof's git folder ready for the checks of a session. No check may run.
func (p *Proof) Prepare(ctx context.Context) error { return p.site.makeGitFolder(ctx, p.template()) }

// Lay makes the proof exactly a tree: what the tree does not have goes, but for what git ignores. Its git folder is made
// anew, since a check may have written there. No check may run.
func (p *Proof) Lay(ctx context.Context, to mulligan.Tree) error {
	if err := p.clone.lay(ctx, to.ID); err != nil {
		return err
	}
	if err := p.renewGit(to); err != nil {
		return err
	}
	return p.site.layModules(ctx, p.clone, to.ID)
}

// LayFresh is Lay in a proof that has nothing else: nothing that git ignores, either.
func (p *Proof) LayFresh(ctx context.Context, to mulligan.Tree) error {
	if err := errors.Join(removeAll(p.clone.dir), removeAll(p.furnished())); err != nil {
		return err
	}
	if err := p.clone.clear(); err != nil {
		return err
	}
	if err := p.Lay(ctx, to); err != nil || p.Furnish == nil {
		return err
	}
	if err := p.Furnish(ctx, p.clone.dir); err != nil {
		return err
	}
	return p.MarkFresh()
}

// IsFresh reports whether the proof has nothing that git does not see but what Furnish made, as it made it.
func (p *Proof) IsFresh(ctx context.Context) (bool, error) {
	paths, err := p.listHidden(ctx)
	if err != nil || len(paths) == 0 {
		return err == nil, err
	}
	since, err := os.Stat(p.furnished())
	if err != nil {
		return false, nil // it was made ready for another session, whose checks ran in it since
	}
	for _, path := range paths {
		made := slices.ContainsFunc(p.Makes, func(made string) bool {
			return strings.TrimSuffix(path, "/") == made || strings.HasPrefix(path, made+"/")
		})
		if !made || hasChanged(filepath.Join(p.clone.dir, filepath.FromSlash(path)), changeTime(since)) {
			return false, nil
		}
	}
	return true, nil
}

// listHidden lists what git does not see in the proof and in the submodules of what it was last laid to: what it ignores,
// empty folders, pipes.
func (p *Proof) listHidden(ctx context.Context) (paths []string, err error) {
	list := func(c *clone, below string) error {
		if !c.same { // it was not looked at since checks ran
			c.ignored = nil
		}
		unseen, err := c.listUnseen(ctx)
		for _, at := range slices.Concat(c.ignored, unseen) {
			paths = append(paths, below+at)
		}
		return err
	}
	if err := list(p.clone, ""); err != nil || p.clone.tree == "" {
		return paths, err
	}
	err = p.site.eachModule(ctx, p.clone, outermost, p.clone.tree, func(m laidModule) error { return list(m.clone, m.path+"/") }, nil)
	return paths, err
}

// hasChanged reports whether a file, or anything in a folder, was changed or put there after a time. What cannot be read
// has changed.
func hasChanged(path string, after time.Time) bool {
	err := filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && changeTime(info).After(after) {
			err = fs.ErrExist
		}
		return err
	})
	return err != nil
}

// renewGit makes the proof's git folder a copy of the template, with HEAD at the commit of a tree.
func (p *Proof) renewGit(to mulligan.Tree) error {
	gitDir := filepath.Join(p.clone.dir, ".git")
	if err := removeAll(gitDir); err != nil {
		return err
	}
	if err := os.CopyFS(gitDir, os.DirFS(p.template())); err != nil {
		return err
	}
	return p.site.pointHead(p.clone.dir, p.site.commitOf(to), p.clone.index)
}

// Read returns the proof as it is, without what git ignores: what a check has left.
func (p *Proof) Read(ctx context.Context) (mulligan.Tree, error) {
	if !p.clone.isThere() { // a check has removed it: it left nothing
		if err := errors.Join(os.RemoveAll(p.clone.dir), os.Mkdir(p.clone.dir, 0o700)); err != nil {
			return mulligan.Tree{}, err
		}
	}
	tree, _, err := p.clone.take(ctx)
	return mulligan.Tree{ID: tree, Head: p.site.head}, err
}
