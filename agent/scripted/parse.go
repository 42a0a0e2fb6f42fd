package scripted

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

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
	var at *token.Token
	if n != nil {
		at = n.GetToken()
	}
	r.addMistakeAt(at, fmt.Sprintf(format, args...))
}

// addMistakeAt notes what is wrong at a token, which may be nil.
func (r *reader) addMistakeAt(at *token.Token, message string) {
	m := Mistake{File: r.file, Line: 1, Col: 1, Message: message}
	if at != nil && at.Position != nil {
		m.Line, m.Col = at.Position.Line, at.Position.Column
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
		if syntax, ok := errors.AsType[yaml.Error](err); ok {
			r.addMistakeAt(syntax.GetToken(), syntax.GetMessage())
		} else {
			r.addMistakeAt(nil, err.Error())
		}
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

func (r *reader) readScript(data []byte) Script {
	var s Script
	body := r.readDocument(data)
	if body == nil {
		return s
	}
	fields := map[string]func(ast.Node){
		"pace":  func(n ast.Node) { s.Pace = r.readDuration(n) },
		"turns": func(n ast.Node) { s.Turns = r.readTurns(n) },
		"steps": func(n ast.Node) {
			s.Steps = map[string][]Turn{}
			for key, value := range r.mappingEntries(n, "steps") {
				s.Steps[key.name] = r.readTurns(value)
			}
		},
	}
	for _, purpose := range []mulligan.Purpose{mulligan.ForNow, mulligan.ForRecovery, mulligan.ForHook, mulligan.ForDelivery} {
		fields[string(purpose)] = func(n ast.Node) {
			if s.Others == nil {
				s.Others = map[mulligan.Purpose]Turn{}
			}
			s.Others[purpose] = r.readTurn(n)
		}
	}
	r.readMapping(body, "a script", fields)
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

func (r *reader) readTurns(n ast.Node) []Turn {
	if _, ok := n.(*ast.SequenceNode); !ok {
		r.addMistake(n, "want a list of turns")
		return nil
	}
	return readList(n, r.readTurn)
}

// readTurn reads a list of actions; a turn of one action needs no list.
func (r *reader) readTurn(n ast.Node) Turn { return readList(n, r.readAction) }
