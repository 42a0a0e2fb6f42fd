package doctor

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxSeen    = 300_000 // files that are looked at
	maxChanged = 2 << 30 // bytes of a file that is changed
)

// source is what bad changes are made to: the source files of the checkout, relative to it.
type source struct {
	all   []string
	tests []string
}

// sourceEndings are those of languages in which a file of nonsense does not compile, or does not load.
var sourceEndings = []string{
	".go", ".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".rs", ".java", ".kt", ".scala", ".rb", ".php", ".c", ".h", ".cc", ".cpp", ".hpp",
	".cs", ".fs", ".swift", ".m", ".ex", ".exs", ".erl", ".hs", ".ml", ".lua", ".pl", ".pm", ".sh", ".bats", ".dart", ".zig", ".vue", ".svelte", ".json",
}

// isTest reports whether a path is that of a test, by the names that runners look for.
func isTest(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	base := strings.TrimSuffix(name, filepath.Ext(name))
	for _, part := range strings.Split(strings.ToLower(filepath.ToSlash(filepath.Dir(path))), "/") {
		if slices.Contains([]string{"test", "tests", "spec", "specs", "__tests__", "t"}, part) {
			return true
		}
	}
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test") || strings.HasSuffix(base, ".test") ||
		strings.HasSuffix(base, ".spec") || strings.HasSuffix(base, "_spec") || strings.HasSuffix(base, "test") || strings.HasSuffix(base, "tests") ||
		filepath.Ext(name) == ".bats"
}

// listSource lists the source files in a folder.
func listSource(dir string) (*source, error) {
	s, count := &source{}, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(foreignFolders, d.Name()) {
			return fs.SkipDir
		}
		if count++; count > maxSeen {
			return fmt.Errorf("it has more than %d files", maxSeen)
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil && d.Type().IsRegular() {
			s.add(rel)
		}
		return err
	})
	return s, err
}

// foreignFolders are those in which nothing is a source file of the repository's own.
var foreignFolders = []string{".git", "node_modules", "vendor", ".venv", "venv", "target", "dist", "build"}

// add adds a file, if it is a source file of the checkout's own.
func (s *source) add(rel string) {
	if !slices.Contains(sourceEndings, strings.ToLower(filepath.Ext(rel))) {
		return
	}
	if isTest(rel) {
		s.tests = append(s.tests, rel)
	}
	if filepath.Ext(rel) != ".json" {
		s.all = append(s.all, rel)
	}
}
