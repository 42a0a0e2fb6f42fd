package gitfiles

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
)

// A ConfigTool reads and edits config files as git does. It never reads what they include.
type ConfigTool interface {
	// List returns the settings of a config file, in their order. The error is ErrNoConfig if git could
	// not read them.
	List(ctx context.Context, data []byte) ([]Setting, error)
	// Edit returns a config file in which keys have other values: none, one or more.
	Edit(ctx context.Context, data []byte, values []Setting, keys []string) ([]byte, error)
}

// ErrNoConfig means that a file is not written as git's config files are.
var ErrNoConfig = errors.New("git cannot read it")

// A Setting is a key of a config file with one of its values. The key's first and last part are in lower case.
type Setting struct{ Key, Value string }

// ofClone are the keys that git itself writes into a new repository.
var ofClone = []string{
	"core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.worktree", "core.ignorecase", "core.symlinks",
	"core.precomposeunicode", "extensions.objectformat", "extensions.refstorage",
}

// groupByKey returns the values of each key.
func groupByKey(settings []Setting) map[string][]string {
	all := make(map[string][]string, len(settings))
	for _, s := range settings {
		all[s.Key] = append(all[s.Key], s.Value)
	}
	return all
}

// compareConfig returns the keys whose values differ: those that have to be put back, and those that may stay.
func compareConfig(was, now []Setting, mayStay func(key string) bool) (back, stay []string) {
	before, after := groupByKey(was), groupByKey(now)
	var keys []string
	for key := range before {
		keys = append(keys, key)
	}
	for key := range after {
		if _, both := before[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	// A repository whose refs have another format now cannot be read by its old settings.
	migrated := !slices.Equal(before["extensions.refstorage"], after["extensions.refstorage"])
	for _, key := range keys {
		switch {
		case slices.Equal(before[key], after[key]):
		case mayStay(key) && !startsHelper(key, after[key]), migrated && (key == "extensions.refstorage" || key == "core.repositoryformatversion"):
			stay = append(stay, key)
		default:
			back = append(back, key)
		}
	}
	return back, stay
}

// mergeConfig puts back the settings that start programs or hide files. The others stay.
func (p *putter) mergeConfig(ctx context.Context, git, name string, was, now entry, mayStay func(key string) bool) error {
	path := filepath.Join(git, name)
	if now.Kind == absent {
		if name == "config" || len(was.Data) > 0 {
			return p.put(git, path, was, mulligan.GitChange{Kind: mulligan.GitFile})
		}
		return nil
	}
	before, err := p.config.List(ctx, was.Data)
	if err != nil {
		return fmt.Errorf("cannot read what %s was: %w", path, err)
	}
	after, err := p.config.List(ctx, now.Data)
	if err != nil && !errors.Is(err, ErrNoConfig) {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	if err != nil || len(after) == 0 && len(before) > 0 { // nobody empties it on purpose
		return p.put(git, path, was, mulligan.GitChange{Kind: mulligan.GitFile})
	}
	back, stay := compareConfig(before, after, mayStay)
	if len(back) == 0 {
		return nil
	}
	kept := slices.DeleteFunc(after, func(s Setting) bool { return !slices.Contains(stay, s.Key) })
	merged, err := p.config.Edit(ctx, was.Data, kept, stay)
	if err != nil {
		return fmt.Errorf("cannot put back the settings of %s: %w", path, err)
	}
	copied, err := p.keeper.Keep(git, path)
	if err != nil {
		return err
	}
	to := entry{Kind: file, Mode: was.Mode, Data: merged}
	if was.Kind == absent {
		to.Mode = now.Mode
		if len(merged) == 0 {
			to.Kind = absent
		}
	}
	if err := to.put(path); err != nil {
		return fmt.Errorf("cannot put back %s: %w", path, err)
	}
	for _, key := range back {
		p.add(git, path, mulligan.GitChange{Kind: mulligan.GitSetting, Kept: copied})
		change := &p.changes[len(p.changes)-1]
		change.File, change.Name = change.Name, key
	}
	return nil
}

// putNewModule takes from the git folder of a submodule that is new what starts programs or hides files. What git
// itself writes there stays.
func (p *putter) putNewModule(ctx context.Context, git string) error {
	for _, path := range p.findOdd(git) {
		if err := p.put(git, path, entry{}, mulligan.GitChange{Kind: mulligan.GitOddFile, To: readEntry(path).describe()}); err != nil {
			return err
		}
	}
	if now := readEntry(filepath.Join(git, "config")); now.Kind == file {
		mayStay := func(key string) bool { return isHarmless(key) || matchesKey(ofClone, key) }
		if err := p.mergeConfig(ctx, git, "config", entry{Mode: now.Mode}, now, mayStay); err != nil {
			return err
		}
	}
	for _, name := range []string{"info/attributes", "info/exclude"} {
		path := filepath.Join(git, name)
		if now := readEntry(path); now.Kind != absent && !isOnlyComments(now.Data) {
			if err := p.put(git, path, entry{}, mulligan.GitChange{Kind: mulligan.GitFile}); err != nil {
				return err
			}
		}
	}
	return p.putHooks(git)
}

// isOnlyComments reports whether a file of rules has none.
func isOnlyComments(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
