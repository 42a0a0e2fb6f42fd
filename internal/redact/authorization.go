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
	separators := at + len("ization")
	scheme := separators + v.countRun(separators, 12, isIn(`:= "'\>[,`))
	blanks := scheme + v.countRun(scheme, 12, isAlnum)
	credential := blanks + v.countRun(blanks, 4, isIn(" "))
	if v.isOpenAt(credential) {
		return span{}, undecided
	}
	if !bytes.ContainsAny(v.b[separators:scheme], ":=,") || blanks == credential || !isScheme(string(v.b[scheme:blanks])) {
		return span{}, no
	}
	return matchCredential(v, credential)
}

func isScheme(s string) bool {
	return slices.Contains([]string{"bearer", "basic", "token", "negotiate", "apikey", "bot"}, strings.ToLower(s))
}

// matchCredential matches a credential that begins at from. A placeholder in capitals is none.
func matchCredential(v view, from int) (span, decision) {
	n := v.countRun(from, longestToken, func(c byte) bool { return isAlnum(c) || strings.IndexByte("-._~+/=", c) >= 0 })
	switch {
	case n < longestToken && v.isOpenAt(from+n):
		return span{}, undecided
	case n < shortestToken, len(bytes.Trim(v.b[from:from+n], upper+"_")) == 0: // YOUR_TOKEN_HERE
		return span{}, no
	}
	return span{start: from, end: from + n}, yes
}
