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

// matchAuthorization is what follows the scheme in an Authorization header, as a header, in
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

const (
	longestKey   = 16 << 10
	longestLabel = 64
	keyLine      = 16  // so many characters of base64 in a row are a key's, not a word
	headerRoom   = 512 // for what may stand before the first of them: Proc-Type, DEK-Info
	footerRoom   = 128 // for what may stand behind the last: a short line, and quotes
)

// matchPrivateKey is a PEM or OpenPGP private key, with line ends as they are or spelt out. One
// that breaks off is a secret as far as it goes.
func matchPrivateKey(v view, at int) (span, decision) {
	if !bytes.HasSuffix(v.textBefore(at), []byte("-----")) {
		return span{}, no
	}
	closed, is := findClosingDashes(v, at)
	if is != yes {
		return span{}, is
	}
	if !bytes.Contains(v.b[at:closed], []byte("PRIVATE KEY")) {
		return span{}, no
	}
	end, is := findKeyEnd(v, closed)
	return span{start: at, end: end}, is
}

// findKeyEnd is the end of the key whose lines begin at i.
func findKeyEnd(v view, i int) (int, decision) {
	end, room := 0, headerRoom
	stop := min(i+longestKey, len(v.b))
	for other := i; i-other <= room; {
		if i >= len(v.b) && !v.final {
			return 0, undecided
		}
		if i >= stop {
			break
		}
		switch c := v.b[i]; {
		case isBase64(c):
			from := i
			for i < stop && isBase64(v.b[i]) {
				i++
			}
			if i-from >= keyLine {
				end, room, other = i, footerRoom, i
			}
		case c == '\\':
			i += 2 // \n, which would begin the next line
		case c == '-' && len(v.b)-i < len("-----BEGIN ") && !v.final:
			return 0, undecided
		case bytes.HasPrefix(v.b[i:], []byte("-----END ")) && end > 0:
			if closed, is := findClosingDashes(v, i+len("-----END ")); is != no {
				return closed, is
			}
			return end, yes
		case bytes.HasPrefix(v.b[i:], []byte("-----BEGIN ")):
			stop = i // another one: this one has no end
		case isSpace(c), strings.IndexByte(`"'+,:;.-`, c) >= 0:
			i++
		default:
			stop = i
		}
	}
	if end == 0 {
		return 0, no
	}
	return end, yes
}

// findClosingDashes is where the dashes end that close the line at i, soon after it.
func findClosingDashes(v view, i int) (int, decision) {
	for end := i; end-i < longestLabel; end++ {
		switch rest := v.b[min(end, len(v.b)):]; {
		case bytes.HasPrefix(rest, []byte("-----")):
			return end + 5, yes
		case len(rest) < 5 && !v.final:
			return 0, undecided
		case len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r':
			return 0, no
		}
	}
	return 0, no
}

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }
