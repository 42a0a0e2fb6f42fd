package settings

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxBytes is the size of the largest file that is read.
const maxBytes = 1 << 20

// maxBrackets is how many brackets a file may have. The parser calls itself for each that is inside
// another, and would run out of stack.
const maxBrackets = 100_000

// A Mistake tells why a settings file is not edited, and where.
type Mistake struct {
	Path      string
	Line, Col int // both from 1; 0 if it is about the whole file
	Message   string
}

func (m *Mistake) Error() string {
	if m.Line == 0 {
		return m.Path + ": " + m.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.Path, m.Line, m.Col, m.Message)
}

// A document is the parsed text of a settings file: its hooks, and where each of them is.
type document struct {
	path string
	text []byte
	root hujson.Value
	hook *hujson.Value // the member "hooks" of the root, or nil if there is none
	// events are the agent's events that the hooks have, each an array of groups.
	events map[string]*hujson.Value
}

// parse reads the text of a settings file as far as the agent's events need it. Its errors are Mistakes.
func (a Agent) parse(path string, text []byte) (*document, error) {
	d := &document{path: path, text: text, events: map[string]*hujson.Value{}}
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxBrackets {
		return nil, &Mistake{Path: path, Message: fmt.Sprintf("has more than %d brackets", maxBrackets)}
	}
	if !utf8.Valid(text) {
		line, col := position(text, firstInvalid(text))
		return nil, &Mistake{Path: path, Line: line, Col: col, Message: "this is not JSON: it is not UTF-8 text"}
	}
	var err error
	if d.root, err = hujson.Parse(text); err != nil {
		return nil, d.syntaxMistake(err)
	}
	root, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return nil, d.mistakeAt(&d.root, "the settings have to be an object, in { and }")
	}
	if d.hook, err = d.member(root, "hooks"); err != nil || d.hook == nil {
		return d, err
	}
	hooks, ok := d.hook.Value.(*hujson.Object)
	if !ok {
		return nil, d.mistakeAt(d.hook, `"hooks" has to be an object: events, each with a list`)
	}
	for _, e := range a.entries {
		list, err := d.member(hooks, e.event)
		if err != nil {
			return nil, err
		}
		if list == nil {
			continue
		}
		if err := d.checkGroups(e.event, list); err != nil {
			return nil, err
		}
		d.events[e.event] = list
	}
	return d, nil
}

// checkGroups returns a Mistake if an event's value is not a list of groups with hooks.
func (d *document) checkGroups(event string, list *hujson.Value) error {
	groups, ok := list.Value.(*hujson.Array)
	if !ok {
		return d.mistakeAt(list, fmt.Sprintf("the hooks of %q have to be a list, in [ and ]", event))
	}
	for i := range groups.Elements {
		group, ok := groups.Elements[i].Value.(*hujson.Object)
		if !ok {
			return d.mistakeAt(&groups.Elements[i], fmt.Sprintf("a hook of %q has to be an object, in { and }", event))
		}
		handlers, err := d.member(group, "hooks")
		if err != nil {
			return err
		}
		if handlers == nil {
			return d.mistakeAt(&groups.Elements[i], fmt.Sprintf(`a hook of %q has no list "hooks"`, event))
		}
		inner, ok := handlers.Value.(*hujson.Array)
		if !ok {
			return d.mistakeAt(handlers, `"hooks" has to be a list here, in [ and ]`)
		}
		for j := range inner.Elements {
			if _, ok := inner.Elements[j].Value.(*hujson.Object); !ok {
				return d.mistakeAt(&inner.Elements[j], `each of "hooks" has to be an object, in { and }`)
			}
		}
	}
	return nil
}

// member returns the value of an object's member, or nil if there is none. A member that is there twice
// is a Mistake: programs differ in which of them they take.
func (d *document) member(object *hujson.Object, name string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range object.Members {
		m := &object.Members[i]
		if lit, ok := m.Name.Value.(hujson.Literal); !ok || lit.String() != name {
			continue
		}
		if found != nil {
			return nil, d.mistakeAt(&m.Name, fmt.Sprintf("%q is there twice", name))
		}
		found = &m.Value
	}
	return found, nil
}

// memberText returns the string of an object's member, or "" if it has none.
func memberText(object *hujson.Object, name string) string {
	for _, m := range object.Members {
		key, _ := m.Name.Value.(hujson.Literal)
		value, ok := m.Value.Value.(hujson.Literal)
		if ok && key.String() == name && value.Kind() == '"' {
			return value.String()
		}
	}
	return ""
}

func (d *document) mistakeAt(v *hujson.Value, message string) error {
	line, col := position(d.text, v.StartOffset)
	return &Mistake{Path: d.path, Line: line, Col: col, Message: message}
}

// syntaxMistake returns the Mistake for a text that hujson cannot parse. The parser tells where only in
// its words.
func (d *document) syntaxMistake(err error) error {
	m := &Mistake{Path: d.path, Message: "this is not JSON: " + err.Error()}
	if _, scanned := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &m.Line, &m.Col); scanned == nil {
		if inner := errors.Unwrap(err); inner != nil {
			m.Message = "this is not JSON: " + inner.Error()
		}
	}
	return m
}

// firstInvalid returns the offset of the first byte that is not of a UTF-8 character.
func firstInvalid(text []byte) int {
	for i, r := range string(text) {
		if r == utf8.RuneError && !bytes.HasPrefix(text[i:], []byte(string(utf8.RuneError))) {
			return i
		}
	}
	return len(text)
}

// position returns the line and the column of an offset, both from 1.
func position(text []byte, offset int) (line, col int) {
	before := text[:min(offset, len(text))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// A layout is how a settings file is written, so that what is added looks like the rest.
type layout struct {
	newline string // "" for a text of one line
	unit    string // of indentation
}

// layout returns how the document is written.
func (d *document) layout() layout {
	l := layout{newline: "\n", unit: "  "}
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		l.newline = "\r\n"
	}
	root := d.root.Value.(*hujson.Object)
	if len(root.Members) > 0 && !bytes.ContainsRune(bytes.TrimSpace(d.text), '\n') {
		return layout{}
	}
	if indent, ok := indentOf(&d.root); ok {
		l.unit = indent
	}
	return l
}

// indentOf returns the indentation of a container's first item that has a line of its own, and whether
// there is one.
func indentOf(container *hujson.Value) (string, bool) {
	for _, it := range itemsOf(container) {
		if i := bytes.LastIndexByte(it.before, '\n'); i >= 0 && isBlank(it.before[i:]) {
			return string(it.before[i+1:]), true
		}
	}
	return "", false
}

func isBlank(extra []byte) bool { return strings.Trim(string(extra), " \t\r\n") == "" }
