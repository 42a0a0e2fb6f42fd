package redact

import (
	"bytes"
	"slices"
	"strings"
)

const (
	longestToken  = 16 << 10
	shortestToken = 16
)

// matchAuthorization matches the credential after the scheme in an Authorization header, as a header, in
// JSON or in a program's dump of it.
func matchAuthorization(v view, at int) (span, decision) {
	if left := v.textBefore(at); len(left) < 5 || !strings.EqualFold(string(left[len(left)-5:]), "uthor") {
		return span{}, no
	}
	i := at + len("ization")
	separators := i
	for i < len(v.b) && i-separators < 12 && strings.IndexByte(`:= "'\>[,`, v.b[i]) >= 0 {
		i++
	}
	scheme := i
	for i < len(v.b) && i-scheme < 12 && isAlnum(v.b[i]) {
		i++
	}
	word := i
	for i < len(v.b) && i-word < 4 && v.b[i] == ' ' {
		i++
	}
	if i == len(v.b) && !v.final {
		return span{}, undecided
	}
	if !bytes.ContainsAny(v.b[separators:scheme], ":=,") || word == i || !isScheme(string(v.b[scheme:word])) {
		return span{}, no
	}
	return matchCredential(v, i)
}

func isScheme(s string) bool {
	return slices.Contains([]string{"bearer", "basic", "token", "negotiate", "apikey", "bot"}, strings.ToLower(s))
}

// matchCredential matches a credential that begins at from. A placeholder in capitals is none.
func matchCredential(v view, from int) (span, decision) {
	end, shouted := from, true
	for end < len(v.b) && end-from < longestToken && (isAlnum(v.b[end]) || strings.IndexByte("-._~+/=", v.b[end]) >= 0) {
		shouted = shouted && (v.b[end] == '_' || v.b[end] >= 'A' && v.b[end] <= 'Z')
		end++
	}
	switch {
	case end == len(v.b) && !v.final && end-from < longestToken:
		return span{}, undecided
	case end-from < shortestToken, shouted: // YOUR_TOKEN_HERE
		return span{}, no
	}
	return span{start: from, end: end}, yes
}
