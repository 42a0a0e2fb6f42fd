package config

// overlay merges mappings key by key; anything else of the upper layer stands for the
// whole of the lower one's. The upper layer's keys come first, so that the first
// pipeline is the project's before the user's.
func overlay(below, upper *node) *node {
	if below == nil || upper == nil || below.fields == nil || upper.fields == nil || differ(below, upper) {
		if upper == nil {
			return below
		}
		return upper
	}
	sum := *upper
	sum.keys = append([]string(nil), upper.keys...)
	sum.fields = make(map[string]*node, len(upper.fields)+len(below.fields))
	for _, k := range upper.keys {
		sum.fields[k] = overlay(below.fields[k], upper.fields[k])
	}
	for _, k := range below.keys {
		if sum.fields[k] == nil {
			sum.keys = append(sum.keys, k)
			sum.fields[k] = below.fields[k]
		}
	}
	return &sum
}

// differ says that two objects are of different types: the options of one would be
// mistakes in the other.
func differ(a, b *node) bool {
	x, y := a.fields["type"], b.fields["type"]
	return x != nil && y != nil && x.text != y.text
}

// fill gives objects the defaults of what they leave out and reports what they must
// not leave out, once all layers are merged. The root's version is each file's own.
func (d *decoder) fill(n *node, root bool) {
	for _, item := range n.items {
		d.fill(item, false)
	}
	if n.fields == nil {
		return
	}
	for _, k := range n.keys {
		d.fill(n.fields[k], false)
	}
	if n.typ.Kind != Object {
		return
	}
	for i := range n.typ.Fields {
		f := &n.typ.Fields[i]
		if n.fields[f.Name] != nil || f.NotYet {
			continue
		}
		if f.Required && !root && !n.bad {
			d.wrong(n.at, n.path, "", "the key %q is missing: %s", f.Name, f.Doc)
		}
		if v := d.fallback(f, join(n.path, f.Name)); v != nil {
			n.keys = append(n.keys, f.Name)
			n.fields[f.Name] = v
		}
	}
}

// fallback is what a field that nobody gave is; nil where it has no default.
func (d *decoder) fallback(f *Field, path string) *node {
	switch {
	case f.Type.Kind == Object && !f.Type.demands():
		n := &node{typ: f.Type, path: path, fields: map[string]*node{}}
		if d.fill(n, false); len(n.keys) > 0 {
			return n
		}
	case f.Default != "":
		return d.value(fromText(f.Type, f.Default, place{}), f.Type, path, nil)
	}
	return nil
}

// demands says that an object cannot be left to its defaults.
func (t *Type) demands() bool {
	for _, f := range t.Fields {
		if f.Required {
			return true
		}
	}
	return false
}

// fromText is a scalar that was given as bare text.
func fromText(t *Type, text string, at place) *raw {
	switch t.Kind {
	case String, Text, Enum:
		return &raw{shape: isString, text: text, at: at}
	}
	return &raw{shape: resolve(text), text: text, at: at}
}
