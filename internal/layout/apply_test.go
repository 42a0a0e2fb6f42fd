package layout

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"testing"
)

// TestStateChangesInApplyAlone holds a session's state to being a fold of its journal: the loop assigns to no part of a
// State and takes the address of none. Package state, which has State.Apply, imports no loop.
func TestStateChangesInApplyAlone(t *testing.T) {
	for _, found := range findStateChanges(goFiles(t)) {
		t.Error(found)
	}
}

// findStateChanges returns the places in the loop that change a State, or a value of a type of the vocabulary whose name
// ends so.
func findStateChanges(sources []source) (found []string) {
	var before []*types.Package
	var loop []source
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	for _, room := range []string{"", "state", "loop"} {
		loop = nil
		for _, s := range sources {
			if s.room == room && !s.test {
				loop = append(loop, s)
			}
		}
		before = append(before, resolveNames(loop, info, before...))
	}
	for _, s := range loop {
		for _, decl := range s.file.Decls {
			eachChange(decl, func(at ast.Expr, how string) {
				if isStateChange(info, at, how) && !isAdopt(info, decl, at) {
					found = append(found, fmt.Sprintf("%s: %s the state outside Apply: say an event, and change it in package state",
						s.fset.Position(at.Pos()), how))
				}
			})
		}
	}
	return found
}

// isStateChange reports whether e is a part of a state, or a whole one that something holds
// (s.state, *st). A State as a whole may be read through its address.
func isStateChange(info *types.Info, e ast.Expr, how string) bool {
	switch e.(type) {
	case *ast.SelectorExpr, *ast.StarExpr:
		if how != takesAddress && isStateType(info.TypeOf(e)) {
			return true
		}
	}
	return isWithinState(info, e)
}

// isWithinState reports whether e selects something of a state, however deep: the Status in
// s.state.Board.Tasks[0].Status.
func isWithinState(info *types.Info, e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			base := info.TypeOf(x.X)
			if pointer, ok := base.(*types.Pointer); ok {
				base = pointer.Elem()
			}
			if isStateType(base) {
				return true
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return false
		}
	}
}

func isStateType(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	path := named.Obj().Pkg().Path()
	return path == module+"/state" || path == module && strings.HasSuffix(named.Obj().Name(), "State")
}

// isAdopt reports whether at is the one assignment that is allowed: Session.adopt takes over
// the whole state that another process left.
func isAdopt(info *types.Info, decl ast.Decl, at ast.Expr) bool {
	fn, ok := decl.(*ast.FuncDecl)
	return ok && fn.Name.Name == "adopt" && fn.Recv != nil && !isWithinState(info, at)
}

func TestFindStateChanges(t *testing.T) {
	sources := func(loop string) []source {
		return parseAll(t, map[string]string{
			"attempt.go": `package mulligan
type StepState struct{ Turns int }
type Outcome struct{ Turns int; Notes []string }
`,
			"state/state.go": `package state; import "mulligan"
type State struct{ ID string; Count int; Steps []mulligan.StepState; Hooks Hooks; ByName map[string]int; Outcome mulligan.Outcome; Last *mulligan.StepState }
type Hooks struct { Runs int }
func (s *State) Apply(n int) { s.Count = n }
`,
			"loop/session.go": `package loop; import ("mulligan"; "mulligan/state"; "no/such/strange")
type Session struct{ state state.State; turns int }
func (s *Session) step() *mulligan.StepState { return s.state.Last }
` + loop,
		})
	}
	tests := []struct {
		body string
		want int
	}{
		{`s.state.ID = "x"`, 1},
		{`s.state.Count++`, 1},
		{`s.state.Count += 2`, 1},
		{`s.state.Steps[0].Turns = 1`, 1},
		{`s.state.Steps = append(s.state.Steps, mulligan.StepState{})`, 1},
		{`s.state.Outcome.Turns = 1`, 1},
		{`s.state.Outcome.Notes[0] = "x"`, 1},
		{`s.step().Turns = 1`, 1},
		{`s.state.Hooks.Runs = 1`, 1},
		{`h := &s.state.Hooks; h.Runs++`, 2},
		{`st := s.step(); st.Turns++`, 1},
		{`st := s.step(); *st = mulligan.StepState{}`, 1},
		{`s.state.ByName["x"] = 1`, 1},
		{`delete(s.state.ByName, "x")`, 1},
		{`clear(s.state.ByName)`, 1},
		{`copy(s.state.Steps[:1], s.state.Steps)`, 1},
		{`for s.state.Count = range 3 {}`, 1},
		{`_ = &s.state.Steps[0]`, 1},
		{`_ = &s.state.Outcome`, 1},
		{`s.state = state.State{}`, 1},
		{`func() { s.state.Count = 1 }()`, 1},

		{`_ = s.state.Count; _ = s.state.Steps[0].Turns`, 0},
		{`s.turns = s.state.Count`, 0},
		{`o := s.state.Outcome; o.Turns = 1; o.Notes = nil`, 0},
		{`st := s.step(); st = nil; _ = st`, 0},
		{`_ = &s.state`, 0},
		{`_ = state.State{ID: "x"}; _ = &state.State{}`, 0},
		{`s.state.Apply(1)`, 0},
		{`strange.Call(s.state.Count)`, 0},
	}
	for _, test := range tests {
		if got := findStateChanges(sources(`func (s *Session) f() { ` + test.body + ` }`)); len(got) != test.want {
			t.Errorf("%s: found %q, want %d", test.body, got, test.want)
		}
	}
	const adopt = `func (s *Session) adopt(st *state.State) { s.state = *st; s.state.ID = "x" }`
	if got := findStateChanges(sources(adopt)); len(got) != 1 {
		t.Errorf("adopt: found %q, want the ID alone", got)
	}
}
