package config

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Render writes a value as YAML that reads as the same value, with where each part of
// it came from as a comment. Objects are in the table's order, whatever order they were
// written in.
func Render(w io.Writer, v Value) error {
	out := &renderer{w: bufio.NewWriter(w)}
	if v.n != nil {
		out.writeFields(v.n, 0, false)
	}
	return out.w.Flush()
}

type renderer struct {
	w *bufio.Writer
}

func (o *renderer) writeIndent(depth int) { o.w.WriteString(strings.Repeat("  ", depth)) }

// writeFields writes a mapping. If inline is true, the first key stands on the line of a dash.
func (o *renderer) writeFields(n *node, depth int, inline bool) {
	for _, key := range n.orderedKeys() {
		child := n.fields[key]
		if child.bad {
			continue
		}
		if !inline {
			o.writeIndent(depth)
		}
		inline = false
		o.w.WriteString(quoteYAML(key) + ":")
		o.writeValue(child, depth)
	}
}

// orderedKeys returns fixed keys in the table's order, and names in the user's.
func (n *node) orderedKeys() []string {
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

// writeValue writes what follows a key's colon or a dash, its line's end included.
func (o *renderer) writeValue(n *node, depth int) {
	switch {
	case n.fields != nil && len(n.orderedKeys()) == 0:
		o.writeLine(" {}", n)
	case n.fields != nil:
		o.w.WriteString("\n")
		o.writeFields(n, depth+1, false)
	case n.typ.Kind == List && fitsOneLine(n):
		o.writeLine(" ["+strings.Join(convertAll(n.items, (*node).yamlText), ", ")+"]", n)
	case n.typ.Kind == List:
		o.w.WriteString("\n")
		for _, item := range n.items {
			o.writeItem(item, depth+1)
		}
	default:
		o.writeScalar(n, depth)
	}
}

func (o *renderer) writeItem(n *node, depth int) {
	if n.bad {
		return
	}
	o.writeIndent(depth)
	o.w.WriteString("-")
	if n.fields != nil && len(n.orderedKeys()) > 0 {
		o.w.WriteString(" ")
		o.writeFields(n, depth+1, true)
		return
	}
	o.writeValue(n, depth)
}

func (o *renderer) writeScalar(n *node, depth int) {
	s, isText := n.scalar.(string)
	if !isText || !fitsBlock(s) {
		text := n.yamlText()
		if n.typ.Kind == Enum {
			text = maskUserinfo(text)
		}
		o.writeLine(" "+text, n)
		return
	}
	chomp := "-"
	if strings.HasSuffix(s, "\n") {
		chomp = ""
	}
	o.writeLine(" |"+chomp, n)
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if line != "" {
			o.writeIndent(depth + 1)
			o.w.WriteString(line)
		}
		o.w.WriteString("\n")
	}
}

func (o *renderer) writeLine(text string, n *node) {
	fmt.Fprintf(o.w, "%s  # %s\n", text, strings.ReplaceAll(replaceControls(n.at.origin()), "\t", " "))
}

// fitsOneLine reports whether a list is short enough for one line.
func fitsOneLine(n *node) bool {
	length := 0
	for _, item := range n.items {
		if item.bad || item.fields != nil || item.items != nil || item.typ.Kind == List {
			return false
		}
		length += len(item.text)
	}
	return length < 80
}

// fitsBlock reports whether text of several lines reads as the same when it is written as a block.
func fitsBlock(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if !strings.Contains(body, "\n") || strings.HasSuffix(body, "\n") || replaceControls(strings.ReplaceAll(s, "\n", "")) != strings.ReplaceAll(s, "\n", "") {
		return false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.TrimRight(line, " \t") != line {
			return false
		}
	}
	return !strings.HasPrefix(body, " ") && !strings.HasPrefix(body, "\n") && !strings.HasPrefix(body, "\t")
}

func (n *node) yamlText() string {
	if s, ok := n.scalar.(string); ok {
		return quoteYAML(s)
	}
	return n.text
}

// bareText is text that means itself without quotes, unless it reads as a number or a word of YAML's.
var bareText = regexp.MustCompile(`^(\w|/|\./)[\w ./~+=-]*$`)

// quoteYAML returns text as YAML has it: in quotes if it would not read as the same without.
func quoteYAML(s string) string {
	if bareText.MatchString(s) && resolveShape(s) == isString && strings.TrimSpace(s) == s {
		return s
	}
	return strconv.Quote(s)
}
