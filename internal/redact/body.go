package redact

import (
	"bytes"
	"encoding/json"
	"reflect"

	"mulligan"
)

// Body returns an event's body without the secrets in its text.
func (r *Redactor) Body(b mulligan.Body) mulligan.Body {
	return r.Value(b).(mulligan.Body)
}

// Value returns a deep copy of v with every string redacted, except for strings of a named type, which
// are mulligan's own words, and for a mulligan.Place, which must lead to the session again.
func (r *Redactor) Value(v any) any {
	if v == nil {
		return nil
	}
	return r.redactValue(reflect.ValueOf(v)).Interface()
}

var (
	stringType = reflect.TypeFor[string]()
	rawType    = reflect.TypeFor[json.RawMessage]()
	placeType  = reflect.TypeFor[mulligan.Place]()
)

// redactValue is Value for a reflect.Value.
func (r *Redactor) redactValue(v reflect.Value) reflect.Value {
	switch v.Type() {
	case placeType:
		return v
	case rawType:
		return reflect.ValueOf(r.redactJSON(v.Bytes()))
	case stringType:
		return reflect.ValueOf(r.String(v.String()))
	}
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(v.Type().Elem()))
			to.Elem().Set(r.redactValue(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			to.Set(r.redactValue(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				to.Field(i).Set(r.redactValue(v.Field(i)))
			}
		}
	case reflect.Slice:
		if !v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8 {
			to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			r.redactElements(to, v)
		}
	case reflect.Array:
		r.redactElements(to, v)
	case reflect.Map:
		if !v.IsNil() {
			to.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for entries := v.MapRange(); entries.Next(); {
				to.SetMapIndex(r.redactValue(entries.Key()), r.redactValue(entries.Value()))
			}
		}
	}
	return to
}

// redactElements redacts the elements of a slice or an array into another.
func (r *Redactor) redactElements(to, from reflect.Value) {
	for i := range from.Len() {
		to.Index(i).Set(r.redactValue(from.Index(i)))
	}
}

// redactJSON redacts the strings of a JSON text. It returns data itself if there is nothing to redact.
func (r *Redactor) redactJSON(data json.RawMessage) json.RawMessage {
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // keeps large numbers exact
	if err := dec.Decode(&v); err != nil {
		return data
	}
	clean := r.Value(v)
	if reflect.DeepEqual(v, clean) {
		return data
	}
	out, err := json.Marshal(clean)
	if err != nil {
		return data
	}
	return out
}
