package settings

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/tailscale/hujson"
)

type (
	group struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []handler `json:"hooks"`
	}
	handler struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
)

// groupOf returns a hook in the form of the program's settings.
func (a Agent) groupOf(h Hook) group {
	return group{Matcher: h.Matcher, Hooks: []handler{{Type: "command", Command: h.Command, Timeout: a.timeout}}}
}

// A found is a hook of ours in a document.
type found struct {
	event          string
	group, handler int // which of the event's groups, and which of the group's handlers
	hook           Hook
	timeout        int
	alone          bool // the group has no other handler
}

// findOurs returns the hooks in the document by which the program calls mulligan.
func (a Agent) findOurs(d *document) []found {
	own, _ := os.Executable() // where it is not known, the name alone tells
	var all []found
	for _, e := range a.entries {
		list := d.events[e.event]
		if list == nil {
			continue
		}
		for i, g := range list.Value.(*hujson.Array).Elements {
			object := g.Value.(*hujson.Object)
			handlers, _ := d.member(object, "hooks") // parse has checked it
			each := handlers.Value.(*hujson.Array).Elements
			for j, h := range each {
				inner := h.Value.(*hujson.Object)
				command := memberText(inner, "command")
				if memberText(inner, "type") != "command" || !isOurCommand(command, e.event, own) {
					continue
				}
				all = append(all, found{
					event: e.event, group: i, handler: j, alone: len(each) == 1, timeout: memberNumber(inner, "timeout"),
					hook: Hook{Event: e.event, Matcher: memberText(object, "matcher"), Command: command},
				})
			}
		}
	}
	return all
}

// memberNumber returns the whole number of an object's member, or 0 if it has none.
func memberNumber(object *hujson.Object, name string) int {
	for _, m := range object.Members {
		key, _ := m.Name.Value.(hujson.Literal)
		if value, ok := m.Value.Value.(hujson.Literal); ok && key.String() == name && value.Kind() == '0' {
			return int(value.Int())
		}
	}
	return 0
}

// isComplete reports whether the hooks that were found are exactly the wanted ones.
func (a Agent) isComplete(all []found, want []Hook) bool {
	if len(all) != len(want) {
		return false
	}
	for i, f := range all { // both are in the order of the entries
		if f.hook != want[i] || f.timeout != a.timeout {
			return false
		}
	}
	return true
}

// add returns the text of a settings file with the hooks, which it must not have yet.
func (a Agent) add(path string, text []byte, hooks []Hook) ([]byte, error) {
	d, err := a.parse(path, text)
	if err != nil {
		return nil, err
	}
	if d.hook == nil {
		l := d.layout()
		return d.insert(&d.root, "", l, func(indent string) string {
			return a.formatHooks(hooks, l, indent)
		}), nil
	}
	for i := len(hooks) - 1; i >= 0; i-- { // each goes before the others
		if d, err = a.parse(path, text); err != nil {
			return nil, err
		}
		text = a.addOne(d, hooks[i])
	}
	return text, nil
}

// addOne returns the document's text with one more hook. The document must have an object of hooks.
func (a Agent) addOne(d *document, h Hook) []byte {
	l := d.layout()
	outer := l.unit // of the member "hooks"
	list := d.events[h.Event]
	if list == nil {
		return d.insert(d.hook, outer, l, func(indent string) string {
			return formatMember(h.Event, []group{a.groupOf(h)}, l, indent)
		})
	}
	inner, ok := indentOf(d.hook)
	if !ok {
		inner = outer + l.unit
	}
	return d.insert(list, inner, l, func(indent string) string {
		return formatJSON(a.groupOf(h), l, indent)
	})
}

// formatHooks returns the member "hooks" with all the hooks.
func (a Agent) formatHooks(hooks []Hook, l layout, indent string) string {
	events := map[string][]group{}
	for _, h := range hooks {
		events[h.Event] = append(events[h.Event], a.groupOf(h))
	}
	return formatMember("hooks", events, l, indent)
}

func formatMember(name string, value any, l layout, indent string) string {
	colon := ": "
	if l.newline == "" {
		colon = ":"
	}
	return string(hujson.String(name)) + colon + formatJSON(value, l, indent)
}

// formatJSON returns a value as JSON whose first line is indented already.
func formatJSON(value any, l layout, indent string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if l.newline != "" {
		encoder.SetIndent(indent, l.unit)
	}
	encoder.Encode(value) // a buffer takes everything, and the value consists of words and numbers
	return string(bytes.ReplaceAll(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"), []byte(l.newline)))
}

// remove returns the text without our hooks, and whether nothing of the file is left that was not made
// by add.
func (a Agent) remove(path string, text []byte) (left []byte, nothing bool, err error) {
	for {
		d, err := a.parse(path, text)
		if err != nil {
			return nil, false, err
		}
		all := a.findOurs(d)
		if len(all) == 0 {
			return text, false, nil
		}
		text, nothing = d.removeOne(all[0]) // as it was added last
		if nothing || isBlank(text) {
			return text, nothing, nil
		}
	}
}

// removeOne returns the text without a hook, and without what was made to hold it.
func (d *document) removeOne(f found) (text []byte, nothing bool) {
	list := d.events[f.event]
	groups := list.Value.(*hujson.Array)
	if !f.alone {
		handlers, _ := d.member(groups.Elements[f.group].Value.(*hujson.Object), "hooks")
		return d.cut(handlers, f.handler), false
	}
	if !isMade(list) {
		return d.cut(list, f.group), false
	}
	if !isMade(d.hook) {
		return d.cut(d.hook, memberIndex(d.hook, f.event)), false
	}
	mark, _ := readMark(itemsOf(&d.root)[0].before)
	if !isMade(&d.root) || !isBlank(d.root.BeforeExtra) || !isBlank(d.root.AfterExtra) {
		return d.cut(&d.root, memberIndex(&d.root, "hooks")), false
	}
	if mark == wasEmptyFile {
		return bytes.TrimPrefix(d.root.AfterExtra, []byte("\n")), false
	}
	return nil, true
}

// memberIndex returns the index of an object's member of that name.
func memberIndex(object *hujson.Value, name string) int {
	for i, m := range object.Value.(*hujson.Object).Members {
		if lit, ok := m.Name.Value.(hujson.Literal); ok && lit.String() == name {
			return i
		}
	}
	return -1
}
