package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	return p.renewGit(to)
}

// LayFresh is Lay in a proof that has nothing else: nothing that git ignores, either.
func (p *Proof) LayFresh(ctx context.Context, to mulligan.Tree) error {
	if err := removeAll(p.clone.dir); err != nil {
		return err
	}
	if err := p.clone.clear(); err != nil {
		return err
	}
	p.clone.tree = ""
	if err := p.Lay(ctx, to); err != nil || p.Furnish == nil {
		return err
	}
	return p.Furnish(ctx, p.clone.dir)
}

// IsFresh reports whether the proof has nothing that git ignores but what Furnish makes.
func (p *Proof) IsFresh(ctx context.Context) (bool, error) {
	paths, err := p.clone.listIgnored(ctx)
	for _, path := range paths {
		if !slices.ContainsFunc(p.Makes, func(made string) bool {
			return strings.TrimSuffix(path, "/") == made || strings.HasPrefix(path, made+"/")
		}) {
			return false, err
		}
	}
	return true, err
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
	commit := to.Head
	if last := p.site.last; last.commit != "" && (last.tree == to.ID || commit == "") {
		commit = last.commit
	}
	if commit == "" {
		commit = p.site.head
	}
	return p.site.pointHead(p.clone.dir, commit, p.clone.index)
}

// Read returns the proof as it is, without what git ignores: what a check has left.
func (p *Proof) Read(ctx context.Context) (mulligan.Tree, error) {
	tree, _, err := p.clone.take(ctx)
	return mulligan.Tree{ID: tree, Head: p.site.head}, err
}
