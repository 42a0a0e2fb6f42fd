package layout

import (
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"strings"
	"testing"
)

// TestStateChangesInApplyAlone holds a session's state to being a fold of its journal: outside
// the files state*.go, which hold State.Apply and the methods that it calls, no code of the root
// package assigns to a part of a State or takes the address of one.
func TestStateChangesInApplyAlone(t *testing.T) {
	var root []source
	for _, s := range goFiles(t) {
		if s.room == "" && !s.test {
			root = append(root, s)
		}
	}
	for _, found := range findStateChanges(root) {
		t.Error(found)
	}
}

// findStateChanges returns the places outside state*.go that change a State, or a value of
// another type whose name ends so.
func findStateChanges(sources []source) (found []string) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	resolveNames(sources, info)
	for _, s := range sources {
		if ok, _ := path.Match("state*.go", path.Base(s.path)); ok {
			continue
		}
		for _, decl := range s.file.Decls {
			eachChange(decl, func(at ast.Expr, how string) {
				if isStateChange(info, at, how) && !isAdopt(info, decl, at) {
					found = append(found, fmt.Sprintf("%s: %s the state outside Apply: say an event, and change it in state*.go",
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
	return ok && strings.HasSuffix(named.Obj().Name(), "State") && named.Obj().Pkg() != nil
}

// isAdopt reports whether at is the one assignment that is allowed: Session.adopt takes over
// the whole state that another process left.
func isAdopt(info *types.Info, decl ast.Decl, at ast.Expr) bool {
	fn, ok := decl.(*ast.FuncDecl)
	return ok && fn.Name.Name == "adopt" && fn.Recv != nil && !isWithinState(info, at)
}

func TestFindStateChanges(t *testing.T) {
	const declared = `package mulligan
type StepState struct{ Turns int }
type State struct{ ID string; Count int; Steps []StepState; ByName map[string]int; Outcome Outcome; Last *StepState }
type Outcome struct{ Turns int; Notes []string }
type Session struct{ state State; turns int }
func (s *Session) step() *StepState { return &s.state.Steps[0] }
`
	tests := []struct {
		body string
		want int
	}{
		{`s.state.ID = "x"`, 1},
		{`s.state.Count++`, 1},
		{`s.state.Count += 2`, 1},
		{`s.state.Steps[0].Turns = 1`, 1},
		{`s.state.Steps = append(s.state.Steps, StepState{})`, 1},
		{`s.state.Outcome.Turns = 1`, 1},
		{`s.state.Outcome.Notes[0] = "x"`, 1},
		{`s.step().Turns = 1`, 1},
		{`st := s.step(); st.Turns++`, 1},
		{`st := s.step(); *st = StepState{}`, 1},
		{`s.state.ByName["x"] = 1`, 1},
		{`delete(s.state.ByName, "x")`, 1},
		{`clear(s.state.ByName)`, 1},
		{`copy(s.state.Steps[:1], s.state.Steps)`, 1},
		{`for s.state.Count = range 3 {}`, 1},
		{`_ = &s.state.Steps[0]`, 1},
		{`_ = &s.state.Outcome`, 1},
		{`s.state = State{}`, 1},
		{`func() { s.state.Count = 1 }()`, 1},

		{`_ = s.state.Count; _ = s.state.Steps[0].Turns`, 0},
		{`s.turns = s.state.Count`, 0},
		{`o := s.state.Outcome; o.Turns = 1; o.Notes = nil`, 0},
		{`st := s.step(); st = nil; _ = st`, 0},
		{`_ = &s.state`, 0},
		{`_ = State{ID: "x"}; _ = &State{}`, 0},
		{`s.state.Apply(1)`, 0},
		{`strange.Call(s.state.Count)`, 0},
	}
	for _, test := range tests {
		code := `package mulligan; import "no/such/strange"; func (s *Session) f() { ` + test.body + ` }`
		got := findStateChanges(parseAll(t, map[string]string{"state.go": declared, "session.go": code}))
		if len(got) != test.want {
			t.Errorf("%s: found %q, want %d", test.body, got, test.want)
		}
		if got := findStateChanges(parseAll(t, map[string]string{"state.go": declared, "state_turn.go": code})); len(got) > 0 {
			t.Errorf("in state_turn.go, %s: found %q", test.body, got)
		}
	}
	const adopt = `package mulligan; func (s *Session) adopt(st *State) { s.state = *st; s.state.ID = "x" }`
	if got := findStateChanges(parseAll(t, map[string]string{"state.go": declared, "session.go": adopt})); len(got) != 1 {
		t.Errorf("adopt: found %q, want the ID alone", got)
	}
}
