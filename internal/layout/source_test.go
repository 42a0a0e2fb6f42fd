package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A source is a Go file of the repository.
type source struct {
	path  string // relative to the root
	room  string // its folder, "" for the root
	test  bool
	lines int
	fset  *token.FileSet
	file  *ast.File
}

type imported struct {
	path string
	line int
}

func (s source) imports() []imported {
	var all []imported
	for _, spec := range s.file.Imports {
		// The parser has taken it as a string already.
		path, _ := strconv.Unquote(spec.Path.Value)
		all = append(all, imported{path: path, line: s.fset.Position(spec.Pos()).Line})
	}
	return all
}

func (s source) line(n ast.Node) int { return s.fset.Position(n.Pos()).Line }

// goFiles parses every Go file of the module.
func goFiles(t *testing.T) []source {
	t.Helper()
	return parseGoFiles(t, func(path string) bool { return !strings.HasPrefix(path, "tools/") })
}

// parseGoFiles parses the Go files whose paths are kept, of the main module and of the tools'.
func parseGoFiles(t *testing.T, keep func(path string) bool) []source {
	t.Helper()
	root := repositoryRoot(t)
	fset := token.NewFileSet()
	var all []source
	for _, path := range listFiles(t, root) {
		if !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata/") || !keep(path) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		s, err := parse(fset, path, text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func parse(fset *token.FileSet, path string, text []byte) (source, error) {
	file, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	dir := filepath.ToSlash(filepath.Dir(path))
	if dir == "." {
		dir = ""
	}
	return source{
		path: path, room: dir, fset: fset, file: file,
		test:  strings.HasSuffix(path, "_test.go"),
		lines: strings.Count(string(text), "\n"),
	}, nil
}

// parseAll parses the files of one package.
func parseAll(t *testing.T, texts map[string]string) []source {
	t.Helper()
	fset := token.NewFileSet()
	var all []source
	for name, text := range texts {
		s, err := parse(fset, name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// listFiles returns all the files that belong to the repository, relative to its root, with slashes.
func listFiles(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (rel == ".git" || rel == ".tools" || rel == "bin" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.Type().IsRegular() && rel != ".git":
			all = append(all, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// repositoryRoot returns the root of the checkout that this test is part of.
func repositoryRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "..", "..")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
		t.Fatalf("%s is not the root of module %s: %v", root, module, err)
	}
	return root
}
