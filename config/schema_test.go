package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// sample is a value that a type must take, or must not.
type sample struct {
	value any
	good  bool
	what  string
}

func good(v any) sample             { return sample{value: v, good: true, what: "a good value"} }
func bad(v any, what string) sample { return sample{value: v, what: what} }

// samples are values of the type and values that it must refuse, made from the table.
func samples(t *Type) []sample {
	switch t.Kind {
	case Int, Float:
		return numbers(t)
	case Bool:
		return []sample{good(true), good(false), bad("true", "text"), bad(1, "a number"), bad(nil, "null")}
	case Duration:
		return []sample{good("1h30m"), good("0s"), good(90), good(0), bad(-1, "negative"), bad("-1s", "negative"), bad("soon", "no duration"), bad(1.5, "a fraction"), bad(true, "a bool"), bad(nil, "null")}
	case Enum:
		return words(t)
	case List:
		return lists(t)
	case Map:
		return mappings(t)
	case Object:
		return objects(t.Fields)
	case Union:
		return unions(t)
	case OneOf:
		return alternatives(t)
	default:
	}
	list := []sample{good("some text"), good("two\nlines: yes"), bad(5, "a number"), bad([]any{}, "a list"), bad(nil, "null")}
	if t.Kind == Text {
		return append(list, good(""))
	}
	return append(list, bad("", "empty"), bad("  ", "blank"))
}

func mappings(t *Type) []sample {
	list := []sample{good(map[string]any{}), bad(map[string]any{" ": first(t.Elem)}, "a blank name"), bad("text", "text"), bad(nil, "null")}
	name := "name"
	for _, c := range t.Choices {
		name = c.Name
		list = append(list, good(map[string]any{name: first(t.Elem)}))
	}
	if len(t.Choices) > 0 {
		list = append(list, bad(map[string]any{"no such name": first(t.Elem)}, "an unknown name"))
	}
	for _, s := range samples(t.Elem) {
		list = append(list, sample{map[string]any{name: s.value}, s.good, "under a name: " + s.what})
	}
	return list
}

func numbers(t *Type) []sample {
	list := []sample{bad("5", "text"), bad(true, "a bool"), bad(nil, "null"), bad([]any{}, "a list")}
	if t.Min != nil {
		list = append(list, good(*t.Min), bad(*t.Min-1, "below the range"))
	}
	if t.Max != nil {
		list = append(list, good(*t.Max), bad(*t.Max+1, "above the range"))
	}
	if t.Kind == Int {
		return append(list, bad(*t.Min+0.5, "a fraction"))
	}
	return append(list, good(0.25))
}

func words(t *Type) []sample {
	list := []sample{bad("no such word", "another word"), bad(5, "a number"), bad(nil, "null")}
	for _, c := range t.Choices {
		word := c.Name
		switch {
		case c.Prefix && strings.HasSuffix(word, "://"):
			word += "host:4222"
		case c.Prefix:
			word += "NAME"
		}
		list = append(list, sample{word, !c.NotYet, "the word " + word})
	}
	return list
}

func lists(t *Type) []sample {
	list := []sample{{[]any{}, !t.NonEmpty, "an empty list"}, bad(map[string]any{}, "a mapping"), bad(nil, "null")}
	for _, s := range samples(t.Elem) {
		list = append(list, sample{[]any{s.value}, s.good, "in a list: " + s.what})
	}
	return list
}

func objects(fields []Field) []sample {
	least := map[string]any{}
	full := map[string]any{}
	for _, f := range fields {
		if f.Required {
			least[f.Name] = first(f.Type)
		}
		if !f.NotYet {
			full[f.Name] = first(f.Type)
		}
	}
	with := func(name string, v any) map[string]any {
		object := maps.Clone(least)
		object[name] = v
		return object
	}
	list := []sample{good(least), good(full), bad(with("no_such_key", 1), "an unknown key"), bad("text", "text"), bad(nil, "null")}
	for _, f := range fields {
		if f.NotYet {
			list = append(list, bad(with(f.Name, first(f.Type)), f.Name+", which is not supported yet"))
			continue
		}
		if f.Required {
			object := maps.Clone(least)
			delete(object, f.Name)
			list = append(list, bad(object, "without "+f.Name))
		}
		for _, s := range samples(f.Type) {
			list = append(list, sample{with(f.Name, s.value), s.good, f.Name + ": " + s.what})
		}
	}
	return list
}

func unions(t *Type) []sample {
	list := []sample{bad(map[string]any{}, "without a type"), bad(map[string]any{"type": "no such"}, "of an unknown type"), bad([]any{}, "a list")}
	for _, v := range t.Variants {
		fields := append([]Field{{Name: "type", Required: v.Name != t.Usual, Type: Word(v.Name)}}, append(v.Fields, t.Fields...)...)
		for _, s := range objects(fields) {
			list = append(list, sample{s.value, s.good && !v.NotYet, v.Name + ": " + s.what})
		}
	}
	return list
}

func alternatives(t *Type) []sample {
	var list []sample
	for _, a := range t.Any {
		for _, s := range samples(a) {
			// What one alternative refuses for its shape another may take.
			if s.good || shaped(a, s.value) {
				list = append(list, s)
			}
		}
	}
	return append(list, bad(nil, "null"))
}

func shaped(t *Type, v any) bool {
	data, _ := json.Marshal(v)
	r, _ := parse(newSource("x", "x", data), data)
	return r != nil && t.takesShape(r.shape)
}

// first is a value that the type takes; of one that is not built, one that it will.
func first(t *Type) any {
	if t.Kind == Union && t.Variants[0].NotYet {
		return map[string]any{"type": t.Variants[0].Name}
	}
	for _, s := range samples(t) {
		if s.good {
			return s.value
		}
	}
	return nil
}

// C4: the decoder and the JSON Schema both follow the table; for the keys whose
// features are not built yet too, once they are turned on.
func TestDecoderAndSchemaAgree(t *testing.T) {
	now, later := testSchema(), testSchema()
	turnOn(later.root)
	for name, s := range map[string]*Schema{"now": now, "later": later} {
		schema := compiled(t, s)
		all := samples(s.root)
		for _, one := range all {
			data, err := json.Marshal(one.value)
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			decoded := s.Decode("mulligan.yaml", data).Err()
			if (decoded == nil) != one.good {
				t.Errorf("%s: %s: the decoder says %v of %s", name, one.what, decoded, data)
			}
			if allows(t, schema, v) != one.good {
				t.Errorf("%s: %s: the schema says %t of %s", name, one.what, !one.good, data)
			}
		}
		t.Logf("%s: %d samples", name, len(all))
	}
}

func compiled(t testing.TB, s *Schema) map[string]any {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(s.JSON(), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// turnOn makes the table what it will be when all is built.
func turnOn(t *Type) {
	if t == nil {
		return
	}
	turnOn(t.Elem)
	for _, a := range t.Any {
		turnOn(a)
	}
	for i := range t.Choices {
		t.Choices[i].NotYet = false
	}
	for i := range t.Variants {
		t.Variants[i].NotYet = false
		turnOn(&Type{Fields: t.Variants[i].Fields})
	}
	for i := range t.Fields {
		t.Fields[i].NotYet = false
		turnOn(t.Fields[i].Type)
	}
}

// C2: the ranges that are promised are in the table, of what is not built yet too.
func TestRanges(t *testing.T) {
	s := testSchema()
	turnOn(s.root)
	for yaml, ok := range map[string]bool{
		"max_hook_retries: 0": true, "max_hook_retries: -1": false,
		"guard: {max_retry_attempts: 1}": true, "guard: {max_retry_attempts: 10}": true,
		"guard: {max_retry_attempts: 0}": false, "guard: {max_retry_attempts: 11}": false,
		"adaptive_retry: {high_failure_threshold: 0}": true, "adaptive_retry: {high_failure_threshold: 1}": true,
		"adaptive_retry: {high_failure_threshold: 1.01}": false, "adaptive_retry: {high_failure_threshold: -0.1}": false,
		"hook_retry_backoff: 0s": true, "hooks: {session_start: [{command: x, timeout: 60}]}": true,
		"hooks: {session_start: [{command: x, when: failure}]}": false, "agent_hooks_from: claude": true,
		"agent_hooks_from: {from: codemie}": true, "agent_hooks_from: [claude, {from: codemie, on_failure: allow}]": true,
		"agent_hooks_from: [{on_failure: allow}]": false, "agent_hooks_from: {from: cursor}": false, "agent_hooks_from: [{from: claude, on_failure: pass}]": false,
	} {
		err := s.Decode("mulligan.yaml", []byte(head+yaml)).Err()
		if (err == nil) != ok {
			t.Errorf("%s: %v", yaml, err)
		}
	}
	c := s.Decode("mulligan.yaml", []byte(head))
	if c.Get("max_hook_retries").Int() != 5 || c.Get("guard", "max_retry_attempts").Int() != 5 || c.Get("adaptive_retry", "high_failure_threshold").Float() != 0.2 {
		t.Error("a promised default is not there")
	}
}

// Every key has its line of doc, lower case and without a full stop: they are shown.
func TestDocs(t *testing.T) {
	var walk func(path string, ty *Type)
	walk = func(path string, ty *Type) {
		if ty == nil {
			return
		}
		walk(path, ty.Elem)
		for _, a := range ty.Any {
			walk(path, a)
		}
		for _, v := range ty.Variants {
			walk(path, &Type{Fields: v.Fields})
		}
		for _, f := range ty.Fields {
			if f.Doc == "" || strings.HasSuffix(f.Doc, ".") || strings.Contains(f.Doc, "\n") {
				t.Errorf("%s.%s: doc %q", path, f.Name, f.Doc)
			}
			walk(path+"."+f.Name, f.Type)
		}
	}
	walk("", testSchema().root)
	if !bytes.Contains(testSchema().JSON(), []byte("https://json-schema.org/draft/2020-12/schema")) {
		t.Error("the schema does not say which draft it is")
	}
}
