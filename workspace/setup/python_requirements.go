package setup

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxRequirementFiles is how many files of requirements are read, those that others include among them.
const maxRequirementFiles = 20

// requirements are those of some files and of the files that they include.
type requirements struct {
	files    []string // relative to the folder, each once
	named    []string // the distributions, normalized
	editable []string // the folders that are installed as editable
}

// listRequirementFiles returns the folder's requirements, and those for development and tests of which the
// environment has everything.
func (f folder) listRequirementFiles(venv string) []string {
	var files []string
	if f.hasFile("requirements.txt") {
		files = append(files, "requirements.txt")
	}
	var installed []string
	for _, name := range f.listPresent(
		"requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt", "requirements/dev.txt",
		"requirements-test.txt", "requirements_test.txt", "test-requirements.txt", "requirements/test.txt",
	) {
		if installed == nil {
			installed = f.listDistributions(venv)
		}
		needed := f.readRequirements([]string{name})
		if len(needed.named) > 0 && !slices.ContainsFunc(needed.named, func(n string) bool { return !slices.Contains(installed, n) }) {
			files = append(files, name)
		}
	}
	return files
}

// readRequirements reads files of requirements, with those that they include from the checkout.
func (f folder) readRequirements(files []string) requirements {
	var found requirements
	for left := slices.Clone(files); len(left) > 0 && len(found.files) < maxRequirementFiles; left = left[1:] {
		name := left[0]
		if slices.Contains(found.files, name) || !f.hasFile(name) {
			continue
		}
		found.files = append(found.files, name)
		for line := range strings.Lines(f.readFile(name)) {
			left = append(left, found.addLine(path.Dir(name), line)...)
		}
	}
	return found
}

// addLine adds one line of a file in dir, and returns the file that it includes, if it does. What depends on
// the system is left out of the names.
func (r *requirements) addLine(dir, line string) (included []string) {
	line, _, _ = strings.Cut(" "+line, " #")
	line = strings.TrimSpace(line)
	if option, value, ok := cutOption(line); ok {
		switch option {
		case "-r", "--requirement", "-c", "--constraint":
			return []string{path.Join(dir, value)}
		case "-e", "--editable":
			value, _, _ = strings.Cut(value, "[") // its extras
			r.editable = append(r.editable, path.Clean(value))
		}
		return nil
	}
	if name := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*`).FindString(line); name != "" && !strings.ContainsAny(line, ";:/") {
		r.named = append(r.named, normalizeName(name))
	}
	return nil
}

// cutOption splits "-r base.txt", "-rbase.txt" and "--requirement=base.txt".
func cutOption(line string) (option, value string, ok bool) {
	switch {
	case strings.HasPrefix(line, "--"):
		at := strings.IndexAny(line, " =")
		if at < 0 {
			return line, "", true
		}
		option, value = line[:at], line[at+1:]
	case len(line) > 2 && line[0] == '-':
		option, value = line[:2], line[2:]
	default:
		return "", "", false
	}
	return option, strings.TrimSpace(value), true
}

// normalizeName returns the name of a distribution as the names of installed ones compare.
func normalizeName(name string) string {
	return strings.Trim(regexp.MustCompile(`[-_.]+`).ReplaceAllString(strings.ToLower(name), "_"), "_")
}
