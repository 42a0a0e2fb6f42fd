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
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/gitfolder"
)

// A module is a submodule that the person has checked out. Its site has a store, which is a copy of the person's, and the
// settings of the person's; it has no workspace and no proof of its own.
type module struct {
	name string // as .gitmodules has it
	path string // in the person's checkout
	site *Site
}

// A moduleLink is a submodule that .gitmodules names, and the commit that a tree has of it.
type moduleLink struct {
	name, path string
	commit     string
}

// openModules brings the stores of the submodules that the person has checked out to what the person has, and those in them.
func (s *Site) openModules(ctx context.Context) error {
	text, err := gitfolder.ReadFile(filepath.Join(s.checkout.Root, modulesFile))
	if err != nil {
		return nil // there are none
	}
	links, err := parseModules(ctx, s.git(), text)
	if err != nil {
		return err
	}
	for _, l := range links {
		root := filepath.Join(s.checkout.Root, filepath.FromSlash(l.path))
		if !exists(filepath.Join(root, ".git")) {
			continue
		}
		c, err := LookAt(ctx, root, s.environ)
		if _, failed := errors.AsType[*GitError](err); failed || errors.Is(err, ErrUnborn) || err == nil && c.Git == s.checkout.Git {
			continue // what is there is no repository with a commit
		}
		if err != nil {
			return err
		}
		name := url.PathEscape(l.name)
		store := &Store{dir: filepath.Join(s.store.dir, "modules", name+".git"), environ: s.environ, hold: s.store.hold, before: s.store.before}
		if err := store.Update(ctx, c); err != nil {
			return err
		}
		m := module{name: l.name, path: l.path, site: &Site{
			store: store, slot: filepath.Join(settingsIn(s.slot), "modules", name), checkout: c, environ: s.environ, filterRunner: s.filterRunner, maxFile: s.maxFile,
		}}
		if err := m.site.freeze(ctx); err != nil {
			return fmt.Errorf("submodule %s: %w", l.path, err)
		}
		if err := m.site.openModules(ctx); err != nil {
			return err
		}
		s.modules = append(s.modules, m)
	}
	return nil
}

// MissingModules lists the submodules that are checked out, but have not the commit that HEAD names: a session does not have
// their files.
func (c Checkout) MissingModules(ctx context.Context, environ []string) (missing []mulligan.Lack, err error) {
	g := newPersonGit(c.Root, environ)
	text, err := g.run(ctx, "cat-file", "blob", c.Head+":"+modulesFile)
	if _, failed := errors.AsType[*GitError](err); failed {
		return nil, nil // there are none
	}
	if err != nil {
		return nil, err
	}
	links, err := parseModules(ctx, g, text)
	for _, l := range links {
		root := filepath.Join(c.Root, filepath.FromSlash(l.path))
		commit, failed := g.line(ctx, "rev-parse", "--verify", "--quiet", c.Head+":"+l.path)
		if failed != nil || !exists(filepath.Join(root, ".git")) {
			continue
		}
		if _, err := g.in(root).run(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
			missing = append(missing, mulligan.Lack{Path: l.path, Why: fmt.Sprintf("your checkout of it does not have the commit %.7s", commit)})
		}
	}
	return missing, err
}

// modulesFile is the file that names a repository's submodules.
const modulesFile = ".gitmodules"

// parseModules returns the names and paths of the submodules that the text of .gitmodules has, by name. A name or path that
// leads out of the repository is left out, and so is a text that git cannot read.
func parseModules(ctx context.Context, g git, text []byte) ([]moduleLink, error) {
	out, err := g.feed(ctx, text, "config", "--file", "-", "-z", "--get-regexp", `^submodule\..*\.path$`)
	if _, failed := errors.AsType[*GitError](err); failed {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var links []moduleLink
	for _, item := range splitNull(out) {
		key, at, _ := strings.Cut(item, "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		at = path.Clean(at)
		if filepath.IsLocal(name) && path.Clean(name) == name && filepath.IsLocal(at) && at != "." {
			links = append(links, moduleLink{name: name, path: at})
		}
	}
	slices.SortStableFunc(links, func(a, b moduleLink) int { return strings.Compare(a.name, b.name) })
	return links, nil
}

// listLinks lists the submodules that a tree or commit has.
func (s *Site) listLinks(ctx context.Context, tree string) ([]moduleLink, error) {
	text, err := s.git().run(ctx, "cat-file", "blob", tree+":"+modulesFile)
	if _, failed := errors.AsType[*GitError](err); failed {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	named, err := parseModules(ctx, s.git(), text)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	var paths []string
	for _, l := range named {
		paths = append(paths, l.path)
	}
	entries, err := s.listEntries(ctx, tree, paths)
	if err != nil {
		return nil, err
	}
	commits := parseLinks(entries)
	var links []moduleLink
	for _, l := range named {
		if l.commit = commits[l.path]; l.commit != "" {
			links = append(links, l)
		}
	}
	return links, nil
}

// parseLinks returns the commits of submodules among entries that ls-tree or ls-files --stage has printed, by path.
func parseLinks(entries []byte) map[string]string {
	commits := map[string]string{}
	for _, entry := range splitNull(entries) {
		about, at, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(strings.Replace(about, " commit ", " ", 1))
		if len(fields) >= 2 && fields[0] == modeModule {
			commits[at] = fields[1]
		}
	}
	return commits
}

// findModule returns the person's submodule that has a name or, without one, a path; nil if they have none.
func (s *Site) findModule(name, at string) *module {
	for i, m := range s.modules {
		if m.name == name || name == "" && m.path == at {
			return &s.modules[i]
		}
	}
	return nil
}

// has reports whether the person's submodule has a commit. What an agent has of it does not count.
func (m *module) has(ctx context.Context, commit string) (bool, error) {
	had, err := m.site.store.Commit(ctx, commit)
	if had != "" || err != nil {
		return had != "", err
	}
	err = m.site.store.fetchCommit(ctx, m.site.checkout.Root, commit)
	if _, failed := errors.AsType[*GitError](err); failed {
		return false, nil
	}
	return err == nil, err
}

// fetchCommit brings a commit of the person's repository, which no ref there need have, to the store.
func (s *Store) fetchCommit(ctx context.Context, root, commit string) error {
	lock, err := waitForLock(ctx, s.dir+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	_, err = s.fetcher(root).run(ctx, append(fetchArgs, root, "+"+commit+":refs/mulligan/commits/"+commit)...)
	return err
}

// A laidModule is a submodule in a clone.
type laidModule struct {
	*module
	moduleLink
	clone  *clone // of the submodule's files
	gitDir string // in the clone's top folder: .git/modules/NAME
	path   string // there
}

// eachModule calls do for the submodules that a clone has at a tree, and that the person has with the commit that the tree
// names; for the others it calls lack, if that is not nil. top is the folder of the outermost clone.
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

// dropLinks takes submodules out of the index that are none any more: .gitmodules does not name them, and their folders have
// files and no git folder.
func (c *clone) dropLinks(ctx context.Context) error {
	var drop []string
	for at := range c.modules {
		entries, err := os.ReadDir(filepath.Join(c.dir, filepath.FromSlash(at)))
		if err == nil && len(entries) > 0 && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" }) {
			drop = append(drop, at)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	names, err := c.readModuleNames(ctx)
	if err != nil {
		return err
	}
	drop = slices.DeleteFunc(drop, func(at string) bool { return names[at] != "" })
	if len(drop) == 0 {
		return nil
	}
	c.tree = ""
	_, err = c.git.feed(ctx, joinNull(drop), "update-index", "-z", "--force-remove", "--stdin")
	return err
}

// keepKnownLinks has the index name no other commits of the submodules at some paths than the person has: what it had there
// before stays. It returns what it has put back.
func (c *clone) keepKnownLinks(ctx context.Context, before []byte, paths []string, names map[string]string) (lacks []mulligan.Lack, err error) {
	after, err := c.listStaged(ctx, paths)
	if err != nil {
		return nil, err
	}
	was := parseLinks(before)
	var back bytes.Buffer
	for at, commit := range parseLinks(after) {
		if was[at] == commit {
			continue
		}
		known, err := c.isKnownLink(ctx, names[at], at, commit)
		if err != nil {
			return nil, err
		}
		if known {
			continue
		}
		why := "it is a git repository of its own"
		fmt.Fprintf(&back, "0 %s\t%s\x00", strings.Repeat("0", len(commit)), at)
		if was[at] != "" {
			why = fmt.Sprintf("its commit %.7s is not in the submodule of your checkout", commit)
			fmt.Fprintf(&back, "%s %s\t%s\x00", modeModule, was[at], at)
		}
		lacks = append(lacks, mulligan.Lack{Path: at + "/", Why: why})
	}
	if len(lacks) > 0 {
		_, err = c.git.feed(ctx, back.Bytes(), "update-index", "-z", "--index-info")
	}
	slices.SortFunc(lacks, func(a, b mulligan.Lack) int { return strings.Compare(a.Path, b.Path) })
	return lacks, err
}

// isKnownLink reports whether the person has a commit of a submodule, or the session's last commit names it.
func (c *clone) isKnownLink(ctx context.Context, name, at, commit string) (bool, error) {
	if m := c.site.findModule(name, at); m != nil {
		if known, err := m.has(ctx, commit); known || err != nil {
			return known, err
		}
	}
	entries, err := c.site.listEntries(ctx, c.site.head, []string{at})
	return parseLinks(entries)[at] == commit, err
}

// listStaged returns the entries that the index has at some paths.
func (c *clone) listStaged(ctx context.Context, paths []string) ([]byte, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	return c.git.with("GIT_LITERAL_PATHSPECS=1").run(ctx, append([]string{"ls-files", "-z", "--stage", "--"}, paths...)...)
}

// readModuleNames returns the names of submodules by their paths, as the clone's .gitmodules has them.
func (c *clone) readModuleNames(ctx context.Context) (map[string]string, error) {
	names := map[string]string{}
	if len(c.site.modules) == 0 {
		return names, nil
	}
	text, err := gitfolder.ReadFile(filepath.Join(c.dir, modulesFile))
	if err != nil {
		return names, nil // it names none
	}
	links, err := parseModules(ctx, c.site.git(), text)
	for _, l := range links {
		names[l.path] = l.name
	}
	return names, err
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
