package layout

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestNothingChanges holds package-level variables to being constants in all but name: no
// function assigns to one, to a part of one, or takes its address. It does not see a method that
// changes its receiver; statefulVars finds the types that are made for it.
func TestNothingChanges(t *testing.T) {
	packages := map[string][]source{}
	for _, s := range goFiles(t) {
		if !s.test {
			packages[s.room] = append(packages[s.room], s)
		}
	}
	for _, sources := range packages {
		for _, found := range findVarChanges(sources) {
			t.Error(found)
		}
	}
}

// findVarChanges returns the places where a function changes a package-level variable.
func findVarChanges(sources []source) (found []string) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg := resolveNames(sources, info)
	for _, s := range sources {
		eachChange(s.file, func(at ast.Expr, how string) {
			name := ownerOf(at)
			v, ok := info.Uses[name].(*types.Var)
			if ok && pkg != nil && v.Parent() == pkg.Scope() {
				found = append(found, fmt.Sprintf("%s: %s the package-level %s", s.fset.Position(at.Pos()), how, name.Name))
			}
		})
	}
	return found
}

// resolveNames resolves names within one package, and in those of the packages that it imports which were resolved before.
// Nothing has to be compiled for it, and the errors about other imports do not matter.
func resolveNames(sources []source, info *types.Info, before ...*types.Package) *types.Package {
	var syntax []*ast.File
	for _, s := range sources {
		syntax = append(syntax, s.file)
	}
	config := types.Config{Importer: resolved(before), Error: func(error) {}}
	pkg, _ := config.Check(strings.TrimSuffix(module+"/"+sources[0].room, "/"), sources[0].fset, syntax, info)
	return pkg
}

const takesAddress = "takes the address of"

// eachChange calls report with every expression below a node that is changed or may be, and how.
func eachChange(below ast.Node, report func(at ast.Expr, how string)) {
	ast.Inspect(below, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				report(left, "assigns to")
			}
		case *ast.IncDecStmt:
			report(n.X, "counts with")
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				report(n.Key, "ranges into")
				report(n.Value, "ranges into")
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				report(n.X, takesAddress)
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, fn.Name) {
				report(n.Args[0], "changes")
			}
		}
		return true
	})
}

// ownerOf returns the variable that an expression is a part of, as table in table[k].field, or
// nil if there is none.
func ownerOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// resolved are packages whose names were resolved.
type resolved []*types.Package

func (r resolved) Import(path string) (*types.Package, error) {
	for _, pkg := range r {
		if pkg.Path() == path {
			return pkg, nil
		}
	}
	return nil, errors.New("not resolved here")
}

func TestFindVarChanges(t *testing.T) {
	tests := []struct {
		body string
		want int
	}{
		{`n = 2`, 1},
		{`n++`, 1},
		{`for n = range 3 {}`, 1},
		{`for _, n = range table {}`, 1},
		{`n, x := 1, 2; n, x = 3, 4; _ = x`, 0},
		{`table["k"] = 2`, 1},
		{`delete(table, "k")`, 1},
		{`table := map[string]int{}; table["k"] = 2`, 0},
		{`p.field = 2`, 1},
		{`_ = &n`, 1},
		{`elsewhere = "other file"`, 1},
		{`_ = n; _ = table["k"]; strange.Call(n)`, 0},
	}
	for _, test := range tests {
		fset := token.NewFileSet()
		one := `package room; import "no/such/strange"; type pair struct{ field int }; var n = 1; ` +
			`var table = map[string]int{}; var p pair; func f() { ` + test.body + ` }`
		first, err := parse(fset, "room/one.go", []byte(one))
		if err != nil {
			t.Fatal(err)
		}
		second, err := parse(fset, "room/two.go", []byte(`package room; var elsewhere = "here"`))
		if err != nil {
			t.Fatal(err)
		}
		if got := findVarChanges([]source{first, second}); len(got) != test.want {
			t.Errorf("%s: found %q, want %d", test.body, got, test.want)
		}
	}
}
