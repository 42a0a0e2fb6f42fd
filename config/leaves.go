package config

// A Leaf is a value that is no mapping, with the path that leads to it.
type Leaf struct {
	Path   []string
	Value  any // a string, a number, a bool, or a list of strings
	Origin string
}

// Leaves returns the values below a mapping, in the table's order and those with names of the user's in
// theirs. Lists count as values; it is for mappings whose lists are of text.
func (v Value) Leaves() []Leaf { return appendLeaves(nil, v, nil) }

func appendLeaves(list []Leaf, v Value, path []string) []Leaf {
	switch {
	case !v.OK():
		return list
	case v.IsMap():
		for _, key := range v.n.orderedKeys() {
			list = appendLeaves(list, v.Get(key), append(path[:len(path):len(path)], key))
		}
		return list
	case v.IsList():
		return append(list, Leaf{Path: path, Value: append([]string{}, v.Strings()...), Origin: v.Origin()})
	}
	return append(list, Leaf{Path: path, Value: v.n.scalar, Origin: v.Origin()})
}
