package detect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/config"
)

// A folder is one of a repository.
type folder struct {
	root string // of the repository
	name string // relative to the root; "": the root
}

func (f folder) path(name string) string { return filepath.Join(f.root, f.name, name) }

// top returns the root of the repository that the folder lies in.
func (f folder) top() folder { return folder{root: f.root} }

// has reports whether the folder has one of the files or folders.
func (f folder) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Stat(f.path(name))
		return err == nil
	})
}

// hasProgram reports whether the folder has a file that may be executed.
func (f folder) hasProgram(name string) bool {
	info, err := os.Stat(f.path(name))
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// hasMatch reports whether a name in the folder matches one of the patterns.
func (f folder) hasMatch(patterns ...string) bool { return len(f.findMatches(patterns...)) > 0 }

// findMatches returns the names in the folder that match one of the patterns. A pattern has no slash.
func (f folder) findMatches(patterns ...string) []string {
	entries, err := os.ReadDir(f.path(""))
	if err != nil {
		return nil // it serves a guess
	}
	var names []string
	for _, e := range entries {
		if slices.ContainsFunc(patterns, func(p string) bool { ok, _ := filepath.Match(p, e.Name()); return ok }) {
			names = append(names, e.Name())
		}
	}
	return names
}

// readFile returns the text of a file, or "" if it cannot be read: it serves a guess at what fits.
func (f folder) readFile(name string) string {
	data, _ := config.ReadFile(f.path(name))
	return string(data)
}

// mentions reports whether one of the files has the word.
func (f folder) mentions(word string, files ...string) bool {
	return slices.ContainsFunc(files, func(name string) bool { return strings.Contains(f.readFile(name), word) })
}

// hasTarget reports whether a Makefile has a target of that name.
func (f folder) hasTarget(name string) bool {
	for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} {
		for line := range strings.SplitSeq(f.readFile(file), "\n") {
			names, rest, found := strings.Cut(line, ":")
			if !found || strings.HasPrefix(line, "\t") || strings.HasPrefix(rest, "=") {
				continue
			}
			if slices.Contains(strings.Fields(names), name) {
				return true
			}
		}
	}
	return false
}
