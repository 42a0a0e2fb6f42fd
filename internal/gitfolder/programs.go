package gitfolder

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A ProgramError means that a filter starts a program of the checkout that cannot be copied, so that an agent could
// change what git starts.
type ProgramError struct {
	Filter string
	Path   string // in the checkout
	What   string // what keeps it from being copied
}

func (e *ProgramError) Error() string {
	return fmt.Sprintf("the filter %s of git's config starts %s, which is %s: mulligan runs filters from a copy that no agent can change, and cannot make one of it", e.Filter, e.Path, e.What)
}

const (
	programsFolder = "programs" // the folder of a Folder that has the copies

	maxProgramFiles = 2000
	maxProgramBytes = 8 << 20
)

// AddPrograms copies the files of a checkout that filters name by relative paths, and what lies beside them, since a
// program may need that. Git starts filters at the top of its work tree, which is a scratch folder for commits, and where
// an agent may have changed the program. It returns an error for each program that cannot be copied.
func (f *Frozen) AddPrograms(dir string) []*ProgramError {
	var failed []*ProgramError
	c := programCopier{dir: dir, files: make(map[string][]byte)}
	for _, filter := range f.Config.Filters() {
		for _, command := range filter.Programs {
			for _, name := range listRelative(command) {
				if what := c.addProgram(name); what != "" {
					failed = append(failed, &ProgramError{filter.Name, name, what})
				}
			}
		}
	}
	if len(c.files) > 0 {
		f.Programs = c.files
	}
	return failed
}

// ProgramFolders returns the folders of the checkout from which a filter starts copied programs, "." for its top.
func (f *Frozen) ProgramFolders(filter Filter) []string {
	folders := map[string]bool{}
	for _, command := range filter.Programs {
		for _, name := range listRelative(command) {
			if _, ok := f.Programs[name]; ok {
				folders[path.Dir(name)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// listRelative returns the parts of a shell's command that may be relative paths. What is none is not found in the
// checkout.
func listRelative(command string) []string {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`|&;<>()${}=", r) })
	var names []string
	for _, word := range words {
		name := path.Clean(word)
		if !path.IsAbs(name) && name != "." && name != ".." && !strings.HasPrefix(name, "../") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// A programCopier copies files of a checkout.
type programCopier struct {
	dir   string
	files map[string][]byte
	size  int
}

// addProgram copies a file and what lies beside it. It returns why it cannot, or "". What is not there, and what is a
// folder, is no program.
func (c *programCopier) addProgram(name string) string {
	if _, had := c.files[name]; had {
		return ""
	}
	st, err := os.Lstat(filepath.Join(c.dir, filepath.FromSlash(name)))
	switch {
	case err != nil || st.IsDir():
		return ""
	case st.Mode()&fs.ModeSymlink != 0:
		return "a link"
	case !st.Mode().IsRegular():
		return describeMode(st.Mode())
	case !c.addFile(name, st):
		return "too large, or cannot be read"
	}
	c.addBeside(path.Dir(name))
	return ""
}

// addFile copies a file if there is room for it, and reports whether it has.
func (c *programCopier) addFile(name string, st fs.FileInfo) bool {
	if c.size+int(min(st.Size(), maxProgramBytes+1)) > maxProgramBytes || len(c.files) >= maxProgramFiles {
		return false
	}
	data, err := ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	c.files[name] = data
	c.size += len(data)
	return true
}

// addBeside copies the other files of a folder, with those of the folders in it, as far as there is room. Of the top of
// the checkout it copies files alone, without hidden ones.
func (c *programCopier) addBeside(folder string) {
	root := filepath.Join(c.dir, filepath.FromSlash(folder))
	// What cannot be read a filter could not read either.
	_ = filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || full == root:
			return nil
		case d.IsDir() && (folder == "." || d.Name() == ".git"):
			return fs.SkipDir
		case len(c.files) >= maxProgramFiles:
			return fs.SkipAll
		case !d.Type().IsRegular() || folder == "." && strings.HasPrefix(d.Name(), "."):
			return nil
		}
		name, err := filepath.Rel(c.dir, full)
		if err != nil {
			return nil
		}
		name = filepath.ToSlash(name)
		if _, had := c.files[name]; had {
			return nil
		}
		if st, err := d.Info(); err == nil {
			c.addFile(name, st)
		}
		return nil
	})
}

// startInCopies returns a setting of the config, with the command of a filter that names a copied program started among
// the copies.
func (f *Frozen) startInCopies(folder string, e Entry) Entry {
	_, kind, ok := cutDriver(e.Key, "filter.")
	if !ok || e.Value == "" || kind != "clean" && kind != "smudge" && kind != "process" {
		return e
	}
	if len(f.ProgramFolders(Filter{Programs: []string{e.Value}})) == 0 {
		return e
	}
	dir := filepath.Join(folder, programsFolder)
	if kind != "process" {
		dir = strings.ReplaceAll(dir, "%", "%%") // git puts the path of the file in the place of %f
	}
	e.Value = "cd '" + strings.ReplaceAll(dir, "'", `'\''`) + "' || exit\n" + e.Value
	return e
}
