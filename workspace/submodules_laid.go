package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/internal/gitfolder"
)

// A laidModule is a submodule in a clone.
type laidModule struct {
	*module
	moduleLink
	clone  *clone // of the submodule's files
	gitDir string // in the clone's top folder: .git/modules/NAME
	path   string // there
}

// eachModule calls do for the submodules that a clone has at a tree, and that the person has checked out and with the commit that
// the tree names. For those that the person does not have, or without that commit, it calls lack, if that is not nil. top is the folder of the outermost clone.
func (s *Site) eachModule(ctx context.Context, c *clone, top place, tree string, do func(laidModule) error, lack func(moduleLink, place) error) error {
	if len(s.modules) == 0 && !exists(c.modulesDir()) {
		return nil
	}
	links, err := s.listLinks(ctx, tree)
	if err != nil {
		return err
	}
	for _, l := range links {
		at := place{gitDir: top.gitDir + "/modules/" + l.name, path: path.Join(top.path, l.path)}
		m := s.findModule(l.name, l.path)
		if m != nil && !m.checkedOut {
			continue
		}
		known := false
		if m != nil {
			if known, err = m.has(ctx, l.commit); err != nil {
				return err
			}
		}
		if !known {
			if lack == nil {
				continue
			}
			if err := lack(l, at); err != nil {
				return err
			}
			continue
		}
		laid := laidModule{module: m, moduleLink: l, clone: c.module(m, l.path), gitDir: at.gitDir, path: at.path}
		if err := do(laid); err != nil {
			return err
		}
		if err := m.site.eachModule(ctx, laid.clone, at, l.commit, do, lack); err != nil {
			return err
		}
	}
	return nil
}

// A place is where a clone is in the outermost one: its files, "" for the outermost itself, and its git folder.
type place struct{ path, gitDir string }

// outermost is the place of a clone that is in no other.
var outermost = place{gitDir: ".git"}

// modulesDir returns the folder of the indexes of a clone's submodules.
func (c *clone) modulesDir() string { return c.index + ".modules" }

// module returns the clone that a submodule's files are, at a path of this one.
func (c *clone) module(m *module, at string) *clone {
	if sub := c.modules[at]; sub != nil {
		return sub
	}
	sub := m.site.newClone(filepath.Join(c.dir, filepath.FromSlash(at)), filepath.Join(c.modulesDir(), url.PathEscape(at)))
	if c.modules == nil {
		c.modules = map[string]*clone{}
	}
	c.modules[at] = sub
	return sub
}

// layModules makes the submodules of a clone what a tree has of them. The folder of one that the person does not have, or
// not with that commit, is empty. No process may work in the clone.
func (s *Site) layModules(ctx context.Context, c *clone, tree string) (err error) {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := maps.Clone(c.modules)
	defer func() {
		for at := range left { // it is a folder like any other now, if it is there
			delete(c.modules, at)
			if isPlainFolder(root, at) {
				err = errors.Join(err, root.RemoveAll(at+"/.git"))
			}
		}
	}()
	return s.eachModule(ctx, c, outermost, tree, func(m laidModule) error {
		delete(left, m.path)
		if err := makePlainFolder(root, m.path); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(m.clone.index), 0o700); err != nil {
			return err
		}
		files, err := m.site.store.TreeOf(ctx, m.commit)
		if err != nil {
			return err
		}
		if err := m.clone.lay(ctx, files); err != nil {
			return fmt.Errorf("submodule %s: %w", m.path, err)
		}
		return m.pointHead(root)
	}, func(_ moduleLink, at place) error { return emptyFolderAt(root, at.path) })
}

// pointModules has the git folders of a workspace's submodules be what its index of them is.
func (s *Site) pointModules(ctx context.Context, c *clone, tree string) error {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return s.eachModule(ctx, c, outermost, tree, func(m laidModule) error {
		if !isPlainFolder(root, m.path) {
			return nil
		}
		return m.pointHead(root)
	}, nil)
}

// pointHead puts a submodule's git folder on its commit, and has its files lead there. Nothing outside of root is written.
func (m laidModule) pointHead(root *os.Root) error {
	up := strings.Repeat("../", strings.Count(m.path, "/")+1)
	down := strings.Repeat("../", strings.Count(m.gitDir, "/")+1)
	config := m.site.makeConfig(gitfolder.Entry{Key: "core.worktree", Value: down + m.path})
	if err := errors.Join(root.RemoveAll(m.path+"/.git"), root.RemoveAll(m.gitDir+"/config")); err != nil {
		return err
	}
	return errors.Join(root.WriteFile(m.path+"/.git", []byte("gitdir: "+up+m.gitDir+"\n"), 0o600),
		root.WriteFile(m.gitDir+"/config", config.Encode(), 0o600), putHead(root, m.gitDir, m.commit, m.clone.index))
}

// isPlainFolder reports whether a path of a root is a folder that no link leads to.
func isPlainFolder(root *os.Root, at string) bool {
	for parent := at; parent != "."; parent = path.Dir(parent) {
		if st, err := root.Lstat(filepath.FromSlash(parent)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// makePlainFolder makes a path of a root a folder that no link leads to, in the place of whatever else is there.
func makePlainFolder(root *os.Root, at string) error {
	if isPlainFolder(root, at) {
		return nil
	}
	dir := ""
	for part := range strings.SplitSeq(at, "/") {
		dir = path.Join(dir, part)
		if st, err := root.Lstat(dir); err == nil && st.IsDir() {
			continue
		}
		if err := errors.Join(root.RemoveAll(dir), root.Mkdir(dir, 0o700)); err != nil {
			return err
		}
	}
	return nil
}

// emptyFolderAt removes what is in a folder of a root, if it is one.
func emptyFolderAt(root *os.Root, at string) error {
	if !isPlainFolder(root, at) {
		return nil
	}
	entries, err := fs.ReadDir(root.FS(), at)
	for _, e := range entries {
		err = errors.Join(err, removeAll(filepath.Join(root.Name(), filepath.FromSlash(at), e.Name())))
	}
	return err
}

// adoptLinks makes the submodules of the workspace what a commit has of them: a pull does not.
func (w *Workspace) adoptLinks(ctx context.Context, commit string) error {
	links, err := w.site.listLinks(ctx, commit)
	if err != nil || len(links) == 0 {
		return err
	}
	var entries bytes.Buffer
	for _, l := range links {
		fmt.Fprintf(&entries, "%s %s\t%s\x00", modeModule, l.commit, l.path)
	}
	w.clone.tree = ""
	if _, err := w.clone.git.feed(ctx, entries.Bytes(), "update-index", "-z", "--add", "--replace", "--index-info"); err != nil {
		return err
	}
	return w.layModules(ctx, commit)
}

// listModuleLacks lists what differs in the submodules of a workspace from the commits that a tree has of them: no commit of
// the session has that.
func (s *Site) listModuleLacks(ctx context.Context, c *clone, tree string) (lacks []mulligan.Lack, err error) {
	if len(s.modules) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = s.eachModule(ctx, c, outermost, tree, func(m laidModule) error {
		if !isPlainFolder(root, m.path) || !exists(m.clone.index) {
			return nil
		}
		now, left, err := m.clone.take(ctx)
		if over, ok := errors.AsType[*mulligan.BoundError](err); ok {
			lacks = append(lacks, mulligan.Lack{Path: m.path + "/" + over.Path, Why: "it is in the submodule " + m.path + " and too much to look at (" + over.What + ")"})
			return nil
		}
		if err != nil {
			return err
		}
		hidden, err := m.clone.listHidden(ctx)
		if err != nil {
			return err
		}
		paths, err := m.site.store.ChangedPaths(ctx, m.commit, now)
		for _, at := range paths[:min(len(paths), maxLacks)] {
			lacks = append(lacks, mulligan.Lack{Path: m.path + "/" + at, Why: "it is in the submodule " + m.path + ", whose changes no commit has"})
		}
		for _, l := range append(left, hidden...) {
			lacks = append(lacks, mulligan.Lack{Path: m.path + "/" + l.Path, Why: l.Why})
		}
		return err
	}, func(l moduleLink, at place) error {
		lacks = append(lacks, mulligan.Lack{Path: at.path + "/", Why: fmt.Sprintf("the submodule's commit %.7s is not in your checkout", l.commit)})
		return nil
	})
	return lacks, err
}
