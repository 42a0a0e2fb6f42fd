package redact

import (
	"bytes"
	"strings"
)

const (
	longestKey   = 16 << 10
	longestLabel = 64
	keyLine      = 16  // so many characters of base64 in a row are a key's, not a word's
	headerRoom   = 512 // for headers before the first of them: Proc-Type, DEK-Info
	footerRoom   = 128 // for a short last line and quotes after them
)

// matchPrivateKey matches a PEM or OpenPGP private key, with line ends as they are or escaped. A key that
// breaks off is a secret up to there.
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

// findKeyEnd returns the end of the key whose lines begin at i.
func findKeyEnd(v view, i int) (int, decision) {
	end, room := 0, headerRoom
	stop := min(i+longestKey, len(v.b))
	for other := i; i-other <= room; {
		if v.isOpenAt(i) {
			return 0, undecided
		}
		if i >= stop {
			break
		}
		switch c := v.b[i]; {
		case isBase64(c):
			n := v.countRun(i, stop-i, isBase64)
			if i += n; n >= keyLine {
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
			stop = i // another key: this one breaks off
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

// findClosingDashes returns the end of the dashes that close the line at i.
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
