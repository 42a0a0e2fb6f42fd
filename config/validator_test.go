package config

import (
	"math"
	"reflect"
	"regexp"
	"strconv"
	"testing"
)

// allows is a JSON Schema validator for the keywords that JSON writes; another keyword
// fails the test, so that none is passed over.
func allows(t testing.TB, schema map[string]any, v any) bool {
	t.Helper()
	for keyword, arg := range schema {
		if !keywordAllows(t, schema, keyword, arg, v) {
			return false
		}
	}
	return true
}

func keywordAllows(t testing.TB, schema map[string]any, keyword string, arg, v any) bool {
	t.Helper()
	text, isText := v.(string)
	number, isNumber := v.(float64)
	list, isList := v.([]any)
	object, isObject := v.(map[string]any)
	switch keyword {
	case "$schema", "title", "description", "default":
		return true
	case "type":
		return hasType(arg.(string), v)
	case "enum":
		for _, one := range arg.([]any) {
			if reflect.DeepEqual(one, v) {
				return true
			}
		}
		return false
	case "const":
		return reflect.DeepEqual(arg, v)
	case "pattern":
		return !isText || regexp.MustCompile(arg.(string)).MatchString(text)
	case "minimum":
		return !isNumber || number >= arg.(float64)
	case "maximum":
		return !isNumber || number <= arg.(float64)
	case "minItems":
		return !isList || float64(len(list)) >= arg.(float64)
	case "items":
		for _, item := range list {
			if !allows(t, arg.(map[string]any), item) {
				return false
			}
		}
		return true
	case "anyOf":
		for _, one := range arg.([]any) {
			if allows(t, one.(map[string]any), v) {
				return true
			}
		}
		return false
	case "not":
		return !allows(t, arg.(map[string]any), v)
	case "required", "properties", "additionalProperties", "propertyNames":
		return !isObject || objectAllows(t, schema, keyword, arg, object)
	}
	t.Fatalf("the schema has a keyword that this test does not know: %s", keyword)
	return false
}

func objectAllows(t testing.TB, schema map[string]any, keyword string, arg any, v map[string]any) bool {
	t.Helper()
	if keyword == "required" {
		for _, name := range arg.([]any) {
			if _, ok := v[name.(string)]; !ok {
				return false
			}
		}
		return true
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range v {
		own, known := properties[name].(map[string]any)
		switch {
		case keyword == "properties" && known && !allows(t, own, value):
			return false
		case keyword == "propertyNames" && !allows(t, arg.(map[string]any), name):
			return false
		case keyword == "additionalProperties" && !known:
			rest, isSchema := arg.(map[string]any)
			if !isSchema || !allows(t, rest, value) {
				return false
			}
		}
	}
	return true
}

func hasType(name string, v any) bool {
	switch v := v.(type) {
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	}
	return false
}

// asJSON is a YAML value as an editor sees it.
func asJSON(r *raw) any {
	switch r.shape {
	case isString:
		return r.text
	case isInt, isFloat:
		f, _ := strconv.ParseFloat(r.text, 64)
		return f
	case isOddNumber:
		return 0.0
	case isBool:
		return r.text[0]|0x20 == 't'
	case isList:
		list := []any{}
		for _, item := range r.items {
			list = append(list, asJSON(item))
		}
		return list
	case isMap:
		object := map[string]any{}
		for _, e := range r.entries {
			object[e.key] = asJSON(e.value)
		}
		return object
	default:
		return nil
	}
}
