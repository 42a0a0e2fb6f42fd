package layout

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

const maxLines = 500

// rules are checked for every file; find returns the line and the text of each objection.
var rules = []struct {
	name  string
	tests bool // holds for test files too
	find  func(source) []string
}{
	{"no init functions", true, initFunctions},
	{"no context in a struct", false, contextFields},
	{"processes are started by internal/process", true, processStarts},
	{"no package-level state that locks or counts", false, statefulVars},
	{"files stay short", false, tooLong},
	{"nothing is left to be done", true, leftovers},
	{"packages are named for what they hold", true, emptyNames},
	{"predicates report whether", true, oddPredicates},
	{"files that a repository names are read by internal/regular", false, bareReads},
}

func TestRules(t *testing.T) {
	sources := goFiles(t)
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, s := range sources {
				if s.test && !rule.tests {
					continue
				}
				for _, found := range rule.find(s) {
					t.Errorf("%s:%s", s.path, found)
				}
			}
		})
	}
}

func initFunctions(s source) (found []string) {
	for _, decl := range s.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && fn.Recv == nil && fn.Name.Name == "init" {
			found = append(found, fmt.Sprintf("%d: func init: what runs before main is paid by every command", s.line(fn)))
		}
	}
	return found
}

func contextFields(s source) (found []string) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		st, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range st.Fields.List {
			if isSelector(field.Type, "context", "Context") {
				found = append(found, fmt.Sprintf("%d: a context in a struct: hand it to the function that needs it", s.line(field)))
			}
		}
		return true
	})
	return found
}

// processStarts finds the ways around os/exec. The bench drives the program as a user would and
// measures what a bare start costs; the agents' suite plays an agent that leaves a process of its
// own behind; processtest is the shell of a test's terminal.
func processStarts(s source) (found []string) {
	switch s.room {
	case "internal/process", "internal/process/processtest", "test/bench", "agent/agenttest":
		return nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if ok && (isSelector(e, "os", "StartProcess") || isSelector(e, "syscall", "ForkExec") ||
			isSelector(e, "syscall", "StartProcess")) {
			found = append(found, fmt.Sprintf("%d: starts a process: use internal/process", s.line(e)))
		}
		return true
	})
	return found
}

// statefulVars finds variables of types that are made to change. TestNothingChanges finds those
// that are assigned to.
func statefulVars(s source) (found []string) {
	for _, decl := range s.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		ast.Inspect(gen, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			// sync.OnceValue makes a constant that is computed late: no reader can see it change.
			if ok && (pkg.Name == "sync" || pkg.Name == "atomic") && !strings.HasPrefix(sel.Sel.Name, "OnceValue") {
				found = append(found, fmt.Sprintf("%d: a package-level %s.%s: give it to a struct", s.line(sel), pkg.Name, sel.Sel.Name))
			}
			return true
		})
	}
	return found
}

func tooLong(s source) []string {
	if s.lines <= maxLines {
		return nil
	}
	return []string{fmt.Sprintf("%d: %d lines, and %d is the most: it holds more than one thing", s.lines, s.lines, maxLines)}
}

func leftovers(s source) (found []string) {
	for _, group := range s.file.Comments {
		for _, word := range []string{"TO" + "DO", "FIX" + "ME"} {
			if strings.Contains(group.Text(), word) {
				found = append(found, fmt.Sprintf("%d: %s in a comment", s.line(group), word))
			}
		}
	}
	return found
}

// oddPredicates finds comments that do not use Go's phrase for a function that returns a bool.
func oddPredicates(s source) (found []string) {
	for _, group := range s.file.Comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		if strings.Contains(text, "says "+"whether") {
			found = append(found, fmt.Sprintf("%d: says "+"whether: Go's phrase is \"reports whether\"", s.line(group)))
		}
	}
	return found
}

// repositoryReaders are the packages that read files by names from a repository.
var repositoryReaders = []string{
	"config", "plan", "gate", "gate/command", "gate/files", "gate/judge", "guard/transcript", "hook", "hook/claudecode", "hook/settings",
	"internal/builtin", "internal/cli", "internal/doctor", "internal/environ", "internal/runner", "internal/shellword", "agent/scripted",
}

// bareReads finds reads that would wait for a pipe, or take in a device without end. The file that a person
// gives to `distill` may be a pipe.
func bareReads(s source) (found []string) {
	if !slices.Contains(repositoryReaders, s.room) || s.path == "internal/cli/distill.go" {
		return nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && (isSelector(e, "os", "ReadFile") || isSelector(e, "os", "Open")) {
			found = append(found, fmt.Sprintf("%d: reads a file that may be none: use internal/regular", s.line(e)))
		}
		return true
	})
	return found
}

func emptyNames(s source) []string {
	switch name := strings.TrimSuffix(s.file.Name.Name, "_test"); name {
	case "util", "utils", "common", "helper", "helpers", "manager", "misc":
		return []string{fmt.Sprintf("1: package %s (in %s) says nothing of what it holds", name, path.Base(s.room))}
	}
	return nil
}

func isSelector(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}

func TestRulesFind(t *testing.T) {
	tests := []struct {
		rule, text string
		want       int
	}{
		{"no init functions", "func init() {}", 1},
		{"no init functions", "type t struct{}\nfunc (t) init() {}", 0},
		{"no context in a struct", "type t struct{ ctx context.Context }", 1},
		{"no context in a struct", "type t struct{ f func(context.Context) }", 0},
		{"processes are started by internal/process", "var _ = os.StartProcess", 1},
		{"processes are started by internal/process", "var _ = os.Open", 0},
		{"no package-level state that locks or counts", "var mu sync.Mutex", 1},
		{"no package-level state that locks or counts", "var n = new(atomic.Int64)", 1},
		{"no package-level state that locks or counts", "var table = sync.OnceValue(func() int { return 1 })", 0},
		{"no package-level state that locks or counts", "func f() { var mu sync.Mutex; mu.Lock() }", 0},
		{"files stay short", strings.Repeat("\n", maxLines), 1},
		{"files stay short", strings.Repeat("\n", maxLines-2), 0},
		{"predicates report whether", "// ok says " + "whether it is.\nvar x int", 1},
		{"predicates report whether", "// ok says\n// " + "whether it is.\nvar x int", 1},
		{"predicates report whether", "// ok reports whether it is.\nvar x int", 0},
		{"nothing is left to be done", "// " + "TO" + "DO: more\nvar x int", 1},
	}
	for _, test := range tests {
		s, err := parse(token.NewFileSet(), "room/file.go", []byte("package room\n"+test.text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rules {
			if rule.name != test.rule {
				continue
			}
			if got := rule.find(s); len(got) != test.want {
				t.Errorf("%s: %.60q: found %q, want %d", test.rule, test.text, got, test.want)
			}
		}
	}
}
