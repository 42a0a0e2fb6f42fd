package detect

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mulligan/internal/usererror"
)

// maxNested is how many folders below the root are looked at for projects of their own.
const maxNested = 12

// findNested returns what is found in the folders below the root of a repository: the packages of a
// monorepo, or a part in another language. What the root has is left to it.
func findNested(root folder, found []part) []part {
	var parts []part
	for _, name := range listProjectFolders(root) {
		f := folder{root: root.root, name: name}
		for _, p := range f.findParts() {
			if slices.ContainsFunc(found, func(r part) bool { return r.language == p.language && len(r.wanted) > 0 }) || len(p.wanted) == 0 {
				continue
			}
			p.kind += " in " + name
			for i := range p.notes {
				p.notes[i] = name + ": " + p.notes[i]
			}
			for _, list := range append(p.wanted, p.maybe) {
				f.moveHere(list)
			}
			parts = append(parts, p)
		}
	}
	if len(parts) > maxNested {
		more := fmt.Sprintf("%d more parts of this repository have tests of their own: only the first %d are checked", len(parts)-maxNested, maxNested)
		parts = parts[:maxNested]
		parts[maxNested-1].notes = append(parts[maxNested-1].notes, more)
	}
	return parts
}

// moveHere makes commands work in the folder.
func (f folder) moveHere(list []Command) {
	for i := range list {
		list[i].Dir = f.name
		list[i].Line = "cd " + usererror.QuotePath(f.name) + " && " + list[i].Line
	}
}

// listProjectFolders returns the folders that may hold a project: those in the root, and those in folders
// that monorepos keep their packages in.
func listProjectFolders(root folder) []string {
	var names []string
	for _, name := range listFolders(root.path("")) {
		if !slices.Contains(containers(), name) {
			names = append(names, name)
			continue
		}
		names = append(names, name)
		for _, below := range listFolders(root.path(name)) {
			names = append(names, path.Join(name, below))
		}
	}
	return names
}

// containers returns the names of folders in which monorepos keep their packages.
func containers() []string {
	return []string{"apps", "components", "crates", "libs", "modules", "packages", "projects", "services", "src"}
}

// listFolders returns the folders in dir that may hold work of the repository's own. Links are not followed.
func listFolders(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it serves a guess
	}
	foreign := []string{
		"build", "dist", "doc", "docs", "example", "examples", "fixtures", "node_modules", "obj", "out", "site-packages", "target",
		"test", "testdata", "tests", "third_party", "tmp", "vendor", "venv",
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && isPrintable(e.Name()) && !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "_") && !slices.Contains(foreign, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// isPrintable reports whether a name can be quoted for every shell.
func isPrintable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}
