package redact

import (
	"bytes"
	"strings"
)

// matchJWT matches a JSON Web Token: a header and a payload, which are JSON in base64, and a signature, with
// dots between them. One without a signature is none.
func matchJWT(v view, at int) (span, decision) {
	if !canStartWord(v.textBefore(at)) {
		return span{}, no
	}
	const parts = 3
	in, end := isIn(base64URL), at
	for part := range parts {
		if part > 0 {
			if v.isOpenAt(end) {
				return span{}, undecided
			}
			if end >= len(v.b) || v.b[end] != '.' {
				return span{}, no
			}
			end++
		}
		n := v.countRun(end, longestToken, in)
		switch {
		case n < longestToken && v.isOpenAt(end+n):
			return span{}, undecided
		case n < shortestPart, part < parts-1 && !bytes.HasPrefix(v.b[end:], []byte("eyJ")):
			return span{}, no
		}
		end += n
	}
	return span{start: at, end: end}, yes
}

// shortestPart is the length of the shortest part of a JSON Web Token.
const shortestPart = 8

// matchTelegram matches the secret part of a Telegram bot's token, 123456789:AA…: at is that of the colon.
func matchTelegram(v view, at int) (span, decision) {
	left := v.textBefore(at)
	number := left[len(bytes.TrimRight(left, digits)):]
	if n := len(number); n < 8 || n > 10 {
		return span{}, no
	}
	const length = 35
	n := v.countRun(at+1, length+1, isIn(base64URL))
	if n <= length && v.isOpenAt(at+1+n) {
		return span{}, undecided
	}
	if n != length {
		return span{}, no
	}
	return span{start: at + 1, end: at + 1 + n}, yes
}

// assignTo returns the ways in which text gives a variable its value.
func assignTo(names ...string) []string {
	var heads []string
	for _, name := range names {
		for _, between := range []string{"=", `="`, "='", ": ", `: "`, ": '", `": "`, `":"`} {
			heads = append(heads, name+between)
		}
	}
	return heads
}

// followedBy returns the heads that begin with a text and one of the bytes: a head has three bytes at least.
func followedBy(text, bytes string) []string {
	var heads []string
	for one := range strings.SplitSeq(bytes, "") {
		heads = append(heads, text+one)
	}
	return heads
}
