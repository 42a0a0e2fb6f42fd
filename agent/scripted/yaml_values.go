package scripted

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// A key is a mapping's, and its name without the quotes that it may be written in.
type key struct {
	ast.Node
	name string
}

func newKey(n ast.MapKeyNode) key {
	if s, ok := n.(*ast.StringNode); ok {
		return key{n, s.Value}
	}
	return key{n, n.String()}
}

func isMapping(n ast.Node) bool {
	_, ok := n.(ast.MapNode)
	return ok
}

// nodeOrKey returns the node to point at: the value, or its key if there is no value.
func nodeOrKey(value, key ast.Node) ast.Node {
	if value == nil {
		return key
	}
	return value
}

// mappingEntries returns the keys and values of a mapping; anything else is a mistake and has none.
func (r *reader) mappingEntries(n ast.Node, what string) iter.Seq2[key, ast.Node] {
	return func(yield func(key, ast.Node) bool) {
		m, ok := n.(ast.MapNode)
		if !ok {
			r.addMistake(n, "%s: want a mapping", what)
			return
		}
		for it := m.MapRange(); it.Next(); {
			if !yield(newKey(it.Key()), it.Value()) {
				return
			}
		}
	}
}

// readMapping calls the function of each key with its value; an unknown key is a mistake.
func (r *reader) readMapping(n ast.Node, what string, fields map[string]func(ast.Node)) {
	for key, value := range r.mappingEntries(n, what) {
		if read, ok := fields[key.name]; ok {
			read(value)
			continue
		}
		r.addUnknown(key, key.name, "key", slices.Sorted(maps.Keys(fields)))
	}
}

func (r *reader) addUnknown(at ast.Node, name, what string, known []string) {
	r.addMistake(at, "unknown %s %q: want one of %s", what, name, strings.Join(known, ", "))
}

// readText returns a string as the user wrote it; a number or a truth value without quotes is a
// mistake.
func (r *reader) readText(at, n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	}
	r.addMistake(nodeOrKey(n, at), "want a text")
	return ""
}

func (r *reader) readTexts(at, n ast.Node) []string {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return []string{r.readText(at, n)}
	}
	var texts []string
	for _, value := range list.Values {
		texts = append(texts, r.readText(value, value))
	}
	return texts
}

// readDuration reads a Go duration, or whole seconds.
func (r *reader) readDuration(n ast.Node) time.Duration {
	var d time.Duration
	var err error
	switch n := n.(type) {
	case *ast.IntegerNode:
		d, err = time.ParseDuration(n.String() + "s")
	case *ast.StringNode:
		d, err = time.ParseDuration(n.Value)
	default:
		r.addMistake(n, "want a duration such as 20ms or 5s")
		return 0
	}
	if err != nil || d < 0 {
		r.addMistake(n, "want a duration such as 20ms or 5s")
		return 0
	}
	return d
}

func (r *reader) readCount(n ast.Node) int {
	i, ok := n.(*ast.IntegerNode)
	if ok {
		if v, isInt := i.Value.(uint64); isInt && v > 0 && v <= 1_000_000 {
			return int(v)
		}
	}
	r.addMistake(n, "want a whole number of 1 or more")
	return 0
}

func (r *reader) readWord(n ast.Node) any { return r.readText(n, n) }

// readNumber reads a whole number as a tool takes it; 0 is allowed.
func (r *reader) readNumber(n ast.Node) any {
	if i, ok := n.(*ast.IntegerNode); ok {
		if v, isInt := i.Value.(uint64); isInt && v <= 1_000_000 {
			return int(v)
		}
	}
	r.addMistake(n, "want a whole number")
	return 0
}

func (r *reader) readNumbers(n ast.Node) any {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return []any{r.readNumber(n)}
	}
	all := []any{}
	for _, value := range list.Values {
		all = append(all, r.readNumber(value))
	}
	return all
}

func (r *reader) readBool(n ast.Node) bool {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		r.addMistake(n, "want true or false")
		return false
	}
	return b.Value
}
