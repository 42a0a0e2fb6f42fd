package config

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// ErrNotEditable is the error of SetKey for a text in which it cannot set the key without changing
// anything else.
var ErrNotEditable = errors.New("it is written in a way that cannot be edited here")

// SetKey returns a YAML text in which the key at the end of a path has a value, itself YAML on one line.
// Comments and layout stay as they are, except inside the value that is replaced. Mappings that are
// missing are added. An empty text becomes the mapping alone.
func SetKey(text []byte, path []string, value string) ([]byte, error) {
	plain := bytes.TrimPrefix(text, []byte("\ufeff"))
	src := newSource("the text", "the text", plain) // a path, so that mistakes have their lines
	before, mistakes := parse(src, plain)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	e := &yamlEditor{lines: slices.Clone(src.lines)}
	p := &yamlReader{src: src, anchors: map[string]ast.Node{}}
	switch body := p.singleDocument(p.parseDocuments(normalizeLines(plain))); {
	case body == nil:
		e.insertLines(e.endOfText(), renderEntry(path, value, ""))
	default:
		e.reader = p
		if err := e.set(body, path, value); err != nil {
			return nil, err
		}
	}
	after := e.text(text)
	if !isEdited(before, bytes.TrimPrefix(after, []byte("\ufeff")), path, value) {
		return nil, ErrNotEditable
	}
	return after, nil
}

// isEdited reports whether a text reads as what was before, but for the value at the path.
func isEdited(before *raw, after []byte, path []string, value string) bool {
	got, mistakes := parse(newSource("", "", after), after)
	set, wrong := parse(newSource("", "", []byte(value)), []byte(value))
	if got == nil || set == nil || len(mistakes)+len(wrong) > 0 {
		return false
	}
	return equalRaw(got, setRaw(before, path, set))
}

// setRaw returns a value with another one at a path in it.
func setRaw(r *raw, path []string, value *raw) *raw {
	if len(path) == 0 {
		return value
	}
	sum := &raw{shape: isMap}
	if r != nil && r.shape == isMap {
		sum.entries = slices.DeleteFunc(slices.Clone(r.entries), func(e entry) bool { return e.key == path[0] })
	}
	var old *raw
	if r != nil {
		if e := r.findEntry(path[0]); e != nil {
			old = e.value
		}
	}
	sum.entries = append(sum.entries, entry{key: path[0], value: setRaw(old, path[1:], value)})
	return sum
}

// equalRaw reports whether two values are the same, wherever they stand and in whatever order their keys.
func equalRaw(a, b *raw) bool {
	if a.shape != b.shape || a.text != b.text || len(a.entries) != len(b.entries) || len(a.items) != len(b.items) {
		return false
	}
	for i := range a.items {
		if !equalRaw(a.items[i], b.items[i]) {
			return false
		}
	}
	for _, e := range a.entries {
		if other := b.findEntry(e.key); other == nil || !equalRaw(e.value, other.value) {
			return false
		}
	}
	return true
}

// A yamlEditor changes the lines of a text at places of its nodes.
type yamlEditor struct {
	lines  []string
	reader *yamlReader
}

// text returns the edited text, with the line ends and the byte order mark of the original.
func (e *yamlEditor) text(original []byte) []byte {
	text := strings.TrimRight(strings.Join(e.lines, "\n"), "\n") + "\n"
	if strings.Contains(string(original), "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.HasPrefix(string(original), "\ufeff") {
		text = "\ufeff" + text
	}
	return []byte(text)
}

// set sets the value at a path below a node.
func (e *yamlEditor) set(n ast.Node, path []string, value string) error {
	values, flow := mappingOf(n)
	if values == nil && flow == nil {
		return ErrNotEditable
	}
	for _, v := range values {
		key, ok := e.reader.readKey(v.Key, "")
		if !ok || key != path[0] {
			continue
		}
		inner, braces := mappingOf(v.Value)
		switch {
		case len(path) == 1:
			return e.replace(v, flow != nil, value)
		case inner != nil || braces != nil:
			return e.set(v.Value, path[1:], value)
		case v.Value.Type() == ast.NullType:
			return e.replace(v, flow != nil, renderFlow(path[1:], value))
		}
		return ErrNotEditable
	}
	if flow != nil {
		return e.insertInFlow(flow, len(values) > 0, path, value)
	}
	last, first := values[len(values)-1], e.reader.startOf(values[0].Key)
	indent := strings.Repeat(" ", first.col-1)
	if strings.TrimLeft(e.lines[first.line-1][:min(first.col-1, len(e.lines[first.line-1]))], " ") != "" {
		return ErrNotEditable // the mapping begins behind a dash
	}
	e.insertLines(e.endOf(last)+1, renderEntry(path, value, indent))
	return nil
}

// mappingOf returns the entries of a mapping, and the node itself if it is written in braces.
func mappingOf(n ast.Node) (values []*ast.MappingValueNode, flow *ast.MappingNode) {
	switch n := n.(type) {
	case *ast.MappingNode:
		if n.IsFlowStyle {
			return n.Values, n
		}
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	}
	return nil, nil
}

// renderEntry returns the lines of a value at a path, each mapping of it in a block.
func renderEntry(path []string, value, indent string) []string {
	var lines []string
	for i, key := range path {
		line := indent + strings.Repeat("  ", i) + quoteYAML(key) + ":"
		if i == len(path)-1 {
			line += " " + value
		}
		lines = append(lines, line)
	}
	return lines
}

// renderFlow returns a value at a path, on one line.
func renderFlow(path []string, value string) string {
	for _, key := range slices.Backward(path) {
		value = "{" + quoteYAML(key) + ": " + value + "}"
	}
	return value
}
