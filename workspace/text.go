package workspace

import (
	"bytes"
	"strings"
)

// joinNull returns words with a NUL behind each, as git reads them.
func joinNull(words []string) []byte {
	if len(words) == 0 {
		return []byte{}
	}
	return []byte(strings.Join(words, "\x00") + "\x00")
}

// trimLine returns a line without its end.
func trimLine(line []byte) []byte { return bytes.TrimRight(line, "\n") }
