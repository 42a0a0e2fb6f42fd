package config

import (
	"fmt"
	"slices"
	"strings"
)

// decoder checks raw values against their types, and goes on after a mistake.
type decoder struct {
	mistakes Mistakes
}

func (d *decoder) wrong(at place, path, hint, format string, args ...any) {
	d.mistakes = append(d.mistakes, at.mistake(path, fmt.Sprintf(format, args...), hint))
}

// value checks r. below is what lower layers say at the same path: a mapping that is
// merged over them may leave out what they have.
func (d *decoder) value(r *raw, t *Type, path string, below *node) *node {
	n := &node{typ: t, path: path, at: r.at, text: r.text}
	switch r.shape {
	case isBad:
		n.bad = true
		return n
	case isNull:
		d.wrong(r.at, path, "", "has no value: give it one, or take the key out")
		n.bad = true
		return n
	}
	switch t.Kind {
	case OneOf:
		return d.oneOf(r, t, path, below)
	case List:
		d.list(n, r, t)
	case Map:
		d.mapping(n, r, t, below)
	case Object:
		d.object(n, r, t, below)
	case Union:
		d.union(n, r, t, below)
	default:
		d.scalar(n, r, t)
	}
	return n
}

// expected reports a value of the wrong shape.
func (d *decoder) expected(n *node, r *raw, what string) {
	n.bad = true
	got, hint := r.shape.String(), ""
	switch r.shape {
	case isBool:
		got = r.text
	case isInt, isFloat, isOddNumber:
		got = "the number " + r.text
	}
	switch {
	case (n.typ.Kind == String || n.typ.Kind == Text) && r.text != "":
		hint = fmt.Sprintf("put it in quotes: %q", r.text)
	case n.typ.Kind == Bool:
		hint = yesOrNo(r.text)
	case n.typ.Kind == List && r.shape == isString && !strings.Contains(r.text, "\n"):
		hint = fmt.Sprintf("write it as a list: [%s]", plain(r.text))
	}
	d.wrong(r.at, n.path, hint, "expected %s, got %s", what, got)
}

// yesOrNo is for those who know YAML 1.1, or quote everything.
func yesOrNo(text string) string {
	switch strings.ToLower(text) {
	case "yes", "on", "y", "true":
		return "write true"
	case "no", "off", "n", "false":
		return "write false"
	}
	return ""
}

func (d *decoder) oneOf(r *raw, t *Type, path string, below *node) *node {
	for _, alternative := range t.Any {
		if alternative.takes(r.shape) {
			return d.value(r, alternative, path, below)
		}
	}
	n := &node{typ: t, path: path, at: r.at}
	if strings.HasPrefix(t.Noun, "a command") {
		n.typ = t.Any[0] // a word such as true is a command that wants quotes
	}
	d.expected(n, r, t.Noun)
	return n
}

// takes says whether a value of that shape can be of the type at all.
func (t *Type) takes(s shape) bool {
	switch t.Kind {
	case List:
		return s == isList
	case Map, Object, Union:
		return s == isMap
	case Bool:
		return s == isBool
	case Int, Float:
		return s == isInt || s == isFloat || s == isOddNumber
	case Duration:
		return s == isInt || s == isString
	}
	return s == isString
}

func (d *decoder) list(n *node, r *raw, t *Type) {
	if r.shape != isList {
		d.expected(n, r, t.noun())
		return
	}
	if t.NonEmpty && len(r.items) == 0 {
		n.bad = true
		d.wrong(r.at, n.path, "", "the list is empty: it needs %s", t.Elem.noun())
	}
	n.items = make([]*node, 0, len(r.items))
	for i, item := range r.items {
		n.items = append(n.items, d.value(item, t.Elem, index(n.path, i), nil))
	}
}

func (d *decoder) mapping(n *node, r *raw, t *Type, below *node) {
	if r.shape != isMap {
		d.expected(n, r, "a mapping of names")
		return
	}
	n.fields = map[string]*node{}
	for _, e := range r.entries {
		path := join(n.path, e.key)
		if strings.TrimSpace(e.key) == "" {
			d.wrong(e.at, path, "", "a name is empty")
			continue
		}
		if len(t.Choices) > 0 && !slices.Contains(built(t.Choices), e.key) {
			d.unknownName(e, path, t)
			continue
		}
		n.keys = append(n.keys, e.key)
		n.fields[e.key] = d.value(e.value, t.Elem, path, below.child(e.key))
	}
}

func (d *decoder) unknownName(e entry, path string, t *Type) {
	hint := didYouMean(e.key, built(t.Choices))
	if hint == "" {
		hint = "known here: " + strings.Join(built(t.Choices), ", ")
	}
	d.wrong(e.at, path, hint, "unknown key")
}

func (n *node) child(key string) *node {
	if n == nil {
		return nil
	}
	return n.fields[key]
}

func (d *decoder) object(n *node, r *raw, t *Type, below *node) {
	if r.shape != isMap {
		d.expected(n, r, t.noun())
		return
	}
	n.fields = map[string]*node{}
	for _, e := range r.entries {
		path := join(n.path, e.key)
		f := t.field(e.key)
		switch {
		case f == nil:
			d.unknown(e, path, t)
		case f.NotYet:
			d.wrong(e.at, path, "", "not supported yet (%s)", f.Doc)
		default:
			n.keys = append(n.keys, e.key)
			n.fields[e.key] = d.value(e.value, f.Type, path, below.child(e.key))
		}
	}
}

func (d *decoder) unknown(e entry, path string, t *Type) {
	if where, known := t.Elsewhere[e.key]; known {
		what := "not a key here"
		if t.Noun != "" {
			what = fmt.Sprintf("not a key of %s here", t.Noun)
		}
		d.wrong(e.at, path, where, "%s", what)
		return
	}
	hint := didYouMean(e.key, fieldNames(t.Fields))
	if hint == "" {
		built := slices.DeleteFunc(slices.Clone(t.Fields), func(f Field) bool { return f.NotYet })
		hint = "known here: " + strings.Join(fieldNames(built), ", ")
	}
	d.wrong(e.at, path, hint, "unknown key")
}

// union settles which variant it is and checks the value as that object.
func (d *decoder) union(n *node, r *raw, t *Type, below *node) {
	if r.shape != isMap {
		d.expected(n, r, t.noun())
		return
	}
	name, given := r.entry("type"), ""
	switch {
	case name != nil && name.value.shape == isString:
		given = name.value.text
	case name == nil && below.child("type") != nil:
		given = below.child("type").text
	case name == nil && t.usual(r):
		given = t.Usual
	case name == nil:
		d.wrong(r.at, n.path, "one of "+t.known(), `the key "type" is missing`)
	}
	v, found := variant(t.Variants, given)
	if !found {
		// The type's own mistake is found as that of any word; keys of whichever
		// type was meant are not held against the user.
		n.bad = true
		n.typ = t.with(t.all())
		d.object(n, r, n.typ, below)
		return
	}
	n.typ = t.with(v)
	d.misplaced(n, r, t, v)
	d.object(n, r.without(n.foreign(r, t)), n.typ, below)
}

// usual says that a value without a type is the usual one: no key of it belongs to another.
func (t *Type) usual(r *raw) bool {
	v, found := variant(t.Variants, t.Usual)
	return found && len((&node{typ: t.with(v)}).foreign(r, t)) == 0
}

// misplaced reports keys that other variants have and this one does not.
func (d *decoder) misplaced(n *node, r *raw, t *Type, v Variant) {
	for _, key := range n.foreign(r, t) {
		e := r.entry(key)
		d.wrong(e.at, join(n.path, key), "it is an option of type "+strings.Join(t.having(key), ", "), "not an option of type %s", v.Name)
	}
}

// foreign are the keys of r that only other variants of t have.
func (n *node) foreign(r *raw, t *Type) []string {
	var keys []string
	for _, e := range r.entries {
		if n.typ.field(e.key) == nil && len(t.having(e.key)) > 0 {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// having names the variants that have a field of that name.
func (t *Type) having(key string) []string {
	var names []string
	for _, v := range t.Variants {
		if slices.Contains(fieldNames(v.Fields), key) {
			names = append(names, v.Name)
		}
	}
	return names
}

// all is a variant with the fields of every one.
func (t *Type) all() Variant {
	var sum Variant
	for _, v := range t.Variants {
		for _, f := range v.Fields {
			if !slices.Contains(fieldNames(sum.Fields), f.Name) {
				sum.Fields = append(sum.Fields, f)
			}
		}
	}
	return sum
}

// known names the variants that can be used.
func (t *Type) known() string { return strings.Join(built(choices(t.Variants)), ", ") }

func (r *raw) entry(key string) *entry {
	for i := range r.entries {
		if r.entries[i].key == key {
			return &r.entries[i]
		}
	}
	return nil
}

func (r *raw) without(keys []string) *raw {
	if len(keys) == 0 {
		return r
	}
	rest := *r
	rest.entries = slices.DeleteFunc(slices.Clone(r.entries), func(e entry) bool { return slices.Contains(keys, e.key) })
	return &rest
}
