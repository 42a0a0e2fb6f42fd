package scripted

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"mulligan"
)

const maxScript = 1 << 20

// A Mistake is one thing wrong with a script, and where.
type Mistake struct {
	File      string
	Line, Col int
	Message   string
}

func (m Mistake) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Col, m.Message)
}

// Mistakes are all that is wrong with a script, in its order.
type Mistakes []Mistake

func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Parse reads a script. Its error is Mistakes, with all that is wrong; name stands for the file in
// them.
func Parse(name string, data []byte) (Script, error) {
	r := &reader{file: name}
	script := r.readScript(data)
	if len(r.mistakes) > 0 {
		slices.SortStableFunc(r.mistakes, func(a, b Mistake) int {
			return (a.Line-b.Line)*1_000_000 + a.Col - b.Col
		})
		return Script{}, r.mistakes
	}
	return script, nil
}

// A reader reads a script and gathers what is wrong with it.
type reader struct {
	file     string
	mistakes Mistakes
}

// addMistake notes what is wrong at a node, which may be nil.
func (r *reader) addMistake(n ast.Node, format string, args ...any) {
	m := Mistake{File: r.file, Line: 1, Col: 1, Message: fmt.Sprintf(format, args...)}
	if n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
		m.Line, m.Col = n.GetToken().Position.Line, n.GetToken().Position.Column
	}
	r.mistakes = append(r.mistakes, m)
}

// readDocument returns the one YAML document of the script, or nil if there is none to read.
func (r *reader) readDocument(data []byte) ast.Node {
	if len(data) > maxScript {
		r.addMistake(nil, "the script is larger than 1 MiB")
		return nil
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		r.addSyntaxError(err)
		return nil
	}
	docs := slices.DeleteFunc(file.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	if len(docs) == 0 {
		r.addMistake(nil, "the script is empty: give turns or steps")
		return nil
	}
	if len(docs) > 1 {
		r.addMistake(docs[1].Body, "a second YAML document: a script is one")
	}
	return docs[0].Body
}

func (r *reader) addSyntaxError(err error) {
	m := Mistake{File: r.file, Line: 1, Col: 1, Message: err.Error()}
	var at yaml.Error
	if errors.As(err, &at) {
		m.Message = at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			m.Line, m.Col = t.Position.Line, t.Position.Column
		}
	}
	r.mistakes = append(r.mistakes, m)
}

func (r *reader) readScript(data []byte) Script {
	var s Script
	body := r.readDocument(data)
	if body == nil {
		return s
	}
	r.readMapping(body, "a script", map[string]func(ast.Node){
		"pace":  func(n ast.Node) { s.Pace = r.readDuration(n) },
		"turns": func(n ast.Node) { s.Turns = r.readTurns(n) },
		"steps": func(n ast.Node) { s.Steps = r.readSteps(n) },

		string(mulligan.ForNow):      func(n ast.Node) { s.setOther(mulligan.ForNow, r.readTurn(n)) },
		string(mulligan.ForRecovery): func(n ast.Node) { s.setOther(mulligan.ForRecovery, r.readTurn(n)) },
		string(mulligan.ForHook):     func(n ast.Node) { s.setOther(mulligan.ForHook, r.readTurn(n)) },
		string(mulligan.ForDelivery): func(n ast.Node) { s.setOther(mulligan.ForDelivery, r.readTurn(n)) },
	})
	if len(r.mistakes) > 0 {
		return s
	}
	switch {
	case s.Turns != nil && s.Steps != nil:
		r.addMistake(body, "turns and steps: give one of the two")
	case len(s.Turns) == 0 && len(s.Steps) == 0:
		r.addMistake(body, "no turns: give turns or steps")
	}
	return s
}

func (s *Script) setOther(purpose mulligan.Purpose, turn Turn) {
	if s.Others == nil {
		s.Others = map[mulligan.Purpose]Turn{}
	}
	s.Others[purpose] = turn
}

func (r *reader) readSteps(n ast.Node) map[string][]Turn {
	steps := map[string][]Turn{}
	for key, value := range r.mappingEntries(n, "steps") {
		steps[key.name] = r.readTurns(value)
	}
	return steps
}

func (r *reader) readTurns(n ast.Node) []Turn {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.addMistake(n, "want a list of turns")
		return nil
	}
	turns := make([]Turn, 0, len(list.Values))
	for _, value := range list.Values {
		turns = append(turns, r.readTurn(value))
	}
	return turns
}

// readTurn reads a list of actions; a turn of one action needs no list.
func (r *reader) readTurn(n ast.Node) Turn {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return Turn{r.readAction(n)}
	}
	turn := make(Turn, 0, len(list.Values))
	for _, value := range list.Values {
		turn = append(turn, r.readAction(value))
	}
	return turn
}

func causeNames() []string {
	return []string{string(mulligan.Network), string(mulligan.Missing), string(mulligan.Auth), string(mulligan.Billing)}
}

const (
	defaultRateLimit = time.Minute
	onceOnly         = 1
)
