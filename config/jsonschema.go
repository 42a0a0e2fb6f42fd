package config

import (
	"encoding/json"
	"regexp"
	"strings"
)

// JSON returns the table as a JSON Schema (draft 2020-12), for editors.
func (s *Schema) JSON() []byte {
	doc := s.root.jsonSchema()
	doc["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	doc["title"] = "mulligan.yaml"
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		panic(err) // maps, slices, strings and numbers always marshal
	}
	return data
}

type jsonObject = map[string]any

// Go durations as editors can check them; the decoder also knows how long is too long.
const durationPattern = `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*$|^\+?0$`

func (t *Type) jsonSchema() jsonObject {
	switch t.Kind {
	case Text:
		return jsonObject{"type": "string"}
	case Int:
		return t.numberJSON("integer")
	case Float:
		return t.numberJSON("number")
	case Bool:
		return jsonObject{"type": "boolean"}
	case Duration:
		return jsonObject{"anyOf": []any{
			jsonObject{"type": "integer", "minimum": 0},
			jsonObject{"type": "string", "pattern": durationPattern},
		}}
	case Enum:
		return enumJSON(t.Choices)
	case List:
		doc := jsonObject{"type": "array", "items": t.Elem.jsonSchema()}
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
		return jsonObject{"anyOf": convertAll(t.Any, (*Type).jsonSchema)}
	default:
	}
	return jsonObject{"type": "string", "pattern": `\S`}
}

func (t *Type) mapJSON() jsonObject {
	names := jsonObject{"pattern": `\S`}
	if len(t.Choices) > 0 {
		names = enumJSON(t.Choices)
	}
	return jsonObject{"type": "object", "additionalProperties": t.Elem.jsonSchema(), "propertyNames": names}
}

func (t *Type) numberJSON(name string) jsonObject {
	doc := jsonObject{"type": name}
	if t.Min != nil {
		doc["minimum"] = *t.Min
	}
	if t.Max != nil {
		doc["maximum"] = *t.Max
	}
	return doc
}

func enumJSON(choices []Choice) jsonObject {
	var words, begins []any
	for _, c := range choices {
		switch {
		case c.NotYet:
		case c.Prefix:
			begins = append(begins, jsonObject{"type": "string", "pattern": "^" + strings.ReplaceAll(regexp.QuoteMeta(c.Name), "/", `\/`)})
		default:
			words = append(words, c.Name)
		}
	}
	if len(begins) == 0 {
		return jsonObject{"enum": words}
	}
	if len(words) > 0 {
		begins = append(begins, jsonObject{"enum": words})
	}
	return jsonObject{"anyOf": begins}
}

func objectJSON(fields []Field) jsonObject {
	properties, required := jsonObject{}, []any{}
	for _, f := range fields {
		properties[f.Name] = f.jsonSchema()
		if f.Required {
			required = append(required, f.Name)
		}
	}
	doc := jsonObject{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		doc["required"] = required
	}
	return doc
}

// jsonSchema returns the schema of a field. That of a field that is not built yet refuses every
// value and has the reason as its description.
func (f *Field) jsonSchema() jsonObject {
	if f.NotYet {
		return jsonObject{"not": jsonObject{}, "description": "not supported yet: " + f.Doc}
	}
	doc := f.Type.jsonSchema()
	doc["description"] = f.Doc
	if f.Default != "" {
		doc["default"] = f.defaultJSON()
	}
	return doc
}

func (f *Field) defaultJSON() any {
	n := (&decoder{}).decodeValue(newRawScalar(f.Type, f.Default, place{}), f.Type, f.Name, nil)
	switch n.scalar.(type) {
	case int64, float64, bool:
		return n.scalar
	}
	return f.Default
}

func (t *Type) unionJSON() jsonObject {
	var variants []any
	for _, v := range t.Variants {
		if v.NotYet {
			continue
		}
		doc := objectJSON(t.asVariant(v).Fields)
		doc["properties"].(jsonObject)["type"] = jsonObject{"const": v.Name, "description": v.Doc}
		variants = append(variants, doc)
	}
	return jsonObject{"anyOf": variants}
}
