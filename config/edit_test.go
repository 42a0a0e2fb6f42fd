package config

import (
	"errors"
	"strings"
	"testing"
)

// R8: a key is set, and comments and layout stay.
func TestSetKey(t *testing.T) {
	for _, c := range []struct{ name, before, path, value, after string }{
		{"an empty text", "", "a.b", "1", "a:\n  b: 1\n"},
		{"only comments", "# mine\n\n", "a.b", "1", "# mine\na:\n  b: 1\n"},
		{"a scalar", "x: 1 # one\na: 2  # two\nb: 3\n", "a", "5", "x: 1 # one\na: 5  # two\nb: 3\n"},
		{"a quoted one", "a: \"x # \\\" y\" # two\n", "a", "5", "a: 5 # two\n"},
		{"in single quotes", "a: 'it''s # x' # two\n", "a", "5", "a: 5 # two\n"},
		{"behind a key in quotes", "\"a: b\": 1\na: 2\n", "a", "5", "\"a: b\": 1\na: 5\n"},
		{"no value", "a: # none\nb: 1\n", "a", "5", "a: 5 # none\nb: 1\n"},
		{"no mapping yet", "a:\nb: 1\n", "a.c.d", "5", "a: {c: {d: 5}}\nb: 1\n"},
		{"at the end of a block", "a:\n  x: 1\n  # y: 2\n\n# about b\nb: 1\n", "a.c", "5", "a:\n  x: 1\n  c: 5\n  # y: 2\n\n# about b\nb: 1\n"},
		{"at its own indentation", "a:\n    x: 1\nb: 1\n", "a.c.d", "5", "a:\n    x: 1\n    c:\n      d: 5\nb: 1\n"},
		{"behind a nested block", "a:\n  x:\n    y: |\n      text\n      # no comment\n\nb: 1\n", "a.c", "5", "a:\n  x:\n    y: |\n      text\n      # no comment\n  c: 5\n\nb: 1\n"},
		{"behind a list", "a:\n  x:\n  - 1\n  - 2\nb: 1\n", "a.c", "5", "a:\n  x:\n  - 1\n  - 2\n  c: 5\nb: 1\n"},
		{"a list in a block", "a:\n  - 1 # one\n  - 2\n# b\nb: 1\n", "a", "[3]", "a: [3]\n# b\nb: 1\n"},
		{"a block of text", "a: |\n  one\n  # two\nb: 1\n", "a", "x", "a: x\nb: 1\n"},
		{"a list in brackets", "a: [1, 2] # two\n", "a", "[3]", "a: [3] # two\n"},
		{"over several lines", "a: [1,\n  2] # two\nb: 1\n", "a", "[3]", "a: [3] # two\nb: 1\n"},
		{"in braces", "a: {b: 1, c: [1, 2], d: x y} # m\n", "a.c", "[3]", "a: {b: 1, c: [3], d: x y} # m\n"},
		{"a scalar in braces", "a: {b: 1, c: 2}\n", "a.b", "3", "a: {b: 3, c: 2}\n"},
		{"the last in braces", "a: {b: 1, c: x y }\n", "a.c", "3", "a: {b: 1, c: 3 }\n"},
		{"new in braces", "a: { b: 1 } # m\n", "a.c.d", "3", "a: { b: 1, c: {d: 3}} # m\n"},
		{"new in empty braces", "a: {}\n", "a.c", "3", "a: {c: 3}\n"},
		{"at the end of the file", "version: 1\n# last\n", "a.b", "3", "version: 1\na:\n  b: 3\n# last\n"},
		{"without a last line end", "version: 1", "a", "3", "version: 1\na: 3\n"},
		{"Windows' line ends", "version: 1\r\na: 1 # x\r\n", "a", "3", "version: 1\r\na: 3 # x\r\n"},
		{"a byte order mark", "\ufeffa: 1\n", "a", "3", "\ufeffa: 3\n"},
		{"letters of several bytes", "ä: ö # ü\na: {ö: \"ü\", b: 1}\n", "a.b", "3", "ä: ö # ü\na: {ö: \"ü\", b: 3}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := SetKey([]byte(c.before), strings.Split(c.path, "."), c.value)
			if err != nil || string(got) != c.after {
				t.Errorf("got %v:\n%s\nwant:\n%s", err, got, c.after)
			}
		})
	}
}

// What cannot be edited is left alone.
func TestSetKeyRefuses(t *testing.T) {
	for name, c := range map[string][2]string{
		"an alias":         {"x: &x {c: 1}\na: *x\n", "a.b"},
		"an anchor":        {"a: &x {c: 1}\nb: *x\n", "a.b"},
		"not a mapping":    {"a: 1\n", "a.b"},
		"a list":           {"a: [1]\n", "a.b"},
		"behind a ?":       {"? a\n: b\n", "a"},
		"nothing behind ?": {"? a\n:\nc: 1", "a.b"},
		"quoted over many": {"b: {c: \"one\n  two\"}\n", "b.c"},
	} {
		got, err := SetKey([]byte(c[0]), strings.Split(c[1], "."), "5")
		if !errors.Is(err, ErrNotEditable) {
			t.Errorf("%s: got %v:\n%s", name, err, got)
		}
	}
	var mistakes Mistakes
	if _, err := SetKey([]byte("a: [\n"), []string{"a"}, "5"); !errors.As(err, &mistakes) {
		t.Errorf("no YAML: got %v", err)
	}
}

// Whatever the text is, it is edited or refused, and never anything else of it changed.
func FuzzSetKey(f *testing.F) {
	for _, text := range []string{
		"", "a: 1 # x\n", "a:\n  b: [1,\n 2]\n", "a: {b: 1, c: {d: 'x'}}\n", "a: |\n  # x\nb: 1\n", "a: &x {b: 1}\nc: *x\n", "- a: 1\n",
		"? a\n: b\n", "a:\n- 1\n-\n  b: 2\n", "---\na: 1\n...\n", "\ufeffa: \"x\\\"#\"\r\n", "a: >-\n  x\n\n  y\n# z\n",
	} {
		f.Add(text, "a", "b")
		f.Add(text, "a", "")
	}
	f.Fuzz(func(t *testing.T, text, first, second string) {
		path := []string{first}
		if second != "" {
			path = append(path, second)
		}
		got, err := SetKey([]byte(text), path, "[x, 1]")
		if err != nil {
			return
		}
		r, mistakes := parse(newSource("", "", got), []byte(strings.TrimPrefix(string(got), "\ufeff")))
		if len(mistakes) > 0 || r == nil {
			t.Fatalf("the result cannot be read: %v\n%s", mistakes, got)
		}
		for _, key := range path {
			e := r.findEntry(key)
			if e == nil {
				t.Fatalf("%q is missing in:\n%s", key, got)
			}
			r = e.value
		}
	})
}
