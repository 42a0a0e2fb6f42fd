// Package config reads mulligan.yaml. What may stand in it is written once, as a
// table of fields; reading, merging, the JSON Schema and what `mulligan config`
// prints are all made from that table. Every mistake is found in one pass and
// knows its place.
package config

import (
	"encoding/json"
	"slices"
)

// Kind is the shape of a value.
type Kind int

const (
	String   Kind = iota // one line or more, not empty
	Text                 // as String, and may be empty
	Int                  // a whole number
	Float                // a number
	Bool                 // true or false
	Duration             // a Go duration, or whole seconds
	Enum                 // one of Type.Choices
	List                 // of Type.Elem
	Map                  // names that the user chooses, to Type.Elem
	Object               // Type.Fields
	Union                // an object whose key `type` chooses one of Type.Variants
	OneOf                // the first of Type.Any that has the value's shape
)

// A Type describes what a value may be.
type Type struct {
	Kind     Kind
	Min, Max *float64  // Int, Float: the range, ends included
	Choices  []Choice  // Enum; of Map the names that there are, where the user does not choose them
	Elem     *Type     // List, Map
	NonEmpty bool      // List, Map: at least one
	Words    bool      // List: the words of a command line, which people write as one text
	Open     bool      // Object: keys that are none of Fields, and no misspelling of one, are skipped
	Fields   []Field   // Object; of Union those that every variant has
	Variants []Variant // Union
	Usual    string    // Union: the variant of a value without `type`; "": the key is required
	Any      []*Type   // OneOf: told apart by shape, so no two of one shape
	Noun     string    // what a person calls it: "a command"
	// Elsewhere are keys that objects like this one have, with a hint at where they may stand.
	// It is the hint of the mistake if an Object that lacks one has it.
	Elsewhere map[string]string
}

// A Field is a key of an object.
type Field struct {
	Name     string
	Doc      string // one line, lower case, no full stop
	Type     *Type
	Default  string // a scalar, as an environment variable would have it; "": none
	Required bool
	NotYet   bool // known, and a mistake to use: its feature is not built
	FileOnly bool // no environment variable stands for it
	// Trust is for values that a repository may not decide alone; nil: it may. It holds for the items of a
	// list, and the values of a mapping with names of the user's, one by one.
	Trust TrustRule
}

// A Choice is a value that an enumeration takes.
type Choice struct {
	Name   string
	Doc    string
	NotYet bool
	Prefix bool                    // Name is how the value begins
	Check  func(text string) error // returns what is wrong with such a value; nil: every value is right
}

// A Variant is a shape that a union takes when its key `type` is Name.
type Variant struct {
	Name   string
	Doc    string
	Fields []Field
	NotYet bool
	// Decode returns the variant's options from a value that fits Fields; they are journaled as
	// JSON. There is nothing to run if the options are nil. Files that the value names are read
	// with the reader.
	Decode func(v Value, read Reader) (any, Mistakes)
	// Title returns what people call a value without a name; nil: the variant's name.
	Title func(v Value) string
	// Inverted reports whether a check passes while the work is not done; nil: never.
	Inverted func(v Value) bool
	// Keep reports whether what a check writes is part of the work; nil: never.
	Keep func(v Value) bool
	// Golden reports whether a check runs with the protected files as they were at the session's base;
	// nil: never.
	Golden func(v Value) bool
	// Flaky returns how often a failing run of a check may be repeated; nil: never.
	Flaky func(v Value) int
	// Judge returns the name of the agent that decides a check; nil: none does.
	Judge func(v Value) Value
	// Takes are the keys that only some types of agents have and this one has: model, args,
	// max_turns.
	Takes []string
	// Tells are the limits that can be counted, because agents of this type report their use:
	// tokens, cost_usd.
	Tells []string
	// Permits is true if agents of this type can be told what they may do unasked.
	Permits bool
	// Nests reports whether an agent puts what it runs into a sandbox of its own, by its permissions
	// ("" if the user has set none) and options; nil: never.
	Nests func(permissions string, options json.RawMessage) bool
	// Inside reports whether agents of this type have hooks at a moment inside themselves that can
	// ask mulligan; nil: at none.
	Inside func(event string) bool
}

// A Reader returns the content of the file that a value names, relative to the folder of the file
// that the value stands in, or the mistake that keeps it from doing so.
type Reader func(v Value) ([]byte, *Mistake)

// A Catalog is what is built in: config has the table's frame, and the Catalog fills it.
type Catalog struct {
	Agents []Variant // types of agents
	Checks []Variant // types of checks
	Named  []Named   // agents that need no entry under agents:
}

// A Named is an agent that has a name without an entry under agents.
type Named struct {
	Name string
	Doc  string
	Type string // its type; "": an entry is required, because it needs options
	More string // the keys of the entry that it stands for besides the type, as YAML
}

// Agent returns the agent type of that name, and reports whether there is one.
func (c Catalog) Agent(name string) (Variant, bool) { return findVariant(c.Agents, name) }

// Check returns the check type of that name, and reports whether there is one.
func (c Catalog) Check(name string) (Variant, bool) { return findVariant(c.Checks, name) }

// Entry returns the entry that a named agent stands for. It is not OK if its type is not built.
func (c Catalog) Entry(n Named) Value {
	text := "type: " + n.Type + "\n" + n.More
	r, mistakes := parse(newSource("built-in agent "+n.Name, "", []byte(text)), []byte(text))
	if r == nil {
		return Value{}
	}
	d := &decoder{mistakes: mistakes}
	entry := d.decodeValue(r, agentType(c), joinPath("agents", n.Name), nil)
	d.fillDefaults(entry, false)
	entry.bad = entry.bad || len(d.mistakes) > 0
	return Value{n: entry, path: entry.path, at: entry.at}
}

func findVariant(list []Variant, name string) (Variant, bool) {
	for _, v := range list {
		if v.Name == name {
			return v, true
		}
	}
	return Variant{}, false
}

func (t *Type) findField(name string) *Field {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

func fieldNames(fields []Field) []string {
	return convertAll(fields, func(f Field) string { return f.Name })
}

// convertAll returns what convert makes of each item.
func convertAll[A, B any](list []A, convert func(A) B) []B {
	var converted []B
	for _, item := range list {
		converted = append(converted, convert(item))
	}
	return converted
}

// asVariant returns the object that a union is once its variant is known.
func (t *Type) asVariant(v Variant) *Type {
	key := Field{Name: "type", Doc: v.Doc, Type: Words(variantChoices(t.Variants)...)}
	if key.Required = t.Usual != v.Name; !key.Required {
		key.Default = v.Name
	}
	return &Type{Kind: Object, Fields: slices.Concat([]Field{key}, v.Fields, t.Fields), Noun: t.Noun}
}

func variantChoices(variants []Variant) []Choice {
	return convertAll(variants, func(v Variant) Choice { return Choice{Name: v.Name, Doc: v.Doc, NotYet: v.NotYet} })
}

// The constructors that tables are written with.

// Str returns the type of text that is not empty.
func Str() *Type { return &Type{Kind: String} }

// NamedString returns a Str that messages call by a noun.
func NamedString(noun string) *Type { return &Type{Kind: String, Noun: noun} }

// Flag returns the type of true and false.
func Flag() *Type { return &Type{Kind: Bool} }

// DurationType returns the type of durations.
func DurationType() *Type { return &Type{Kind: Duration} }

// From returns the type of whole numbers of at least low.
func From(low float64) *Type { return &Type{Kind: Int, Min: &low} }

// Between returns the type of whole numbers from low to high.
func Between(low, high float64) *Type { return &Type{Kind: Int, Min: &low, Max: &high} }

// Fraction returns the type of numbers from 0 to 1.
func Fraction() *Type { return &Type{Kind: Float, Min: new(0.0), Max: new(1.0)} }

// Amount returns the type of numbers of at least 0.
func Amount() *Type { return &Type{Kind: Float, Min: new(0.0)} }

// Words returns the type of one of the choices.
func Words(choices ...Choice) *Type { return &Type{Kind: Enum, Choices: choices} }

// Word returns Words without docs.
func Word(names ...string) *Type {
	return Words(convertAll(names, func(name string) Choice { return Choice{Name: name} })...)
}

// ListOf returns the type of lists of any length.
func ListOf(elem *Type) *Type { return &Type{Kind: List, Elem: elem} }

// NonEmptyList returns the type of lists of at least one item.
func NonEmptyList(elem *Type) *Type { return &Type{Kind: List, Elem: elem, NonEmpty: true} }

// WordList returns the type of lists of a command line's words.
func WordList() *Type { return &Type{Kind: List, Elem: &Type{Kind: Text, Noun: "a word"}, Words: true} }

// MapOf returns the type of mappings whose names the user chooses.
func MapOf(elem *Type) *Type { return &Type{Kind: Map, Elem: elem} }

// Obj returns the type of mappings with these keys.
func Obj(fields ...Field) *Type { return &Type{Kind: Object, Fields: fields} }

// Either returns the type of values that are of one of the types, distinguished by their shape.
func Either(noun string, types ...*Type) *Type { return &Type{Kind: OneOf, Any: types, Noun: noun} }
