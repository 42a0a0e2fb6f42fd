package config

import "slices"

// mergeNodes merges mappings key by key; anything else of the upper layer replaces the whole of
// the lower one's. The upper layer's keys come first, so that the first
// pipeline is the project's before the user's.
func mergeNodes(below, upper *node) *node {
	if below == nil || below.fields == nil || upper.fields == nil || haveDifferentTypes(below, upper) {
		return upper
	}
	sum := *upper
	if below.at.inFile() && !upper.at.inFile() {
		sum.at = below.at // a flag or a variable sets one value: what is missing beside it is missing in the file
	}
	sum.keys = slices.Clone(upper.keys)
	sum.fields = make(map[string]*node, len(upper.fields)+len(below.fields))
	for _, k := range upper.keys {
		sum.fields[k] = mergeNodes(below.fields[k], upper.fields[k])
	}
	for _, k := range below.keys {
		if sum.fields[k] == nil {
			sum.keys = append(sum.keys, k)
			sum.fields[k] = below.fields[k]
		}
	}
	return &sum
}

// haveDifferentTypes reports whether two objects are of different types: the options of one would
// be mistakes in the other.
func haveDifferentTypes(a, b *node) bool {
	x, y := a.fields["type"], b.fields["type"]
	return x != nil && y != nil && x.text != y.text
}

// fillDefaults adds to objects the defaults of what they leave out, and mistakes for what they must
// not leave out. It is called once all layers are merged. The root's version is each file's own.
func (d *decoder) fillDefaults(n *node, root bool) {
	for _, item := range n.items {
		d.fillDefaults(item, false)
	}
	for _, k := range n.keys {
		d.fillDefaults(n.fields[k], false)
	}
	if n.fields == nil || n.typ.Kind != Object {
		return
	}
	for _, f := range n.typ.Fields {
		if n.fields[f.Name] != nil || f.NotYet {
			continue
		}
		if f.Required && !root && !n.bad {
			d.addMistake(n.at, n.path, "", "the key %q is missing: %s", f.Name, f.Doc)
		}
		if v := d.defaultNode(&f, joinPath(n.path, f.Name)); v != nil {
			n.keys = append(n.keys, f.Name)
			n.fields[f.Name] = v
		}
	}
}

// defaultNode returns the default of a field, or nil if it has none.
func (d *decoder) defaultNode(f *Field, path string) *node {
	switch {
	// An object with a required field cannot consist of its defaults alone.
	case f.Type.Kind == Object && !slices.ContainsFunc(f.Type.Fields, func(f Field) bool { return f.Required }):
		n := &node{typ: f.Type, path: path, fields: map[string]*node{}}
		if d.fillDefaults(n, false); len(n.keys) > 0 {
			return n
		}
	case f.Default != "":
		return d.decodeValue(newRawScalar(f.Type, f.Default, place{}), f.Type, path, nil)
	}
	return nil
}

// newRawScalar returns a scalar that was given as bare text.
func newRawScalar(t *Type, text string, at place) *raw {
	switch t.Kind {
	case String, Text, Enum:
		return &raw{shape: isString, text: text, at: at}
	default:
		return &raw{shape: resolveShape(text), text: text, at: at}
	}
}
