package gitfolder

import (
	"path/filepath"
	"strings"
)

// A Repository names the folders of a checkout's repository.
type Repository struct {
	Dir    string // the checkout
	Git    string // its git folder: HEAD and the index
	Common string // the git folder that all worktrees share: refs, objects, config
}

// A Frozen is what decides, besides the files of the checkout, which programs git starts and which files it
// hides or converts, as it was at one moment.
type Frozen struct {
	Config     Config `json:"config"`
	Attributes string `json:"attributes,omitempty"` // the system's and the user's own
	Excludes   string `json:"excludes,omitempty"`   // the user's own
	// The files of the repository's folder info.
	InfoAttributes string `json:"info_attributes,omitempty"`
	InfoExclude    string `json:"info_exclude,omitempty"`
	SparseCheckout string `json:"sparse_checkout,omitempty"`
	// ExcludesFile is where Excludes was read.
	ExcludesFile string `json:"excludes_file,omitempty"`
	// Programs are files of the checkout that filters start, with those beside them, by path.
	Programs map[string][]byte `json:"programs,omitempty"`
	// Modules has the same of the submodules that were checked out, by path.
	Modules map[string]*Frozen `json:"modules,omitempty"`
}

// systemAttributes is where most systems' git has the attributes of all users.
const systemAttributes = "/etc/gitattributes"

// Freeze returns the repository's config with the files that it names. getenv reads the environment in
// which git would run. A file that cannot be read, or is none, counts as empty.
func Freeze(r Repository, config Config, getenv func(string) string) *Frozen {
	home, own := getenv("HOME"), getenv("XDG_CONFIG_HOME")
	if own == "" {
		own = filepath.Join(home, ".config")
	}
	locate := func(key, standard string) string {
		if e, ok := config.Last(key); ok {
			return expandPath(home, r.Dir, e.Value)
		}
		return filepath.Join(own, "git", standard)
	}
	f := &Frozen{Config: config, ExcludesFile: locate("core.excludesfile", "ignore")}
	f.Excludes = readText(f.ExcludesFile)
	if getenv("GIT_ATTR_NOSYSTEM") == "" {
		f.Attributes = readText(systemAttributes)
	}
	f.Attributes += readText(locate("core.attributesfile", "attributes"))
	f.InfoAttributes = readText(filepath.Join(r.Common, "info", "attributes"))
	f.InfoExclude = readText(filepath.Join(r.Common, "info", "exclude"))
	f.SparseCheckout = readText(filepath.Join(r.Git, "info", "sparse-checkout"))
	return f
}

// readText returns the text of a file, with a line's end, or "" if it cannot be read.
func readText(path string) string {
	if path == "" {
		return ""
	}
	text, err := ReadFile(path)
	if err != nil || len(text) == 0 {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n") + "\n"
}

// expandPath returns a path of git's config: "~/" is the home folder, and others are relative to base.
func expandPath(home, base, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) || path == "" {
		return path
	}
	return filepath.Join(base, path)
}
