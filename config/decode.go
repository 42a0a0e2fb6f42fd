package config

import (
	"fmt"
	"slices"
	"strings"
)

// A decoder checks raw values against their types. It continues after a mistake.
type decoder struct {
	mistakes Mistakes
}

func (d *decoder) addMistake(at place, path, hint, format string, args ...any) {
	d.mistakes = append(d.mistakes, at.newMistake(path, fmt.Sprintf(format, args...), hint))
}

// decodeValue checks r. below is what lower layers have at the same path: a mapping that is
// merged over them may leave out what they have.
func (d *decoder) decodeValue(r *raw, t *Type, path string, below *node) *node {
	n := &node{typ: t, path: path, at: r.at, text: r.text}
	switch r.shape {
	case isBad:
		n.bad = true
		return n
	case isNull:
		d.addMistake(r.at, path, "", "has no value: give it one, or take the key out")
		n.bad = true
		return n
	}
	switch t.Kind {
	case OneOf:
		return d.decodeOneOf(r, t, path, below)
	case List:
		d.decodeList(n, r, t)
	case Map:
		d.decodeMap(n, r, t, below)
	case Object:
		d.decodeObject(n, r, t, below)
	case Union:
		d.decodeUnion(n, r, t, below)
	default:
		d.decodeScalar(n, r, t)
	}
	return n
}

// addShapeMistake adds that a value has the wrong shape.
func (d *decoder) addShapeMistake(n *node, r *raw, what string) {
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
		hint = boolHint(r.text)
	case n.typ.Kind == List && r.shape == isString && !strings.Contains(r.text, "\n"):
		hint = fmt.Sprintf("write it as a list: [%s]", quoteYAML(r.text))
	}
	d.addMistake(r.at, n.path, hint, "expected %s, got %s", what, got)
}

// boolHint returns the hint for a value that YAML 1.1 reads as a boolean, or that is quoted.
func boolHint(text string) string {
	switch strings.ToLower(text) {
	case "yes", "on", "y", "true":
		return "write true"
	case "no", "off", "n", "false":
		return "write false"
	}
	return ""
}

func (d *decoder) decodeOneOf(r *raw, t *Type, path string, below *node) *node {
	for _, alternative := range t.Any {
		if alternative.takesShape(r.shape) {
			return d.decodeValue(r, alternative, path, below)
		}
	}
	n := &node{typ: t, path: path, at: r.at}
	if t.Any[0].Kind == String {
		n.typ = t.Any[0] // a word such as true is text that wants quotes
	}
	d.addShapeMistake(n, r, t.Noun)
	return n
}

// takesShape reports whether a value of that shape can be of the type at all.
func (t *Type) takesShape(s shape) bool {
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

func (d *decoder) decodeList(n *node, r *raw, t *Type) {
	if r.shape != isList {
		d.addShapeMistake(n, r, t.nounPhrase())
		return
	}
	if t.NonEmpty && len(r.items) == 0 {
		n.bad = true
		d.addMistake(r.at, n.path, "", "the list is empty: it needs %s", t.Elem.nounPhrase())
	}
	n.items = make([]*node, 0, len(r.items))
	for i, item := range r.items {
		n.items = append(n.items, d.decodeValue(item, t.Elem, indexPath(n.path, i), nil))
	}
}

func (d *decoder) decodeMap(n *node, r *raw, t *Type, below *node) {
	if r.shape != isMap {
		d.addShapeMistake(n, r, "a mapping of names")
		return
	}
	n.fields = map[string]*node{}
	for _, e := range r.entries {
		path := joinPath(n.path, e.key)
		if strings.TrimSpace(e.key) == "" {
			d.addMistake(e.at, path, "", "a name is empty")
			continue
		}
		if len(t.Choices) > 0 && !slices.Contains(builtNames(t.Choices), e.key) {
			d.addUnknownName(e, path, t)
			continue
		}
		n.keys = append(n.keys, e.key)
		n.fields[e.key] = d.decodeValue(e.value, t.Elem, path, below.child(e.key))
	}
}

func (d *decoder) addUnknownName(e entry, path string, t *Type) {
	hint := didYouMean(e.key, builtNames(t.Choices))
	if hint == "" {
		hint = "known here: " + strings.Join(builtNames(t.Choices), ", ")
	}
	d.addMistake(e.at, path, hint, "unknown key")
}

func (n *node) child(key string) *node {
	if n == nil {
		return nil
	}
	return n.fields[key]
}

func (d *decoder) decodeObject(n *node, r *raw, t *Type, below *node) {
	if r.shape != isMap {
		d.addShapeMistake(n, r, t.nounPhrase())
		return
	}
	n.fields = map[string]*node{}
	for _, e := range r.entries {
		path := joinPath(n.path, e.key)
		f := t.findField(e.key)
		switch {
		case f == nil:
			d.addUnknownKey(e, path, t)
		case f.NotYet:
			d.addMistake(e.at, path, "", "not supported yet (%s)", f.Doc)
		default:
			n.keys = append(n.keys, e.key)
			n.fields[e.key] = d.decodeValue(e.value, f.Type, path, below.child(e.key))
		}
	}
}

func (d *decoder) addUnknownKey(e entry, path string, t *Type) {
	if where, known := t.Elsewhere[e.key]; known {
		what := "not a key here"
		if t.Noun != "" {
			what = fmt.Sprintf("not a key of %s here", t.Noun)
		}
		d.addMistake(e.at, path, where, "%s", what)
		return
	}
	hint := didYouMean(e.key, fieldNames(t.Fields))
	if hint == "" {
		built := slices.DeleteFunc(slices.Clone(t.Fields), func(f Field) bool { return f.NotYet })
		hint = "known here: " + strings.Join(fieldNames(built), ", ")
	}
	d.addMistake(e.at, path, hint, "unknown key")
}

// decodeUnion chooses the variant and checks the value as that object.
func (d *decoder) decodeUnion(n *node, r *raw, t *Type, below *node) {
	if r.shape != isMap {
		d.addShapeMistake(n, r, t.nounPhrase())
		return
	}
	name, chosen := r.findEntry("type"), ""
	switch {
	case name != nil && name.value.shape == isString:
		chosen = name.value.text
	case name == nil && below.child("type") != nil:
		chosen = below.child("type").text
	case name == nil && t.fitsUsual(r):
		chosen = t.Usual
	case name == nil:
		d.addMistake(r.at, n.path, "one of "+strings.Join(builtNames(variantChoices(t.Variants)), ", "), `the key "type" is missing`)
	}
	v, found := findVariant(t.Variants, chosen)
	if !found {
		// The mistake in the type is found as that of any word. The other keys are right
		// if any type has them.
		n.bad = true
		n.typ = t.asVariant(t.mergeVariants())
		d.decodeObject(n, r, n.typ, below)
		return
	}
	n.typ = t.asVariant(v)
	d.addMisplacedKeys(n, r, t, v)
	d.decodeObject(n, r.withoutKeys(n.foreignKeys(r, t)), n.typ, below)
}

// fitsUsual reports whether a value without a type is the usual variant: no key of it belongs to
// another variant alone.
func (t *Type) fitsUsual(r *raw) bool {
	v, found := findVariant(t.Variants, t.Usual)
	return found && len((&node{typ: t.asVariant(v)}).foreignKeys(r, t)) == 0
}

// addMisplacedKeys adds the keys that other variants have and this one does not.
func (d *decoder) addMisplacedKeys(n *node, r *raw, t *Type, v Variant) {
	for _, key := range n.foreignKeys(r, t) {
		e := r.findEntry(key)
		d.addMistake(e.at, joinPath(n.path, key), "it is an option of type "+strings.Join(t.variantsWith(key), ", "), "not an option of type %s", v.Name)
	}
}

// foreignKeys returns the keys of r that only other variants of t have.
func (n *node) foreignKeys(r *raw, t *Type) []string {
	var keys []string
	for _, e := range r.entries {
		if n.typ.findField(e.key) == nil && len(t.variantsWith(e.key)) > 0 {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// variantsWith returns the names of the variants that have a field of that name.
func (t *Type) variantsWith(key string) []string {
	var names []string
	for _, v := range t.Variants {
		if slices.Contains(fieldNames(v.Fields), key) {
			names = append(names, v.Name)
		}
	}
	return names
}

// mergeVariants returns a variant with the fields of all.
func (t *Type) mergeVariants() Variant {
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

func (r *raw) findEntry(key string) *entry {
	for i := range r.entries {
		if r.entries[i].key == key {
			return &r.entries[i]
		}
	}
	return nil
}

func (r *raw) withoutKeys(keys []string) *raw {
	if len(keys) == 0 {
		return r
	}
	rest := *r
	rest.entries = slices.DeleteFunc(slices.Clone(r.entries), func(e entry) bool { return slices.Contains(keys, e.key) })
	return &rest
}
