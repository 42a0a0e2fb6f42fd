package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A node is a value that has been checked against its type.
type node struct {
	typ    *Type // with the variant of a union and the alternative chosen
	path   string
	at     place
	bad    bool // a mistake has been reported for it
	scalar any  // string, int64, float64, bool or time.Duration
	text   string
	keys   []string
	fields map[string]*node
	items  []*node
}

// A Value is a checked value with its path and its origin. The methods of one that is not set
// return zero values, so that a caller can follow whole paths without looking.
type Value struct {
	n    *node
	path string
	at   place // the node's; of what encloses it, where it is not set
}

// Get returns the value at the end of a path of keys.
func (v Value) Get(keys ...string) Value {
	for _, k := range keys {
		v = Value{n: v.n.child(k), path: joinPath(v.path, k), at: v.at}
		if v.n != nil {
			v.at = v.n.at
		}
	}
	return v
}

// IsSet reports whether the value is set, by a default too.
func (v Value) IsSet() bool { return v.n != nil }

// Given reports whether a person set the value, or part of it: it is not all defaults.
func (v Value) Given() bool { return v.n != nil && v.at.src != nil }

// OK reports whether the value is set and no mistake was found in it itself.
func (v Value) OK() bool { return v.n != nil && !v.n.bad }

// String returns the value of text and words, and other scalars as they were written.
func (v Value) String() string {
	if !v.OK() {
		return ""
	}
	if s, ok := v.n.scalar.(string); ok {
		return s
	}
	return v.n.text
}

// Int returns the value of a whole number.
func (v Value) Int() int { return int(scalarOf[int64](v)) }

// Float returns the value of a number.
func (v Value) Float() float64 { return scalarOf[float64](v) }

// Bool returns the value of true and false.
func (v Value) Bool() bool { return scalarOf[bool](v) }

// Duration returns the value of a duration.
func (v Value) Duration() time.Duration { return scalarOf[time.Duration](v) }

// scalarOf returns the scalar of a value, or zero if it is none of that type.
func scalarOf[T any](v Value) (scalar T) {
	if v.n != nil {
		scalar, _ = v.n.scalar.(T)
	}
	return scalar
}

// IsList reports whether the value is a list.
func (v Value) IsList() bool { return v.OK() && v.n.typ.Kind == List }

// IsMap reports whether the value is a mapping, of the user's names or of fixed keys.
func (v Value) IsMap() bool { return v.OK() && v.n.fields != nil }

// List returns the items of a list.
func (v Value) List() []Value {
	if v.n == nil {
		return nil
	}
	return convertAll(v.n.items, func(item *node) Value { return Value{n: item, path: item.path, at: item.at} })
}

// Strings returns the items of a list of text.
func (v Value) Strings() []string { return convertAll(v.List(), Value.String) }

// Keys returns the keys of a mapping, in the order in which they were written.
func (v Value) Keys() []string {
	if v.n == nil {
		return nil
	}
	return v.n.keys
}

// Path returns the value's name in messages: "pipelines.default[0].retry".
func (v Value) Path() string { return v.path }

// Pos returns where the value stands, or if it is not set what would enclose it.
func (v Value) Pos() (file string, line, col int) {
	m := v.Wrong("")
	return m.File, m.Line, m.Col
}

// Origin returns where the value came from: "mulligan.yaml:3", "env MULLIGAN_AGENT",
// "flag --agent" or "default".
func (v Value) Origin() string {
	if v.n == nil {
		return ""
	}
	return v.at.origin()
}

// Dir returns the folder of the file that the value stands in, or "" if it stands in none.
func (v Value) Dir() string {
	if v.at.src == nil || v.at.src.path == "" {
		return ""
	}
	return filepath.Dir(v.at.src.path)
}

// Wrong returns a mistake at the value's place.
func (v Value) Wrong(format string, args ...any) Mistake {
	return v.at.newMistake(v.path, fmt.Sprintf(format, args...), "")
}

// WrongAt returns a mistake inside a text, at a line and column of it. If the file writes the text
// in other characters (escapes, folded lines) the mistake is at the beginning.
func (v Value) WrongAt(line, col int, format string, args ...any) Mistake {
	return v.placeInside(line, col).newMistake(v.path, fmt.Sprintf(format, args...), "")
}

// placeInside returns where a character of the value's text stands in the file.
func (v Value) placeInside(line, col int) place {
	lines := strings.Split(v.String(), "\n")
	if v.at.src == nil || v.at.line < 1 || line < 1 || line > len(lines) || strings.TrimSpace(lines[line-1]) == "" {
		return v.at
	}
	text := lines[line-1]
	if first := []rune(v.at.src.lines[v.at.line-1]); line == 1 && v.at.col <= len(first) {
		if before, _, ok := strings.Cut(string(first[v.at.col-1:]), text); ok {
			return place{v.at.src, v.at.line, v.at.col + len([]rune(before)) + col - 1}
		}
	}
	// Each line of a block has a line of its own, below the key's.
	if row := v.at.line + line; row <= len(v.at.src.lines) {
		if before, ok := strings.CutSuffix(v.at.src.lines[row-1], text); ok && strings.TrimSpace(before) == "" {
			return place{v.at.src, row, len([]rune(before)) + col}
		}
	}
	return v.at
}

// WrongName returns a mistake about a name that is not among those that exist.
func (v Value) WrongName(kind string, names []string) Mistake {
	m := v.Wrong("there is no %s %q", kind, v.String())
	if len(names) > 0 {
		m.Hint = cmp.Or(didYouMean(v.String(), names), "there is "+strings.Join(names, ", "))
	}
	return m
}

// joinPath returns the path of a key below a path, in quotes if the key would read as several.
func joinPath(path, key string) string {
	if key == "" || strings.ContainsAny(key, ". []\"\n\t") {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func indexPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
