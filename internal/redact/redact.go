// Package redact takes secrets out of text: the values of environment variables whose names
// say that they are secret, in the forms that programs print them in, and tokens whose
// shape says what they are. It guesses at nothing: a hash, a UUID or a word is neither.
//
// What is found is replaced by [secret:NAME]. The result is the same however a text is
// cut into pieces.
package redact

import (
	"slices"
	"strings"
)

// A Redactor knows the secrets. It does not change, and is safe for concurrent use.
type Redactor struct {
	index index
}

// New makes a Redactor of an environment, given as NAME=value.
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

// String is s without its secrets.
func (r *Redactor) String(s string) string {
	clean, _ := r.Clean(s)
	return clean
}

// Clean is s without its secrets, and the names of those that it had, each once.
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

// secretMarker stands where a secret was.
func secretMarker(name string) string { return "[secret:" + name + "]" }
