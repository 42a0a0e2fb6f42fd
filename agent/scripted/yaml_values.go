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

func isMapping(n ast.Node) bool {
	_, ok := n.(ast.MapNode)
	return ok
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
			k := key{it.Key(), it.Key().String()}
			if s, ok := it.Key().(*ast.StringNode); ok {
				k.name = s.Value
			}
			if !yield(k, it.Value()) {
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
func (r *reader) readText(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	}
	r.addMistake(n, "want a text")
	return ""
}

// readList reads each value of a list; any other node is read as a list of it alone.
func readList[T any](n ast.Node, read func(ast.Node) T) []T {
	values := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		values = list.Values
	}
	all := make([]T, len(values))
	for i, value := range values {
		all[i] = read(value)
	}
	return all
}

// readDuration reads a Go duration, or whole seconds.
func (r *reader) readDuration(n ast.Node) time.Duration {
	text := ""
	switch n := n.(type) {
	case *ast.IntegerNode:
		text = n.String() + "s"
	case *ast.StringNode:
		text = n.Value
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		r.addMistake(n, "want a duration such as 20ms or 5s")
		return 0
	}
	return d
}

// readInt reads a whole number of least or more; wanted is the mistake that any other value is.
func (r *reader) readInt(n ast.Node, least uint64, wanted string) int {
	if i, ok := n.(*ast.IntegerNode); ok {
		if v, isInt := i.Value.(uint64); isInt && v >= least && v <= 1_000_000 {
			return int(v)
		}
	}
	r.addMistake(n, "%s", wanted)
	return 0
}
