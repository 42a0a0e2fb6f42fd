package config

import (
	"cmp"
	"fmt"
	"regexp"
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

// markBad adds a mistake in a value itself.
func (d *decoder) markBad(n *node, hint, format string, args ...any) {
	n.bad, n.scalar = true, nil
	d.addMistake(n.at, n.path, hint, format, args...)
}

// decodeValue checks r. below is what lower layers have at the same path: a mapping that is
// merged over them may leave out what they have.
func (d *decoder) decodeValue(r *raw, t *Type, path string, below *node) *node {
	n := &node{typ: t, path: path, at: r.at, text: r.text}
	switch {
	case r.shape == isBad:
		n.bad = true
	case r.shape == isNull:
		d.markBad(n, "", "has no value: give it one, or take the key out")
	case t.Kind == OneOf:
		return d.decodeOneOf(r, t, path, below)
	case r.shape == isOddNumber && (t.Kind == Int || t.Kind == Float || t.Kind == Duration):
		d.markBad(n, "", "%s is read differently by different programs: write a plain decimal number", r.text)
	case t.Kind == Map && r.shape != isMap:
		d.addShapeMistake(n, r, "a mapping of names")
	case !t.takesShape(r.shape) || t.Kind == Int && r.shape == isFloat:
		d.addShapeMistake(n, r, t.nounPhrase())
	case t.Kind == List:
		d.decodeList(n, r, t)
	case t.Kind == Map:
		d.decodeMap(n, r, t, below)
	case t.Kind == Object:
		d.decodeObject(n, r.entries, below)
	case t.Kind == Union:
		d.decodeUnion(n, r, t, below)
	default:
		d.decodeScalar(n, r, t)
	}
	return n
}

// addShapeMistake adds that a value has the wrong shape.
func (d *decoder) addShapeMistake(n *node, r *raw, what string) {
	got, hint := r.shape.String(), ""
	switch r.shape {
	case isBool:
		got = r.text
	case isInt, isFloat, isOddNumber:
		got = "the number " + r.text
	default:
	}
	switch {
	case (n.typ.Kind == String || n.typ.Kind == Text) && r.text != "":
		hint = fmt.Sprintf("put it in quotes: %q", r.text)
	case n.typ.Kind == Bool:
		hint = boolHint(r.text)
	case n.typ.Kind == List && r.shape == isString && !strings.Contains(r.text, "\n"):
		hint = listHint(n.typ, r.text)
	}
	d.markBad(n, hint, "expected %s, got %s", what, got)
}

// listHint returns the hint for a text in the place of a list. Only a shell could split a command line that
// has quotes, so its hint is an example.
func listHint(t *Type, text string) string {
	words := []string{text}
	if t.Words {
		if strings.ContainsAny(text, "'\"\\$") {
			return "write it as a list, an item for each word: [my-agent, --quiet]"
		}
		words = strings.Fields(text)
	}
	return "write it as a list: [" + strings.Join(convertAll(words, quoteWord), ", ") + "]"
}

// bareFlag is a flag that means itself in a list of YAML's.
var bareFlag = regexp.MustCompile(`^--?[A-Za-z][\w./=-]*$`)

// quoteWord is quoteYAML for the words of a command line, where flags are more readable without quotes.
func quoteWord(word string) string {
	if bareFlag.MatchString(word) {
		return word
	}
	return quoteYAML(word)
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
	default:
		return s == isString
	}
}

func (d *decoder) decodeList(n *node, r *raw, t *Type) {
	if t.NonEmpty && len(r.items) == 0 {
		d.markBad(n, "", "the list is empty: it needs %s", t.Elem.nounPhrase())
	}
	n.items = make([]*node, 0, len(r.items))
	for i, item := range r.items {
		n.items = append(n.items, d.decodeValue(item, t.Elem, indexPath(n.path, i), nil))
	}
}

func (d *decoder) decodeMap(n *node, r *raw, t *Type, below *node) {
	n.fields = map[string]*node{}
	for _, e := range r.entries {
		path := joinPath(n.path, e.key)
		names := builtNames(t.Choices)
		switch {
		case strings.TrimSpace(e.key) == "":
			d.addMistake(e.at, path, "", "a name is empty")
		case len(t.Choices) > 0 && !slices.Contains(names, e.key):
			d.addUnknownKey(e, path, names, names)
		default:
			n.keys = append(n.keys, e.key)
			n.fields[e.key] = d.decodeValue(e.value, t.Elem, path, below.child(e.key))
		}
	}
}

// addUnknownKey adds a mistake for a key that is none of the names. Its hint is the nearest name, or
// else those that can be used.
func (d *decoder) addUnknownKey(e entry, path string, names, usable []string) {
	hint := cmp.Or(didYouMean(e.key, names), "known here: "+strings.Join(usable, ", "))
	d.addMistake(e.at, path, hint, "unknown key")
}

func (n *node) child(key string) *node {
	if n == nil {
		return nil
	}
	return n.fields[key]
}

// decodeObject checks the entries of a value against the fields of its type.
func (d *decoder) decodeObject(n *node, entries []entry, below *node) {
	n.fields = map[string]*node{}
	for _, e := range entries {
		path := joinPath(n.path, e.key)
		f := n.typ.findField(e.key)
		switch {
		case f == nil && n.typ.Open && !n.typ.isMisspelt(e.key):
		case f == nil:
			d.addMisplacedKey(e, path, n.typ)
		case f.NotYet:
			d.addMistake(e.at, path, "", "not supported yet (%s)", f.Doc)
		default:
			n.keys = append(n.keys, e.key)
			n.fields[e.key] = d.decodeValue(e.value, f.Type, path, below.child(e.key))
		}
	}
}

// isMisspelt reports whether a key that is none of the fields was probably meant to be one. A foreign key
// may resemble one of ours (timeline, pipeline), so that two letters count only after the same first one.
func (t *Type) isMisspelt(key string) bool {
	return slices.ContainsFunc(t.Fields, func(f Field) bool {
		d := editDistance(strings.ToLower(key), f.Name, 3)
		return d < 2 || d == 2 && strings.EqualFold(key[:1], f.Name[:1])
	})
}

// addMisplacedKey adds a mistake for a key that an object does not have, though others may.
func (d *decoder) addMisplacedKey(e entry, path string, t *Type) {
	if where, known := t.Elsewhere[e.key]; known {
		what := "not a key here"
		if t.Noun != "" {
			what = fmt.Sprintf("not a key of %s here", t.Noun)
		}
		d.addMistake(e.at, path, where, "%s", what)
		return
	}
	built := slices.DeleteFunc(slices.Clone(t.Fields), func(f Field) bool { return f.NotYet })
	d.addUnknownKey(e, path, fieldNames(t.Fields), fieldNames(built))
}

// decodeUnion chooses the variant and checks the value as that object.
func (d *decoder) decodeUnion(n *node, r *raw, t *Type, below *node) {
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
		v = t.mergeVariants()
	}
	n.typ = t.asVariant(v)
	own, foreign := t.splitEntries(r, n.typ)
	for _, e := range foreign {
		d.addMistake(e.at, joinPath(n.path, e.key), "it is an option of type "+strings.Join(t.variantsWith(e.key), ", "), "not an option of type %s", v.Name)
	}
	d.decodeObject(n, own, below)
}

// fitsUsual reports whether a value without a type is the usual variant: no key of it belongs to
// another variant alone.
func (t *Type) fitsUsual(r *raw) bool {
	v, found := findVariant(t.Variants, t.Usual)
	_, foreign := t.splitEntries(r, t.asVariant(v))
	return found && len(foreign) == 0
}

// splitEntries returns the entries of a value of a union's variant, and apart from them those whose
// keys only other variants have.
func (t *Type) splitEntries(r *raw, variant *Type) (own, foreign []entry) {
	for _, e := range r.entries {
		if variant.findField(e.key) == nil && len(t.variantsWith(e.key)) > 0 {
			foreign = append(foreign, e)
		} else {
			own = append(own, e)
		}
	}
	return own, foreign
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
