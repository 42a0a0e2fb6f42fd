package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A KeyError is a key that cannot be set.
type KeyError struct {
	Words string
	Hint  string
}

func (e *KeyError) Error() string { return e.Words }

// RetrySetting returns the path of a key of adaptive_retry in a config ("strategies.tests") and a value
// for it in YAML. Of a list the text has the items, with commas between them. The error is a *KeyError;
// whether the value is right is for the config's own checks.
func (s *Schema) RetrySetting(key, text string) (path []string, value string, err error) {
	path = append([]string{retryKey}, strings.Split(strings.TrimPrefix(key, retryKey+"."), ".")...)
	t := s.root.findField(retryKey).Type
	for i, name := range path[1:] {
		if t, err = t.findKey(strings.Join(path[1:i+2], "."), name); err != nil {
			return nil, "", err
		}
	}
	if t.Kind == Map || t.Kind == Object {
		return nil, "", &KeyError{Words: fmt.Sprintf("%s is a mapping, and its keys are set one by one", key), Hint: keyHint(t, key)}
	}
	return path, renderText(t, text), nil
}

// RetryKeys returns the keys that RetrySetting takes, without those whose names the user chooses; steps are the
// names that a mapping by step may have.
func (s *Schema) RetryKeys(steps []string) []string {
	return appendKeys(nil, s.root.findField(retryKey).Type, "", steps)
}

func appendKeys(list []string, t *Type, prefix string, steps []string) []string {
	switch {
	case t.Kind == Object:
		for _, f := range t.Fields {
			list = appendKeys(list, f.Type, prefix+"."+f.Name, steps)
		}
		return list
	case t.Kind == Map && t.Elem.Kind == Object:
		return list
	case t.Kind == Map:
		for _, step := range steps {
			list = append(list, strings.TrimPrefix(prefix+"."+step, "."))
		}
		return list
	}
	return append(list, strings.TrimPrefix(prefix, "."))
}

// findKey returns the type of a key of a mapping. whole is the key's path, for the error.
func (t *Type) findKey(whole, name string) (*Type, error) {
	switch {
	case t.Kind == Map && strings.TrimSpace(name) != "":
		return t.Elem, nil
	case t.Kind == Object && t.findField(name) != nil:
		return t.findField(name).Type, nil
	}
	names := fieldNames(t.Fields)
	return nil, &KeyError{Words: fmt.Sprintf("there is no key %q", whole), Hint: cmp.Or(didYouMean(name, names), "known here: "+strings.Join(names, ", "))}
}

// keyHint returns how the keys of a mapping are named.
func keyHint(t *Type, key string) string {
	switch {
	case t.Kind == Object:
		return fmt.Sprintf("%s.KEY, of %s", key, strings.Join(fieldNames(t.Fields), ", "))
	case t.Elem.Kind == Object:
		return fmt.Sprintf("%s.NAME.KEY, of %s", key, strings.Join(fieldNames(t.Elem.Fields), ", "))
	}
	return key + ".NAME"
}

// renderText returns a text from outside a file as YAML of a type.
func renderText(t *Type, text string) string {
	switch t.Kind {
	case List:
		items := slices.DeleteFunc(strings.Split(text, ","), func(s string) bool { return strings.TrimSpace(s) == "" })
		return "[" + strings.Join(convertAll(items, func(s string) string { return quoteYAML(strings.TrimSpace(s)) }), ", ") + "]"
	case Int, Float, Bool:
		if s := resolveShape(text); s != isString && s != isNull {
			return text
		}
	default:
	}
	return quoteYAML(text)
}
