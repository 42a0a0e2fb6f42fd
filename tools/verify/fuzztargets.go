package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// A target is a fuzz function and the folder of its package, relative to the root.
type target struct{ dir, name string }

// findFuzzTargets parses the test files, so that a new target needs no entry anywhere.
func findFuzzTargets(root string) ([]target, error) {
	var found []target
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && isSkipped(root, path, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		names, err := readFuzzNames(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		for _, name := range names {
			found = append(found, target{dir: dir, name: name})
		}
		return err
	})
	return found, err
}

// isSkipped reports whether a folder holds no packages of the main module: those that go ignores,
// and the module of the tools.
func isSkipped(root, path, name string) bool {
	if path == root {
		return false
	}
	return name == "testdata" || name == "node_modules" || name[0] == '.' || name[0] == '_' ||
		path == filepath.Join(root, "tools")
}

func readFuzzNames(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Fuzz") {
			names = append(names, fn.Name.Name)
		}
	}
	return names, nil
}
