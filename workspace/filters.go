package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan/internal/gitfolder"
	"mulligan/internal/process"
)

// FilterLimit is how long a git that starts filters may take.
const FilterLimit = 10 * time.Minute

// A FilterRunner runs a git that may start the filters of git's config (git-lfs), in which a file of the agent's may be
// executed: as a keeper's child, confined to some folders, with the environment of an agent.
type FilterRunner func(ctx context.Context, t process.Tool, writable []string, limit time.Duration) ([]byte, error)

// A Filter is a filter of git's config that a session's git may start.
type Filter struct {
	gitfolder.Filter
	Folders []string // of the checkout, from whose copies it is started
}

// Filters returns the filters that git's config has now, and why some cannot be run safely: a session does not begin with
// one of those.
func (c Checkout) Filters(ctx context.Context, environ []string) ([]Filter, []*gitfolder.ProgramError, error) {
	frozen, err := c.freeze(ctx, environ)
	if err != nil {
		return nil, nil, err
	}
	failed := frozen.AddPrograms(c.Root)
	var filters []Filter
	for _, f := range frozen.Config.Filters() {
		filters = append(filters, Filter{Filter: f, Folders: frozen.ProgramFolders(f)})
	}
	return filters, failed, nil
}

// FilterHint returns what a person can do about a filter that cannot be run safely.
func FilterHint(e *gitfolder.ProgramError) string {
	return fmt.Sprintf("name a file of the repository itself, or a program outside of it: git config filter.%s.clean COMMAND; or remove the filter: git config --remove-section filter.%[1]s", e.Filter)
}

// runOn runs a command that reads paths from its input, and may start filters for them. Most paths have none: it is run with
// filters that fail first, and only where one did with those of the person.
func (c *clone) runOn(ctx context.Context, paths []string, args ...string) ([]byte, error) {
	input := joinNull(paths)
	if c.filters == nil {
		return c.git.feed(ctx, input, args...)
	}
	out, err := c.git.with("GIT_CONFIG_GLOBAL="+c.site.settings.Refusing).feed(ctx, input, args...)
	if _, failed := errors.AsType[*GitError](err); failed {
		return c.runFiltered(ctx, input, args...)
	}
	return out, err
}

// runFiltered runs a command that may start filters. What the git writes is in a folder of its own at first: filters never
// have the store. Its objects are then read into the store by git, which goes by their content.
func (c *clone) runFiltered(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	if c.filters == nil {
		return c.git.feed(ctx, input, args...)
	}
	scratch := c.index + ".filtered"
	if err := os.RemoveAll(scratch); err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	index, objects := filepath.Join(scratch, "index"), filepath.Join(scratch, "objects")
	if err := os.MkdirAll(objects, 0o700); err != nil {
		return nil, err
	}
	if err := copyFile(index, c.index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	g := c.git.with("GIT_CONFIG_GLOBAL="+c.site.settings.Filtered, "GIT_INDEX_FILE="+index, "GIT_OBJECT_DIRECTORY="+objects).with(c.site.largeFilesEnv(scratch)...)
	tool := g.tool(input, args)
	writable := []string{scratch}
	if !c.readOnly {
		writable = append(writable, c.dir)
	}
	if g.watch != nil {
		defer g.watch()()
	}
	out, err := c.filters(ctx, tool, writable, FilterLimit)
	if err != nil {
		return out, g.explain(ctx, ctx, FilterLimit, args[0], err)
	}
	if err := errors.Join(c.adoptObjects(ctx, g, objects), c.site.store.adoptLargeFiles(scratch)); err != nil {
		return nil, err
	}
	return out, copyFile(c.index, index)
}

// adoptObjects packs the objects of a folder, and has the store read the pack.
func (c *clone) adoptObjects(ctx context.Context, g git, objects string) error {
	var names bytes.Buffer
	err := filepath.WalkDir(objects, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && len(filepath.Base(filepath.Dir(path))) == 2 {
			fmt.Fprintln(&names, filepath.Base(filepath.Dir(path))+d.Name())
		}
		return err
	})
	if err != nil || names.Len() == 0 {
		return err
	}
	pack, err := g.feed(ctx, names.Bytes(), "pack-objects", "--stdout", "--quiet")
	if err != nil {
		return err
	}
	_, err = c.git.feed(ctx, pack, "unpack-objects", "-q")
	return err
}

// copyFile replaces a file with a copy of another, with its time: git reads a file again that was changed in the second in
// which its index was written, and no other whose size is the same.
func copyFile(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := gitfolder.ReadFile(from)
	if err != nil {
		return err
	}
	temp := to + ".new"
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return err
	}
	if err := os.Chtimes(temp, info.ModTime(), info.ModTime()); err != nil {
		return err
	}
	return os.Rename(temp, to)
}

// hasFilters reports whether git's config has a filter that a file of the repository may name.
func hasFilters(f *gitfolder.Frozen) bool {
	for _, filter := range f.Config.Filters() {
		if strings.TrimSpace(strings.Join(filter.Programs, "")) != "" {
			return true
		}
	}
	return false
}
