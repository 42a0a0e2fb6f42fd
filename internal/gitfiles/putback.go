package gitfiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
)

// ErrFolderGone means that a git folder, or its objects, are no longer where they were.
var ErrFolderGone = errors.New("the repository's git folder has been replaced")

// A putter puts a git folder back to what a memory has.
type putter struct {
	*Memory
	keeper  *Keeper
	config  ConfigTool
	changes []mulligan.GitChange
}

// PutBack compares the git folder with the memory and puts back what starts programs or hides files, and what is no
// file where git reads one. Killed in between it can be called again. It returns what it has put back.
func (m *Memory) PutBack(ctx context.Context, keeper *Keeper, config ConfigTool) ([]mulligan.GitChange, error) {
	p := &putter{Memory: m, keeper: keeper, config: config}
	if err := p.putDot(); err != nil {
		return p.changes, err
	}
	now := findModules(m.Repo.Common)
	for _, git := range m.folders() {
		if git != m.Repo.Git && git != m.Repo.Common && !slices.Contains(now, git) {
			continue // a submodule that is gone starts nothing
		}
		if err := p.putFolder(ctx, git); err != nil {
			return p.changes, err
		}
	}
	for _, git := range now {
		if slices.Contains(m.Modules, git) {
			continue
		}
		if err := p.putNewModule(ctx, git); err != nil {
			return p.changes, err
		}
	}
	return p.changes, nil
}

// putDot puts back the .git of the checkout, which leads to all the rest.
func (p *putter) putDot() error {
	path := filepath.Join(p.Repo.Dir, ".git")
	was, now := p.Entries[path], readEntry(path)
	switch {
	case was.Kind == folder:
		return p.putFolderItself(path, path, was, now)
	case was.equals(now, false):
		return nil
	}
	return p.put(p.Repo.Dir, path, was, mulligan.GitChange{Kind: mulligan.GitOddFile, To: now.describe()})
}

// putFolder puts back what one git folder has.
func (p *putter) putFolder(ctx context.Context, git string) error {
	for _, name := range watchedFolders {
		path := filepath.Join(git, name)
		if was := p.Entries[path]; was.Kind == folder {
			if err := p.putFolderItself(git, path, was, readEntry(path)); err != nil {
				return err
			}
		}
	}
	for _, path := range p.findOdd(git) {
		if err := p.put(git, path, p.Entries[path], mulligan.GitChange{Kind: mulligan.GitOddFile, To: readEntry(path).describe()}); err != nil {
			return err
		}
	}
	for _, name := range watchedFiles {
		if err := p.putFile(ctx, git, name); err != nil {
			return err
		}
	}
	return p.putHooks(git)
}

// putFolderItself puts back a folder that has been replaced. One that was only moved comes back whole.
func (p *putter) putFolderItself(git, path string, was, now entry) error {
	vital := path == git || filepath.Base(path) == "objects"
	switch {
	case now.Kind == folder && now.Mode&0o700 == was.Mode&0o700:
		return nil
	case now.Kind == folder:
		p.add(git, path, mulligan.GitChange{Kind: mulligan.GitOddFile, To: fmt.Sprintf("a folder of mode %o", now.Mode)})
		return os.Chmod(path, was.Mode)
	case now.Kind == absent && !vital:
		return os.MkdirAll(path, 0o755) // what was in it is put back file by file
	}
	if now.Kind == link {
		to, err := filepath.EvalSymlinks(path)
		if moved := readEntry(to); err == nil && moved.Kind == folder && moved.Inode == was.Inode && moved.Device == was.Device {
			p.add(git, path, mulligan.GitChange{Kind: mulligan.GitOddFile, To: now.describe()})
			return errors.Join(os.Remove(path), os.Rename(to, path))
		}
	}
	if vital {
		return fmt.Errorf("%w: %s is %s; put it back as it was, then `mulligan resume`", ErrFolderGone, path, now.describe())
	}
	if err := p.put(git, path, entry{}, mulligan.GitChange{Kind: mulligan.GitOddFile, To: now.describe()}); err != nil {
		return err
	}
	return os.MkdirAll(path, 0o755)
}

// putFile puts back a file of a git folder, if it is not what it was. Of HEAD and packed-refs it matters only that
// git can read them: they are no settings.
func (p *putter) putFile(ctx context.Context, git, name string) error {
	path := filepath.Join(git, name)
	was, now := p.Entries[path], readEntry(path)
	if was.Kind == large || was.Kind == locked || was.equals(now, false) {
		return nil
	}
	switch name {
	case "HEAD":
		if now.Kind == file && isHead(string(now.Data)) {
			return nil
		}
	case "packed-refs":
		if now.Kind == file || now.Kind == large || now.Kind == absent {
			return nil
		}
	case "config", "config.worktree":
		if (now.Kind == file || now.Kind == absent) && (was.Kind == file || was.Kind == absent) {
			return p.mergeConfig(ctx, git, name, was, now, isHarmless)
		}
	}
	change := mulligan.GitChange{Kind: mulligan.GitFile}
	if now.isOdd() {
		change = mulligan.GitChange{Kind: mulligan.GitOddFile, To: now.describe()}
	}
	return p.put(git, path, was, change)
}

// isHead reports whether git could read a text as HEAD.
func isHead(text string) bool {
	text = strings.TrimRight(text, "\r\n")
	if ref, ok := strings.CutPrefix(text, "ref:"); ok {
		ref = strings.TrimSpace(ref)
		return strings.HasPrefix(ref, "refs/") && !strings.Contains(ref, "..") && !strings.ContainsAny(ref, " \t\n\x00")
	}
	return isID(text)
}

// isID reports whether a text is the id of an object.
func isID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// putHooks puts back the hooks of a git folder.
func (p *putter) putHooks(git string) error {
	dir := filepath.Join(git, "hooks")
	if e := p.Entries[dir]; e.Kind == link {
		return p.putFileIfChanged(git, dir, e)
	}
	names := listHooks(git)
	for path := range p.Entries {
		if name := filepath.Base(path); filepath.Dir(path) == dir && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if was := p.Entries[path]; !was.equals(readEntry(path), true) {
			if err := p.put(git, path, was, mulligan.GitChange{Kind: mulligan.GitHook}); err != nil {
				return err
			}
		}
	}
	return nil
}

// putFileIfChanged puts back a path that is not what it was.
func (p *putter) putFileIfChanged(git, path string, was entry) error {
	now := readEntry(path)
	if was.equals(now, false) {
		return nil
	}
	return p.put(git, path, was, mulligan.GitChange{Kind: mulligan.GitOddFile, To: now.describe()})
}

// put keeps what a path has, and makes it what it was.
func (p *putter) put(git, path string, was entry, change mulligan.GitChange) (err error) {
	if change.Kept, err = p.keeper.Keep(git, path); err != nil {
		return err
	}
	if err := was.put(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot put back %s: %w", path, err)
	}
	p.add(git, path, change)
	return nil
}

// add notes a change of a path, which gets the name that people know it by.
func (p *putter) add(git, path string, change mulligan.GitChange) {
	base := p.Repo.Common
	if git == p.Repo.Git || git == p.Repo.Dir {
		base = git
	}
	name, err := filepath.Rel(base, path)
	if err != nil {
		name = path
	}
	switch {
	case git == p.Repo.Dir || path == git:
		name = ".git"
	default:
		name = filepath.ToSlash(filepath.Join(".git", name))
	}
	change.Name = name
	p.changes = append(p.changes, change)
}
