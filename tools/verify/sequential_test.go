package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSequentialPackages keeps the race detector where something happens at the same time.
func TestSequentialPackages(t *testing.T) {
	for _, pkg := range sequentialPackages {
		files, err := filepath.Glob(filepath.Join("..", "..", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %d files, %v", pkg, len(files), err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if what := findConcurrency(t, source); what != "" {
				t.Errorf("%s: %s; its package needs the race detector", file, what)
			}
		}
	}
}

// TestHeavyPackages keeps tests that are not built with the race detector where they run without it.
func TestHeavyPackages(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "tools"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if strings.HasPrefix(string(source), "//go:build !race\n") {
			pkg, _ := filepath.Rel(filepath.Join("..", ".."), filepath.Dir(path))
			if pkg != "." {
				pkg = "./" + filepath.ToSlash(pkg)
			}
			found[pkg] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, heavyPackages) {
		t.Errorf("the packages with tests that are not built with the race detector are %q, and heavyPackages has %q", got, heavyPackages)
	}
}

func TestFindConcurrency(t *testing.T) {
	for body, want := range map[string]string{
		"go f()":                               "a go statement",
		"func() { go func() {}() }()":          "a go statement",
		"var w sync.WaitGroup; w.Go(f)":        "a call of Go",
		"http.Serve(l, nil)":                   "a call of Serve",
		"time.AfterFunc(0, f)":                 "a call of AfterFunc",
		"t.Run(name, func() { t.Parallel() })": "a call of Parallel",
		"f()":                                  "",
	} {
		if got := findConcurrency(t, []byte("package p\nfunc g() { "+body+" }\n")); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	for path, want := range map[string]string{
		"net/http/httptest": "an import of net/http/httptest",
		"strings":           "",
	} {
		if got := findConcurrency(t, []byte("package p\nimport _ \""+path+"\"\n")); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// findConcurrency returns what in a file starts a goroutine, or "".
func findConcurrency(t *testing.T, source []byte) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		if slices.Contains([]string{"net", "net/http/httptest", "os/exec"}, path) {
			return "an import of " + path
		}
	}
	found := ""
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = "a go statement"
		case *ast.SelectorExpr:
			if slices.Contains([]string{"Go", "AfterFunc", "Parallel", "Serve", "ListenAndServe"}, n.Sel.Name) {
				found = "a call of " + n.Sel.Name
			}
		}
		return found == ""
	})
	return found
}
