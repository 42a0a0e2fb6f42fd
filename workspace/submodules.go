package workspace

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/gitfolder"
)

// A module is a submodule that the person has. Its site has a store, which is a copy of the person's, and the settings of the
// person's; it has no workspace and no proof of its own.
type module struct {
	name       string // as .gitmodules has it
	path       string // in the person's checkout
	checkedOut bool   // there; else only its git folder is there
	site       *Site
}

// A moduleLink is a submodule that .gitmodules names, and the commit that a tree has of it.
type moduleLink struct {
	name, path string
	commit     string
}

// openModules brings the stores of the submodules that the person has to what the person has, and those in them.
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
		checkedOut := exists(filepath.Join(root, ".git"))
		if !checkedOut {
			if root = filepath.Join(s.checkout.Git, "modules", filepath.FromSlash(l.name)); !exists(filepath.Join(root, "HEAD")) {
				continue
			}
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
		m := module{name: l.name, path: l.path, checkedOut: checkedOut, site: &Site{
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
	if !exists(filepath.Join(c.Root, modulesFile)) {
		return nil, nil
	}
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
