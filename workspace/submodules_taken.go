package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/gitfolder"
)

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
