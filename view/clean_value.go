package view

import "reflect"

// cleanValue returns a copy of a value in which every text is fit for a terminal: what a field named
// Text holds keeps its line breaks, and any other string becomes a line. It goes by the types, so that
// a field that is added to them later is cleaned too.
func cleanValue[T any](v T) T {
	clean := reflect.New(reflect.TypeFor[T]()).Elem()
	cleanInto(clean, reflect.ValueOf(v), Line)
	return clean.Interface().(T)
}

// cleanInto sets to, which is zero, to the clean form of a value.
func cleanInto(to, from reflect.Value, clean func(string) string) {
	switch from.Kind() {
	case reflect.String:
		if from.Len() > 0 {
			to.SetString(clean(from.String()))
		}
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			cleanInto(to.Elem(), from.Elem(), clean)
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			cleanInto(to.Index(i), from.Index(i), clean)
		}
	case reflect.Struct:
		to.Set(from)
		for i := range from.NumField() {
			switch field := from.Type().Field(i); {
			case !field.IsExported(): // inside a time
			case field.Name == "Text":
				cleanInto(to.Field(i), from.Field(i), Text)
			default:
				cleanInto(to.Field(i), from.Field(i), Line)
			}
		}
	default:
		to.Set(from)
	}
}
