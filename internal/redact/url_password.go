package redact

import (
	"bytes"
	"slices"
	"strings"
)

const (
	longestAuthority = 1 << 10
	shortestPassword = 8
)

// matchURLPassword matches the password of scheme://user:password@host, with "://" at `at`.
func matchURLPassword(v view, at int) (span, decision) {
	if left := v.textBefore(at); len(left) == 0 || !isAlnum(left[len(left)-1]) {
		return span{}, no
	}
	from := at + len("://")
	n := v.countRun(from, longestAuthority+1, isInAuthority)
	switch {
	case n > longestAuthority:
		return span{}, no
	case v.isOpenAt(from + n):
		return span{}, undecided
	}
	authority := v.b[from : from+n]
	colon, host := bytes.IndexByte(authority, ':'), bytes.LastIndexByte(authority, '@')
	if colon < 0 || host < colon {
		return span{}, no
	}
	user, password := string(authority[:colon]), string(authority[colon+1:host])
	if password == user || !isRealPassword(password) || isExampleHost(string(authority[host+1:])) {
		return span{}, no
	}
	return span{start: from + colon + 1, end: from + host}, yes
}

func isInAuthority(c byte) bool {
	return c > ' ' && c != 0x7f && strings.IndexByte("/?#\"'`<>\\|", c) < 0
}

// isRealPassword reports whether a text is a password and no placeholder for one.
func isRealPassword(s string) bool {
	return len(s) >= shortestPassword && strings.IndexByte("$<{%*[(", s[0]) < 0 && !isPlaceholder(s) &&
		!slices.Contains([]string{"password", "passw0rd", "password1", "postgres", "changeme"}, strings.ToLower(s))
}

// isExampleHost reports whether a host is this machine, or has a name that is reserved for documentation
// and tests: a password for those is no secret.
func isExampleHost(host string) bool {
	host = strings.ToLower(host)
	if !strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host, ":")
	}
	if hasAnyPrefix(host, "127.", "[::1]") || host == "0.0.0.0" {
		return true
	}
	reserved := []string{"localhost", "example.com", "example.org", "example.net", "example", "test", "invalid"}
	return slices.ContainsFunc(reserved, func(name string) bool { return host == name || strings.HasSuffix(host, "."+name) })
}
