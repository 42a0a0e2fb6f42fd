package layout

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

// What a package or a type may have. A file has its own bound, in rules_test.go.
const (
	maxPackageLines = 4_000
	maxPackageFiles = 30
	maxMethods      = 60
)

// roomy are the packages that may be larger, and why one that is smaller would not be easier to read.
var roomy = map[string]struct {
	lines, files int
	why          string
}{
	"internal/cli":      {9_000, 72, "a file for each command, of 120 lines, that no other file calls"},
	"internal/process":  {4_000, 46, "a file for each system besides what all have"},
	"internal/runner":   {4_100, 36, "what a session's process does besides the loop; the parts share one job"},
	"journal/jetstream": {5_000, 35, "one technology behind one port: hosting it, reaching it, storing in it, mending it"},
	"loop":              {4_300, 31, "a file for each phase, and Session.advance is the one that calls them"},
	"workspace":         {4_800, 36, "the store, the workspace and the proof share one git"},
}

// methodical are the types that may have more methods.
var methodical = map[string]struct {
	methods int
	why     string
}{
	"internal/cli.App":        {177, "a method for each command, and for what it prints"},
	"journal/jetstream.Store": {85, "the port, and the phases of becoming a host"},
	"loop.Session":            {191, "what a session does, phase by phase; a phase has no state of its own to be a type of"},
	"plan.builder":            {109, "a method for each key of the config"},
	"state.State":             {107, "a method for each event"},
}

// TestNothingGrowsUnseen holds packages and types to a size. What is larger for a reason has a line above, and loses it when it
// is not needed any more.
func TestNothingGrowsUnseen(t *testing.T) {
	for _, found := range findGrown(goFiles(t)) {
		t.Error(found)
	}
}

func findGrown(sources []source) (found []string) {
	lines, files, methods := map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range sources {
		if s.test || strings.HasPrefix(s.room, "test/") {
			continue
		}
		lines[s.room] += s.lines
		files[s.room]++
		for _, decl := range s.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[s.room+"."+receiverName(fn)]++
			}
		}
	}
	for room := range lines {
		l, f := maxPackageLines, maxPackageFiles
		more, isRoomy := roomy[room]
		if isRoomy {
			l, f = more.lines, more.files
		}
		if lines[room] > l || files[room] > f {
			found = append(found, fmt.Sprintf("package %q has %d lines in %d files, and %d in %d is the most: it has more than one subject, or says something twice",
				room, lines[room], files[room], l, f))
		}
		if isRoomy && lines[room] <= maxPackageLines && files[room] <= maxPackageFiles {
			found = append(found, fmt.Sprintf("package %q needs no exception any more", room))
		}
	}
	for name, n := range methods {
		most := maxMethods
		more, isMethodical := methodical[name]
		if isMethodical {
			most = more.methods
		}
		if n > most {
			found = append(found, fmt.Sprintf("type %s has %d methods, and %d is the most", name, n, most))
		}
		if isMethodical && n <= maxMethods {
			found = append(found, fmt.Sprintf("type %s needs no exception any more", name))
		}
	}
	return found
}

// receiverName returns the name of the type that a method belongs to.
func receiverName(fn *ast.FuncDecl) string {
	expr := fn.Recv.List[0].Type
	for {
		switch x := expr.(type) {
		case *ast.StarExpr:
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.IndexListExpr:
			expr = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func TestFindGrown(t *testing.T) {
	methods := func(n int) string {
		text := "package p\n\ntype T struct{}\ntype G[K any] struct{}\n"
		for i := range n {
			text += fmt.Sprintf("func (t *T) m%d() {}\nfunc (g G[K]) m%d() {}\n", i, i)
		}
		return text
	}
	tests := map[string]struct {
		texts map[string]string
		want  int
	}{
		"small":           {map[string]string{"a/a.go": methods(maxMethods)}, 0},
		"many methods":    {map[string]string{"a/a.go": methods(maxMethods + 1)}, 2},
		"many lines":      {map[string]string{"a/a.go": "package p\n" + strings.Repeat("\n", maxPackageLines)}, 1},
		"lines of a test": {map[string]string{"a/a_test.go": "package p\n" + strings.Repeat("\n", maxPackageLines)}, 0},
		"not roomy":       {map[string]string{"loop/a.go": "package p\n"}, 1},
		"not methodical":  {map[string]string{"state/a.go": "package p\ntype State int\nfunc (s State) m() {}\n"}, 1},
	}
	for name, test := range tests {
		if got := findGrown(parseAll(t, test.texts)); len(got) != test.want {
			t.Errorf("%s: found %q, want %d", name, got, test.want)
		}
	}
}
