package gitfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Folder is a git folder over a repository. It is safe for concurrent use.
type Folder struct {
	dir    string
	repo   Repository
	frozen *Frozen
	files  map[string][]byte // what has to be in the folder, by name

	mu   sync.Mutex
	seen map[string]fs.FileInfo // the files as they were written
	head string                 // the HEAD that the folder has
}

// ownSettings are put over what is frozen: no hook, no monitor, no fetch, no file that an agent could have
// filled with answers (the untracked cache, the commit graph).
var ownSettings = Config{
	{Key: "core.bare", Value: "false"},
	{Key: "core.hookspath", Value: os.DevNull},
	{Key: "core.fsmonitor", Value: "false"},
	{Key: "core.splitindex", Value: "false"},
	{Key: "core.untrackedcache", Value: "false"},
	{Key: "core.commitgraph", Value: "false"},
	{Key: "submodule.recurse", Value: "false"},
	{Key: "gc.auto", Value: "0"},
	{Key: "maintenance.auto", Value: "false"},
	{Key: "protocol.allow", Value: "never"},
	{Key: "core.pager", Value: "cat"},
	{Key: "core.askpass", Value: "false"},
}

// New makes a git folder at dir, in the place of what an earlier process left there.
func New(dir string, repo Repository, f *Frozen) (*Folder, error) {
	g := &Folder{dir: dir, repo: repo, frozen: f, seen: make(map[string]fs.FileInfo)}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := g.clear(); err != nil {
		return nil, err
	}
	for _, sub := range []string{"info", "logs"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	if err := g.linkRepository(); err != nil {
		return nil, err
	}
	g.files = map[string][]byte{
		"config": g.makeConfig().encode(), "attributes": []byte(f.Attributes), "excludes": []byte(f.Excludes),
		"info/attributes": []byte(f.InfoAttributes), "info/exclude": []byte(f.InfoExclude), "info/sparse-checkout": []byte(f.SparseCheckout),
	}
	for name, data := range f.Programs {
		g.files[programsFolder+"/"+name] = data
	}
	return g, nil
}

// clear removes what an earlier process left in the folder, except for its Frozen.
func (g *Folder) clear() error {
	old, err := os.ReadDir(g.dir)
	if err != nil {
		return err
	}
	for _, e := range old {
		if e.Name() == frozenFile {
			continue
		}
		if err := os.RemoveAll(filepath.Join(g.dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// linkRepository links the parts of the repository that git finds beside HEAD.
func (g *Folder) linkRepository() error {
	links := map[string]string{
		"packed-refs": filepath.Join(g.repo.Common, "packed-refs"), "shallow": filepath.Join(g.repo.Common, "shallow"),
		"logs/refs": filepath.Join(g.repo.Common, "logs", "refs"), "logs/HEAD": filepath.Join(g.repo.Git, "logs", "HEAD"),
		"lfs": filepath.Join(g.repo.Common, "lfs"),
	}
	if g.hasReftable() { // its refs are asked of the repository itself
		if err := os.MkdirAll(filepath.Join(g.dir, "refs", "heads"), 0o700); err != nil {
			return err
		}
	} else {
		links["refs"] = filepath.Join(g.repo.Common, "refs")
	}
	// Git-lfs makes no folder where a link leads nowhere. If we cannot either, it reports that.
	if slices.ContainsFunc(g.frozen.Config.Filters(), func(f Filter) bool { return f.Name == "lfs" }) {
		_ = os.MkdirAll(links["lfs"], 0o777)
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(g.dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}

func (g *Folder) hasReftable() bool {
	st, err := os.Stat(filepath.Join(g.repo.Common, "reftable"))
	return err == nil && st.IsDir()
}

// makeConfig returns the config of the folder.
func (g *Folder) makeConfig() Config {
	version := "0"
	var c Config
	for _, e := range g.frozen.Config {
		if strings.HasPrefix(e.Key, "extensions.") {
			version = "1"
		}
		if e.Key == "lfs.storage" && !filepath.IsAbs(e.Value) {
			e.Value = filepath.Join(g.repo.Common, e.Value)
		}
		c = append(c, g.startInCopies(e))
	}
	c = append(c, ownSettings...)
	return append(c, Entry{Key: "core.repositoryformatversion", Value: version},
		Entry{Key: "core.attributesfile", Value: filepath.Join(g.dir, "attributes")},
		Entry{Key: "core.excludesfile", Value: filepath.Join(g.dir, "excludes")})
}

// Dir returns the folder's path.
func (g *Folder) Dir() string { return g.dir }

// Frozen returns what the folder is made of.
func (g *Folder) Frozen() *Frozen { return g.frozen }

// Env returns the variables by which git works with the folder on the repository's index, objects and
// checkout, and reads no other config.
func (g *Folder) Env() []string {
	return append(Isolation(), "GIT_DIR="+g.dir, "GIT_WORK_TREE="+g.repo.Dir,
		"GIT_INDEX_FILE="+filepath.Join(g.repo.Git, "index"), "GIT_OBJECT_DIRECTORY="+filepath.Join(g.repo.Common, "objects"))
}

// Isolation returns the variables that keep git from the user's and the system's config, from fetching
// missing objects, and from every protocol.
func Isolation() []string {
	return []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_COUNT=0", "GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
	}
}

// Prepare makes the folder ready for a git: it writes what is not there as it should be, and copies the
// repository's HEAD. It returns a *NotFileError if git would wait for something that is no file. A git that
// does not look at HEAD, as with needsHead false, runs also where HEAD cannot be read. index is the index
// that git works with.
func (g *Folder) Prepare(index string, needsHead bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, data := range g.files {
		if err := g.writeChanged(name, data); err != nil {
			return err
		}
	}
	for _, file := range []string{
		index, filepath.Join(g.repo.Common, "packed-refs"), filepath.Join(g.repo.Common, "shallow"),
		filepath.Join(g.repo.Common, "objects", "info", "alternates"),
	} {
		if err := CheckFile(file); err != nil {
			return err
		}
	}
	if err := g.copyHead(); err != nil && (needsHead || g.head == "") {
		return err
	}
	return g.linkSharedIndex()
}

// writeChanged writes a file of the folder, unless it is as we wrote it last.
func (g *Folder) writeChanged(name string, data []byte) error {
	path := filepath.Join(g.dir, filepath.FromSlash(name))
	st, err := os.Lstat(path)
	if was := g.seen[name]; err == nil && was != nil && sameFile(st, was) {
		return nil
	}
	mode := fs.FileMode(0o600)
	if strings.HasPrefix(name, programsFolder+"/") {
		mode = 0o700
		if err := makeFolders(g.dir, filepath.Dir(filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	if err := replaceFile(path, data, mode); err != nil {
		return err
	}
	g.seen[name], err = os.Lstat(path)
	return err
}

// sameFile reports whether a file was not changed or replaced in between.
func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Mode() == b.Mode() && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changeTime(a) == changeTime(b)
}

// makeFolders makes the folders of a relative path, in the place of whatever else is there: an agent that is not
// confined could have put a link there.
func makeFolders(dir, name string) error {
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		dir = filepath.Join(dir, part)
		if st, err := os.Lstat(dir); err == nil && st.IsDir() {
			continue
		}
		if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
			return err
		}
	}
	return nil
}

// replaceFile puts a new file in the place of whatever is at the path.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	temp := path + ".new"
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	if err := os.WriteFile(temp, data, mode); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// copyHead makes the folder's HEAD the repository's.
func (g *Folder) copyHead() error {
	text, err := ReadFile(filepath.Join(g.repo.Git, "HEAD"))
	if err != nil {
		return fmt.Errorf("cannot read HEAD: %w", err)
	}
	if head := string(text); head != g.head || g.head == "" {
		if err := replaceFile(filepath.Join(g.dir, "HEAD"), text, 0o600); err != nil {
			return err
		}
		g.head = head
	}
	return nil
}

// linkSharedIndex links the parts of a split index, which git finds beside HEAD.
func (g *Folder) linkSharedIndex() error {
	shared, _ := filepath.Glob(filepath.Join(g.repo.Git, "sharedindex.*")) // fails for a bad pattern only
	for _, path := range shared {
		if err := CheckFile(path); err != nil {
			return err
		}
		err := os.Symlink(path, filepath.Join(g.dir, filepath.Base(path)))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// lockTries and lockPause bound the wait for a HEAD that another git has locked.
const (
	lockTries = 10
	lockPause = 100 * time.Millisecond
)

// WriteHead makes the repository's HEAD that of the folder, which a git has just changed. It takes git's
// lock of HEAD, and waits a while for another git that has it.
func (g *Folder) WriteHead() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	text, err := ReadFile(filepath.Join(g.dir, "HEAD"))
	if err != nil {
		return err
	}
	if err := g.replaceHead(text, func() error { return nil }); err != nil {
		return err
	}
	g.head = string(text)
	return nil
}

// PointHead makes the repository's HEAD name a ref, as git does: logged is called while HEAD is locked, to write what the
// reflog has to tell. After an error of logged HEAD is as it was.
func (g *Folder) PointHead(ref string, logged func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.replaceHead([]byte("ref: "+ref+"\n"), logged)
}

// replaceHead replaces the repository's HEAD, with git's lock of it held.
func (g *Folder) replaceHead(text []byte, logged func() error) error {
	path := filepath.Join(g.repo.Git, "HEAD")
	lock, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	for tries := 1; errors.Is(err, fs.ErrExist) && tries < lockTries; tries++ {
		time.Sleep(lockPause)
		lock, err = os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return fmt.Errorf("cannot lock HEAD: %w", err)
	}
	_, err = lock.Write(text)
	if err = errors.Join(err, lock.Sync(), lock.Close()); err == nil {
		err = logged()
	}
	if err == nil {
		err = os.Rename(lock.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(lock.Name()))
	}
	return nil
}

// Remove deletes the folder. What it links to stays.
func (g *Folder) Remove() error { return os.RemoveAll(g.dir) }

// MakeLogs makes the folders of the repository's reflogs, since git makes none where a link leads nowhere. If
// it cannot, the git that writes a reflog reports that.
func (g *Folder) MakeLogs() {
	_ = os.MkdirAll(filepath.Join(g.repo.Common, "logs", "refs"), 0o777)
	_ = os.MkdirAll(filepath.Join(g.repo.Git, "logs"), 0o777)
}

// CheckRefs returns a *NotFileError if something that is no file is among the refs.
func (g *Folder) CheckRefs() error {
	return filepath.WalkDir(filepath.Join(g.repo.Common, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type().IsRegular() {
			return nil // git reports what cannot be read
		}
		return CheckFile(path)
	})
}
