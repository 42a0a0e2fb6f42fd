package config

import (
	"fmt"
	"strings"
)

// decodeScalar checks a single value and its range.
func (d *decoder) decodeScalar(n *node, r *raw, t *Type) {
	var err error
	switch t.Kind {
	case Int:
		var i int64
		if i, err = parseInt(r.text); err == nil {
			n.scalar, err = i, t.checkRange(float64(i), r.text)
		}
	case Float:
		var f float64
		if f, err = parseFloat(r.text); err == nil {
			n.scalar, err = f, t.checkRange(f, r.text)
		}
	case Bool:
		n.scalar = strings.EqualFold(r.text, "true")
	case Duration:
		n.scalar, err = parseDuration(r.text, r.shape == isInt)
	case Enum:
		d.decodeEnum(n, r, t)
	default:
		n.scalar = r.text
		if t.Kind == String && strings.TrimSpace(r.text) == "" {
			err = fmt.Errorf("is empty: it needs %s", t.nounPhrase())
		}
	}
	if err != nil {
		d.markBad(n, "", "%s", err)
	}
}

// checkRange returns an error if a number is not in the type's range.
func (t *Type) checkRange(f float64, text string) error {
	switch {
	case t.Min != nil && t.Max != nil && *t.Min == *t.Max && f != *t.Min:
		return fmt.Errorf("%s is not known: it must be %v", text, *t.Min)
	case t.Min != nil && t.Max != nil && (f < *t.Min || f > *t.Max):
		return fmt.Errorf("%s is out of range: it must be from %v to %v", text, *t.Min, *t.Max)
	case t.Min != nil && f < *t.Min:
		return fmt.Errorf("%s is out of range: it must be at least %v", text, *t.Min)
	case t.Max != nil && f > *t.Max:
		return fmt.Errorf("%s is out of range: it must be at most %v", text, *t.Max)
	}
	return nil
}

// decodeEnum checks a value against its choices.
func (d *decoder) decodeEnum(n *node, r *raw, t *Type) {
	for _, c := range t.Choices {
		if r.text != c.Name && !(c.Prefix && strings.HasPrefix(r.text, c.Name)) {
			continue
		}
		n.scalar = r.text
		if c.NotYet {
			d.markBad(n, "", "%q is not supported yet (%s)", r.text, c.Doc)
		} else if c.Check != nil {
			if err := c.Check(r.text); err != nil {
				d.markBad(n, "", "%s", err)
			}
		}
		return
	}
	d.markBad(n, didYouMean(r.text, builtNames(t.Choices)), "%q is not %s", r.text, t.nounPhrase())
}

// builtNames returns the names of the choices that can be used.
func builtNames(list []Choice) []string {
	var names []string
	for _, c := range list {
		if !c.NotYet {
			names = append(names, c.Name)
		}
	}
	return names
}

// nounPhrase returns what a person calls a value of the type.
func (t *Type) nounPhrase() string {
	if t.Noun != "" {
		return t.Noun
	}
	if t.Kind == Enum {
		return "one of " + strings.Join(builtNames(t.Choices), ", ")
	}
	return [...]string{
		String: "text", Text: "text", Int: "a whole number", Float: "a number", Bool: "true or false", OneOf: "text",
		Duration: "a duration (90s, 10m, 1h30m, or whole seconds)", List: "a list", Map: "a mapping", Object: "a mapping", Union: "a mapping",
	}[t.Kind]
}
