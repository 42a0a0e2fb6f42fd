package gitfolder

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// WriteSettings writes f into a folder, for git folders of mulligan's own that have nothing of the person's but objects. It
// leaves out the files that only the person's clone has, but for their excludes: what our git sees of attributes and line ends
// is what a clone of theirs has.
func (f *Frozen) WriteSettings(dir string) (s Settings, err error) {
	var all, plain Config
	for _, e := range f.Config {
		if isPromisor(e.Key) {
			continue
		}
		all = append(all, f.startInCopies(dir, e))
		if !strings.HasPrefix(e.Key, "filter.") {
			plain = append(plain, e)
		}
	}
	own := slices.Concat(ownSettings, Config{
		{Key: "core.attributesfile", Value: filepath.Join(dir, "attributes")},
		{Key: "core.excludesfile", Value: filepath.Join(dir, "excludes")},
		{Key: "core.fsync", Value: "committed,loose-object"},
		{Key: "index.sparse", Value: "false"},
	})
	files := map[string][]byte{
		"config": append(all, own...).encode(), "config-unfiltered": append(plain, own...).encode(),
		"config-refusing": slices.Concat(plain, f.refuseFilters(), own).encode(),
		"attributes":      []byte(f.Attributes), "excludes": []byte(f.Excludes + f.InfoExclude),
	}
	for name, data := range f.Programs {
		files[programsFolder+"/"+name] = data
	}
	for name, data := range files {
		path, mode := filepath.Join(dir, filepath.FromSlash(name)), os.FileMode(0o600)
		if filepath.Dir(path) != dir {
			mode = 0o700
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return s, err
		}
		if err := replaceFile(path, data, mode); err != nil {
			return s, err
		}
	}
	return Settings{filepath.Join(dir, "config"), filepath.Join(dir, "config-unfiltered"), filepath.Join(dir, "config-refusing")}, nil
}

// Settings are the paths of configs, of which git is to read one as its only one.
type Settings struct {
	Filtered   string // with the person's filters
	Unfiltered string // with no filter
	Refusing   string // with filters that fail, so that git takes no file that has one
}

// refuseFilters returns filters of the same names that always fail. Git gives a command of two words to its shell, and so looks
// for no program on PATH, where an agent may have put one.
func (f *Frozen) refuseFilters() (refusing Config) {
	const fail = "exit 1"
	for _, filter := range f.Config.Filters() {
		of := "filter." + filter.Name + "."
		refusing = append(refusing, Entry{Key: of + "clean", Value: fail}, Entry{Key: of + "smudge", Value: fail}, Entry{Key: of + "required", Value: "true"})
	}
	return refusing
}

// clonedCore are the settings of core that a clone of ours has: about files, and which of them are checked out.
var clonedCore = []string{
	"autocrlf", "eol", "safecrlf", "filemode", "ignorecase", "symlinks", "precomposeunicode", "sparsecheckout", "sparsecheckoutcone",
}

// CloneConfig returns what a clone of ours has of the person's config: their remotes, with absolute addresses, the
// upstreams of their branches, and what their repository says of files. work is the branch of a session, which has the
// upstream of the branch that the person is on. No program is named in it.
func (f *Frozen) CloneConfig(root, branch, work string) Config {
	var c Config
	for _, e := range f.Config {
		section, rest, _ := strings.Cut(e.Key, ".")
		switch section {
		case "remote":
			name := rest[strings.LastIndexByte(rest, '.')+1:]
			if (name == "url" || name == "pushurl") && isRelativeURL(e.Value) {
				e.Value = filepath.Join(root, e.Value)
			}
			c = append(c, e)
		case "branch":
			c = append(c, e)
			if key, ok := strings.CutPrefix(e.Key, "branch."+branch+"."); ok && branch != "" && work != "" {
				c = append(c, Entry{Key: "branch." + work + "." + key, Value: e.Value, Bare: e.Bare})
			}
		case "core":
			if slices.Contains(clonedCore, rest) {
				c = append(c, e)
			}
		case "submodule":
			if strings.HasSuffix(rest, ".url") && isRelativeURL(e.Value) {
				e.Value = filepath.Join(root, e.Value)
			}
			c = append(c, e)
		case "user", "author", "committer", "filter", "lfs":
			if e.Key != "lfs.storage" { // a clone has its own
				c = append(c, e)
			}
		}
	}
	return c
}

// isRelativeURL reports whether a remote's address is a path that is relative to the checkout.
func isRelativeURL(url string) bool {
	return url != "" && !filepath.IsAbs(url) && !strings.Contains(url, ":") && (strings.HasPrefix(url, ".") || strings.Contains(url, "/"))
}

// Encode returns the config as a file that git reads.
func (c Config) Encode() []byte { return c.encode() }

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

// Isolation returns the variables that keep git from the user's and the system's config, from fetching
// missing objects, and from every protocol.
func Isolation() []string {
	return []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_COUNT=0", "GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
	}
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
