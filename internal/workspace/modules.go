package workspace

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mulligan/internal/gitfolder"
)

// gitForModule returns a git for a module, by its path, and a function that the caller must call when it has
// done its work. Its config is that of the session's start; of a module that was not there then it is the
// workspace's own.
func (w *Workspace) gitForModule(module string) (git, func(), error) {
	dir := filepath.Join(w.root.Dir, filepath.FromSlash(module))
	folder, ok := findGitFolder(dir)
	if !ok {
		return git{}, nil, errors.New("it is not checked out")
	}
	root := Root{Dir: dir, git: folder, common: commonFolder(folder)}
	frozen := w.git.folder.Frozen().Modules[module]
	if frozen == nil {
		of := *w.git.folder.Frozen()
		of.InfoAttributes, of.InfoExclude, of.SparseCheckout, of.Modules = "", "", "", nil
		frozen = &of
	}
	scratch, err := os.MkdirTemp(w.store.dir, scratchPrefix)
	if err != nil {
		return git{}, nil, err
	}
	done := func() { _ = os.RemoveAll(scratch) } // the next Open removes what is left
	own, err := gitfolder.New(scratch, root.repository(), frozen)
	if err != nil {
		done()
		return git{}, nil, err
	}
	g := newFrozenGit(root, own, &w.started)
	g.before, g.hold, g.limit, g.filters = w.git.before, w.git.hold, w.git.limit, w.filters
	return g, done, nil
}

// freezeModules adds the config of the modules that are checked out to what is frozen.
func (w *Workspace) freezeModules(ctx context.Context, frozen *gitfolder.Frozen) error {
	if _, err := os.Lstat(filepath.Join(w.root.Dir, modulesFile)); err != nil {
		return nil
	}
	if err := w.scan.rules.refresh(ctx); err != nil {
		return err
	}
	for _, module := range w.scan.rules.listModules() {
		dir := filepath.Join(w.root.Dir, filepath.FromSlash(module))
		folder, ok := findGitFolder(dir)
		if !ok {
			continue
		}
		of, _, err := freeze(ctx, Root{Dir: dir, git: folder, common: commonFolder(folder)}, newLiveGit(Root{Dir: dir, git: folder}, &w.started), dir)
		if err != nil {
			w.scan.logOnce("the submodule %s cannot be looked into, so what is in it is not known: %v", module, err)
			continue
		}
		if frozen.Modules == nil {
			frozen.Modules = make(map[string]*gitfolder.Frozen)
		}
		frozen.Modules[module] = of
	}
	return nil
}

// listNestedModules returns the modules of a module, by their paths in the workspace.
func listNestedModules(ctx context.Context, g git, module string) ([]string, error) {
	if _, err := os.Lstat(filepath.Join(g.tree, modulesFile)); err != nil {
		return nil, nil
	}
	out, err := g.run(ctx, "ls-files", "-z", "-s", "-v")
	if err != nil {
		return nil, err
	}
	files, err := parseIndex(out)
	if err != nil {
		return nil, err
	}
	var nested []string
	for _, name := range (&rules{files: files}).listModules() {
		nested = append(nested, path.Join(module, strings.TrimSuffix(name, "/")))
	}
	return nested, nil
}
