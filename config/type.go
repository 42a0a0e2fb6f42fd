// Package config reads mulligan.yaml. What may stand in it is written once, as a
// table of fields; reading, merging, the JSON Schema and what `mulligan config`
// prints are all made from that table. Every mistake is found in one pass and
// knows its place.
package config

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

// A Type says what a value may be.
type Type struct {
	Kind     Kind
	Min, Max *float64  // Int, Float: the range, ends included
	Choices  []Choice  // Enum; of Map the names that there are, where the user does not choose them
	Elem     *Type     // List, Map
	NonEmpty bool      // List, Map: at least one
	Fields   []Field   // Object; of Union those that every variant has
	Variants []Variant // Union
	Usual    string    // Union: the variant of a value without `type`; "": it must say
	Any      []*Type   // OneOf: told apart by shape, so no two of one shape
	Noun     string    // what a person calls it: "a command"
	// Elsewhere are keys that objects like this one have, with where they may stand: an
	// Object that lacks one says so instead of not knowing it.
	Elsewhere map[string]string
}

// A Field is a key of an object.
type Field struct {
	Name     string
	Doc      string // one line, lower case, no full stop
	Type     *Type
	Default  string // a scalar, as an environment variable would give it; "": none
	Required bool
	NotYet   bool // known, and a mistake to use: its feature is not built
	FileOnly bool // no environment variable stands for it
}

// A Choice is a value that an enumeration takes.
type Choice struct {
	Name   string
	Doc    string
	NotYet bool
	Prefix bool                    // Name is how the value begins
	Check  func(text string) error // what is wrong with such a value; nil: nothing
}

// A Variant is a shape that a union takes when its key `type` is Name.
type Variant struct {
	Name   string
	Doc    string
	Fields []Field
	NotYet bool
	// Decode makes the variant's options of a value that fits Fields; they are journaled
	// as JSON. Options that are nil are nothing to run. Files that the value names are
	// read through the given reader.
	Decode func(v Value, read Reader) (any, Mistakes)
	// Title is what people call a value without a name; nil: the variant's name.
	Title func(v Value) string
	// Inverted says whether a check passes while the work is not done; nil: never.
	Inverted func(v Value) bool
	// Takes are the keys that only some types of agents have, and this one does: model, args,
	// max_turns.
	Takes []string
	// Tells are the limits that agents of this type tell enough for: tokens, cost_usd.
	Tells []string
	// Permits says whether agents of this type can be told what they may do unasked.
	Permits bool
	// Inside says whether agents of this type have hooks at a moment inside themselves that can
	// ask mulligan; nil: at none.
	Inside func(event string) bool
}

// A Reader gives the content of the file that a value names, relative to the folder
// of the file that the value stands in; or the mistake that keeps it from doing so.
type Reader func(v Value) ([]byte, *Mistake)

// A Catalog is what is built in: config knows the table's frame, and this fills it.
type Catalog struct {
	Agents []Variant // types of agents
	Checks []Variant // types of checks
	Named  []Named   // agents that need no entry under agents:
}

// A Named is an agent that has a name without an entry under agents.
type Named struct {
	Name string
	Doc  string
	Type string // its type; "": there has to be an entry, for it needs options
	More string // the keys of the entry that it stands for besides the type, as YAML
}

// Agent gives the agent type of that name.
func (c Catalog) Agent(name string) (Variant, bool) { return variant(c.Agents, name) }

// Check gives the check type of that name.
func (c Catalog) Check(name string) (Variant, bool) { return variant(c.Checks, name) }

// Entry is the entry that a named agent stands for. It is not OK where its type is not built.
func (c Catalog) Entry(n Named) Value {
	text := "type: " + n.Type + "\n" + n.More
	r, mistakes := parse(newSource("built-in agent "+n.Name, "", []byte(text)), []byte(text))
	if r == nil {
		return Value{}
	}
	d := &decoder{mistakes: mistakes}
	entry := d.value(r, agentType(c), join("agents", n.Name), nil)
	d.fill(entry, false)
	entry.bad = entry.bad || len(d.mistakes) > 0
	return Value{n: entry, path: entry.path, at: entry.at}
}

func variant(list []Variant, name string) (Variant, bool) {
	for _, v := range list {
		if v.Name == name {
			return v, true
		}
	}
	return Variant{}, false
}

func (t *Type) field(name string) *Field {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

func fieldNames(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// with is the object that a union is once its variant is known.
func (t *Type) with(v Variant) *Type {
	fields := make([]Field, 0, 1+len(v.Fields)+len(t.Fields))
	chooses := Field{Name: "type", Doc: v.Doc, Type: Words(choices(t.Variants)...)}
	if chooses.Required = t.Usual != v.Name; !chooses.Required {
		chooses.Default = v.Name
	}
	fields = append(fields, chooses)
	fields = append(fields, v.Fields...)
	fields = append(fields, t.Fields...)
	return &Type{Kind: Object, Fields: fields, Noun: t.Noun}
}

func choices(variants []Variant) []Choice {
	list := make([]Choice, len(variants))
	for i, v := range variants {
		list[i] = Choice{Name: v.Name, Doc: v.Doc, NotYet: v.NotYet}
	}
	return list
}

// The constructors that tables are written with.

// Str is text that says something.
func Str() *Type { return &Type{Kind: String} }

// Called is a Str that people have a word for.
func Called(noun string) *Type { return &Type{Kind: String, Noun: noun} }

// Flag is true or false.
func Flag() *Type { return &Type{Kind: Bool} }

// Span is a duration.
func Span() *Type { return &Type{Kind: Duration} }

// From is a whole number from low on.
func From(low float64) *Type { return &Type{Kind: Int, Min: &low} }

// Between is a whole number from low to high.
func Between(low, high float64) *Type { return &Type{Kind: Int, Min: &low, Max: &high} }

// Share is a number from 0 to 1.
func Share() *Type {
	low, high := 0.0, 1.0
	return &Type{Kind: Float, Min: &low, Max: &high}
}

// Amount is a number from 0 on.
func Amount() *Type {
	low := 0.0
	return &Type{Kind: Float, Min: &low}
}

// Words is one of a few words.
func Words(choices ...Choice) *Type { return &Type{Kind: Enum, Choices: choices} }

// Word is Words without docs.
func Word(names ...string) *Type {
	list := make([]Choice, len(names))
	for i, n := range names {
		list[i] = Choice{Name: n}
	}
	return Words(list...)
}

// ListOf is a list of any length.
func ListOf(elem *Type) *Type { return &Type{Kind: List, Elem: elem} }

// Some is a list of at least one.
func Some(elem *Type) *Type { return &Type{Kind: List, Elem: elem, NonEmpty: true} }

// MapOf has names of the user's choice.
func MapOf(elem *Type) *Type { return &Type{Kind: Map, Elem: elem} }

// Obj has these keys.
func Obj(fields ...Field) *Type { return &Type{Kind: Object, Fields: fields} }

// Either is told by shape.
func Either(noun string, any ...*Type) *Type { return &Type{Kind: OneOf, Any: any, Noun: noun} }
