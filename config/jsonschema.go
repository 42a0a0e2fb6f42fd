package config

import (
	"encoding/json"
	"strings"
)

// JSON is the table as a JSON Schema (draft 2020-12), for editors.
func (s *Schema) JSON() []byte {
	doc := s.root.json()
	doc["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	doc["title"] = "mulligan.yaml"
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		panic(err) // maps, slices, strings and numbers always marshal
	}
	return data
}

type object = map[string]any

// Go durations as editors can check them; the decoder also knows how long is too long.
const durationPattern = `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*$|^\+?0$`

func (t *Type) json() object {
	switch t.Kind {
	case Text:
		return object{"type": "string"}
	case Int:
		return t.bounded("integer")
	case Float:
		return t.bounded("number")
	case Bool:
		return object{"type": "boolean"}
	case Duration:
		return object{"anyOf": []any{
			object{"type": "integer", "minimum": 0},
			object{"type": "string", "pattern": durationPattern},
		}}
	case Enum:
		return enumJSON(t.Choices)
	case List:
		doc := object{"type": "array", "items": t.Elem.json()}
		if t.NonEmpty {
			doc["minItems"] = 1
		}
		return doc
	case Map:
		return t.mapJSON()
	case Object:
		return objectJSON(t.Fields)
	case Union:
		return t.unionJSON()
	case OneOf:
		var any []any
		for _, a := range t.Any {
			any = append(any, a.json())
		}
		return object{"anyOf": any}
	}
	return object{"type": "string", "pattern": `\S`}
}

func (t *Type) mapJSON() object {
	names := object{"pattern": `\S`}
	if len(t.Choices) > 0 {
		names = enumJSON(t.Choices)
	}
	return object{"type": "object", "additionalProperties": t.Elem.json(), "propertyNames": names}
}

func (t *Type) bounded(name string) object {
	doc := object{"type": name}
	if t.Min != nil {
		doc["minimum"] = *t.Min
	}
	if t.Max != nil {
		doc["maximum"] = *t.Max
	}
	return doc
}

func enumJSON(choices []Choice) object {
	var words, begins []any
	for _, c := range choices {
		switch {
		case c.NotYet:
		case c.Prefix:
			begins = append(begins, object{"type": "string", "pattern": "^" + strings.ReplaceAll(c.Name, "/", `\/`)})
		default:
			words = append(words, c.Name)
		}
	}
	if len(begins) == 0 {
		return object{"enum": words}
	}
	return object{"anyOf": append(begins, object{"enum": words})}
}

func objectJSON(fields []Field) object {
	properties, required := object{}, []any{}
	for _, f := range fields {
		properties[f.Name] = f.json()
		if f.Required {
			required = append(required, f.Name)
		}
	}
	doc := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		doc["required"] = required
	}
	return doc
}

// json of a field that is not built yet refuses every value and says why.
func (f *Field) json() object {
	if f.NotYet {
		return object{"not": object{}, "description": "not supported yet: " + f.Doc}
	}
	doc := f.Type.json()
	doc["description"] = f.Doc
	if f.Default != "" {
		doc["default"] = f.defaultJSON()
	}
	return doc
}

func (f *Field) defaultJSON() any {
	d := &decoder{}
	n := d.value(fromText(f.Type, f.Default, place{}), f.Type, f.Name, nil)
	switch n.scalar.(type) {
	case int64, float64, bool:
		return n.scalar
	}
	return f.Default
}

func (t *Type) unionJSON() object {
	var any []any
	for _, v := range t.Variants {
		if v.NotYet {
			continue
		}
		doc := objectJSON(t.with(v).Fields)
		doc["properties"].(object)["type"] = object{"const": v.Name, "description": v.Doc}
		any = append(any, doc)
	}
	return object{"anyOf": any}
}
