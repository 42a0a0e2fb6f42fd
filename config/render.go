package config

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Render writes a value as YAML that reads as the same value, with where each part of
// it came from as a comment. Objects are in the table's order, whatever order they were
// written in.
func Render(w io.Writer, v Value) error {
	out := &renderer{w: bufio.NewWriter(w)}
	if v.n != nil {
		out.fields(v.n, 0, false)
	}
	return out.w.Flush()
}

type renderer struct {
	w *bufio.Writer
}

func (o *renderer) indent(depth int) { o.w.WriteString(strings.Repeat("  ", depth)) }

// fields writes a mapping. inline says that the first key goes on the line of a dash.
func (o *renderer) fields(n *node, depth int, inline bool) {
	for _, key := range n.order() {
		child := n.fields[key]
		if child.bad {
			continue
		}
		if !inline {
			o.indent(depth)
		}
		inline = false
		o.w.WriteString(plain(key) + ":")
		o.value(child, depth)
	}
}

// order is the table's for fixed keys, the user's for names.
func (n *node) order() []string {
	if n.typ == nil || n.typ.Kind != Object {
		return n.keys
	}
	var keys []string
	for _, f := range n.typ.Fields {
		if n.fields[f.Name] != nil {
			keys = append(keys, f.Name)
		}
	}
	return keys
}

// value writes what follows a key's colon or a dash, its line's end included.
func (o *renderer) value(n *node, depth int) {
	switch {
	case n.fields != nil && len(n.order()) == 0:
		o.line(" {}", n)
	case n.fields != nil:
		o.w.WriteString("\n")
		o.fields(n, depth+1, false)
	case n.typ.Kind == List && flowing(n):
		var words []string
		for _, item := range n.items {
			words = append(words, item.yaml())
		}
		o.line(" ["+strings.Join(words, ", ")+"]", n)
	case n.typ.Kind == List:
		o.w.WriteString("\n")
		for _, item := range n.items {
			o.item(item, depth+1)
		}
	default:
		o.scalar(n, depth)
	}
}

func (o *renderer) item(n *node, depth int) {
	if n.bad {
		return
	}
	o.indent(depth)
	o.w.WriteString("-")
	if n.fields != nil && len(n.order()) > 0 {
		o.w.WriteString(" ")
		o.fields(n, depth+1, true)
		return
	}
	o.value(n, depth)
}

func (o *renderer) scalar(n *node, depth int) {
	s, isText := n.scalar.(string)
	if !isText || !blockable(s) {
		text := n.yaml()
		if n.typ.Kind == Enum {
			text = withoutUsers(text)
		}
		o.line(" "+text, n)
		return
	}
	chomp := "-"
	if strings.HasSuffix(s, "\n") {
		chomp = ""
	}
	o.line(" |"+chomp, n)
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if line != "" {
			o.indent(depth + 1)
			o.w.WriteString(line)
		}
		o.w.WriteString("\n")
	}
}

func (o *renderer) line(text string, n *node) {
	fmt.Fprintf(o.w, "%s  # %s\n", text, strings.ReplaceAll(visible(n.at.origin()), "\t", " "))
}

// flowing says that a list is short enough for one line.
func flowing(n *node) bool {
	length := 0
	for _, item := range n.items {
		if item.bad || item.fields != nil || item.items != nil || item.typ.Kind == List {
			return false
		}
		length += len(item.text)
	}
	return length < 80
}

// blockable says that text of several lines can stand as a block and be the same.
func blockable(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if !strings.Contains(body, "\n") || strings.HasSuffix(body, "\n") || visible(strings.ReplaceAll(s, "\n", "")) != strings.ReplaceAll(s, "\n", "") {
		return false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.TrimRight(line, " \t") != line {
			return false
		}
	}
	return !strings.HasPrefix(body, " ") && !strings.HasPrefix(body, "\n") && !strings.HasPrefix(body, "\t")
}

func (n *node) yaml() string {
	if s, ok := n.scalar.(string); ok {
		return plain(s)
	}
	return n.text
}

// plain quotes text where it would not read as itself bare.
func plain(s string) string {
	bare := s != "" && resolve(s) == isString && strings.TrimSpace(s) == s &&
		(isWord(rune(s[0])) || s[0] == '/' || strings.HasPrefix(s, "./")) &&
		strings.IndexFunc(s, func(r rune) bool { return !isWord(r) && !strings.ContainsRune(" -./~+=", r) }) < 0
	if bare {
		return s
	}
	return strconv.Quote(s)
}

func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
