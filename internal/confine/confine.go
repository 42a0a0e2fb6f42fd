// Package confine lists what an agent that is confined may write: the workspace, what its program and
// the tools of the trade keep of their own, and what the user adds.
package confine

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mulligan/internal/process"
)

// A Path is a folder or a file that may be written, and why.
type Path struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// A Request is what a list is made of.
type Request struct {
	Dir      string   // the folder of the turn; in most turns the workspace
	Own      []string // what the agent's program keeps of its own: absolute or ~/PATH, with a / at the end of folders
	Caches   string   // the folder of the caches that the repository's agents have; "" for none
	Checkout string   // the person's; a path of Writable that leads out of it begins there, and not in Dir
	Writable []string // what the user adds: absolute, ~/PATH, in Dir, or ../PATH beside Checkout
	Keep     []string // what no folder of the system's that may be written has: the home, the state folder, the checkout
	Environ  []string // of the agent's program; its TMPDIR is the session's own
	Root     bool     // it runs as root, whom no permissions of files keep from devices and the kernel's settings
}

// List returns what may be written, without what lies in a folder of the list. A path of the list may be
// missing. It looks at the paths' names only.
func (r Request) List() []Path {
	list := []Path{{r.Dir, "the workspace"}}
	list = append(list, r.listSystem()...)
	list = append(list, r.expand(r.Own, "its own program's")...)
	if r.Caches != "" {
		list = append(list, Path{r.Caches, "caches of its own"})
	}
	list = append(list, r.expand(r.Writable, "writable:")...)
	return dropCovered(list)
}

// Confinement returns the list in the form that a child is started with. It makes the folders of the list
// that are missing and that the agent's program would make itself: what does not exist cannot be allowed.
func (r Request) Confinement(kind string) *process.Confinement {
	r.makeMissing()
	c := &process.Confinement{Kind: kind}
	for _, p := range r.List() {
		// A folder above may be a symbolic link, such as /var/tmp or a home that has moved.
		if real, err := filepath.EvalSymlinks(p.Path); err == nil {
			c.Write = append(c.Write, real)
		}
	}
	return c
}

// makeMissing makes the missing folders. What cannot be made stays missing.
func (r Request) makeMissing() {
	for _, own := range r.Own {
		for _, p := range r.expand([]string{own}, "") {
			if strings.HasSuffix(own, "/") {
				os.MkdirAll(p.Path, 0o700)
			}
		}
	}
}

// TempFolders are the folders for temporary files that all programs share.
var TempFolders = []string{"/tmp", "/var/tmp"}

// listSystem returns the temporary folders and the devices.
func (r Request) listSystem() []Path {
	var list []Path
	for _, dir := range append([]string{r.getenv("TMPDIR")}, TempFolders...) {
		if filepath.IsAbs(dir) && !r.holdsKept(dir) {
			list = append(list, Path{filepath.Clean(dir), "temporary files"})
		}
	}
	if !r.Root && !r.holdsKept("/dev") {
		// What is in them that a user may write is the user's own processes and terminals.
		return append(list, Path{"/dev", "devices"}, Path{"/proc", "its own processes"})
	}
	if !r.Root {
		list = append(list, Path{"/proc", "its own processes"})
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm", "mqueue"} {
		if path := "/dev/" + name; !r.holdsKept(path) {
			list = append(list, Path{path, "devices"})
		}
	}
	return list
}

// holdsKept reports whether something that is kept from agents lies in a folder, by its name or where links lead.
func (r Request) holdsKept(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	return slices.ContainsFunc(r.Keep, func(kept string) bool { return Covers(dir, kept) || Covers(real, kept) })
}

// expand returns paths of a list as absolute ones. It leaves out what lies in a home that is not known.
func (r Request) expand(paths []string, why string) []Path {
	var list []Path
	for _, p := range paths {
		if rest, ok := cutHome(p); ok {
			home := r.getenv("HOME")
			if !filepath.IsAbs(home) {
				continue
			}
			p = filepath.Join(home, rest)
		}
		switch {
		case filepath.IsAbs(p):
		case r.Checkout != "" && !filepath.IsLocal(p):
			p = filepath.Join(r.Checkout, p)
		default:
			p = filepath.Join(r.Dir, p)
		}
		list = append(list, Path{filepath.Clean(p), why})
	}
	return list
}

// cutHome returns the part of a path after its ~, and reports whether it begins so.
func cutHome(path string) (rest string, ok bool) {
	if path == "~" {
		return "", true
	}
	return strings.CutPrefix(path, "~/")
}

func (r Request) getenv(name string) string {
	value, _ := process.Lookup(r.Environ, name)
	return value
}

// dropCovered drops the paths that lie in another path of the list, or come twice. An agent that may
// write a folder can replace what is in it by a link to anything: what lies there must not be looked up.
func dropCovered(list []Path) []Path {
	var kept []Path
	for i, p := range list {
		covered := slices.ContainsFunc(list, func(o Path) bool { return o.Path != p.Path && Covers(o.Path, p.Path) }) ||
			slices.ContainsFunc(list[:i], func(o Path) bool { return o.Path == p.Path })
		if !covered {
			kept = append(kept, p)
		}
	}
	return kept
}

// Covers reports whether path is folder or lies in it.
func Covers(folder, path string) bool {
	folder, path = filepath.Clean(folder), filepath.Clean(path)
	rest, ok := strings.CutPrefix(path, folder)
	if runtime.GOOS == "windows" || !filepath.IsAbs(folder) || !filepath.IsAbs(path) {
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	}
	return ok && (rest == "" || rest[0] == filepath.Separator || folder == string(filepath.Separator))
}
