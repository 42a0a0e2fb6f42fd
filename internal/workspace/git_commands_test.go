package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// docs/git-commands.md has a line for every command that may run, and no other.
func TestGitCommandsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/git-commands.md")
	must(t, err)
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1])
	}
	known := slices.Sorted(maps.Keys(gitCommands))
	if !slices.Equal(documented, known) {
		t.Errorf("the page has %q, and the table in git_commands.go %q", documented, known)
	}
}

// Every command that the source names is in the table, and none that it does not name.
func TestGitCommandsAreUsed(t *testing.T) {
	used := map[string]bool{}
	for file, node := range parseSources(t) {
		ast.Inspect(node, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || file == "git_commands.go" {
				return true
			}
			value, err := strconv.Unquote(lit.Value)
			must(t, err)
			used[value] = true
			return true
		})
	}
	for name := range gitCommands {
		if !used[name] {
			t.Errorf("git %s is in the table and never run", name)
		}
	}
	if _, err := needsOf([]string{"-c", "a=b", "push"}); err == nil {
		t.Error("a command that is not in the table would run")
	}
}

// parseSources returns the files of this package without its tests.
func parseSources(t *testing.T) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	must(t, err)
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
		must(t, err)
	}
	return files
}

// What writes an index may start clean filters, whatever it is meant for.
func TestWhatWritesAnIndexMayStartFilters(t *testing.T) {
	for _, args := range [][]string{
		{"write-tree", "--missing-ok"},
		{"read-tree", "HEAD"},
		{"read-tree", "--reset", "-u", "HEAD"},
		{"update-index", "-z", "--index-info"},
		{"update-index", "-q", "--refresh"},
		{"-c", "a=b", "checkout-index", "-z", "--stdin"},
	} {
		if n, err := needsOf(args); err != nil || n&runsFilter == 0 {
			t.Errorf("%q would run without a keeper, %v", args, err)
		}
	}
}
