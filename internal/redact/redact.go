// Package redact removes secrets from text: the values of environment variables whose names tell that
// they are secret, in the forms that programs print them in, and tokens that are known by their shape. It
// does not guess: a hash, a UUID or a word is neither.
//
// Each secret is replaced by [secret:NAME]. The result does not depend on how a text is cut into pieces.
package redact

import (
	"slices"
	"strings"
)

// A Redactor removes known secrets. It is immutable, and so safe for concurrent use.
type Redactor struct {
	index index
}

// New returns a Redactor for the secrets of an environment, given as NAME=value.
func New(environ []string) *Redactor {
	r := &Redactor{}
	seen := map[string]bool{}
	for _, s := range findSecrets(environ) {
		for _, form := range listForms(s.value) {
			if !seen[form] {
				seen[form] = true
				r.index.addPattern(pattern{name: s.name, head: form})
			}
		}
	}
	for _, p := range shapePatterns() {
		r.index.addPattern(p)
	}
	return r
}

// String returns s without its secrets.
func (r *Redactor) String(s string) string {
	clean, _ := r.Clean(s)
	return clean
}

// Clean returns s without its secrets, and their names, each once.
func (r *Redactor) Clean(s string) (string, []string) {
	b := []byte(s)
	if r.index.next(b, 0) == len(b) {
		return s, nil
	}
	sc := scanner{index: &r.index}
	sc.scan(b, true)
	if len(sc.spans) == 0 {
		return s, nil
	}
	var out strings.Builder
	var names []string
	sc.render(b, len(b), func(text []byte) { out.Write(text) }, func(name string) {
		out.WriteString(secretMarker(name))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	})
	return out.String(), names
}

// secretMarker returns the text that replaces a secret.
func secretMarker(name string) string { return "[secret:" + name + "]" }
