package transcript

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mulligan/internal/text"
)

// PlainTail returns the end of a plain log, such as what an agent printed: whole lines, without escape
// sequences and control characters, indented as in an Excerpt, of at most limit characters (0:
// DefaultLimit). If that is not all of it, the first line tells how much is left out. size is the log's.
func PlainTail(log io.ReaderAt, size int64, limit int) (string, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	size = max(size, 0)
	// A character has up to 4 bytes, and escape sequences can take as much as the text again.
	from := max(size-8*int64(limit)-1, 0)
	raw := make([]byte, size-from)
	n, err := log.ReadAt(raw, from)
	if err == io.EOF {
		err = nil // a log that became shorter is read as far as it goes
	}
	raw = raw[:n]
	if from > 0 { // the line that from is in is not whole
		if end := bytes.IndexByte(raw, '\n'); end >= 0 {
			from, raw = from+int64(end)+1, raw[end+1:]
		}
	}
	tail, cut := lastLines(string(raw), max(limit-noteRoom/2, limit/2))
	if from += int64(cut); from > 0 {
		tail = fmt.Sprintf("[… the first %s of the log left out here …]\n", text.Count(int(from), "byte")) + tail
	}
	return text.Clip(tail, limit), err
}

// lastLines returns as many of the last lines of a raw text as fit, cleaned and indented, and how many
// bytes before them are left out. Of a last line that is too long it returns the end.
func lastLines(raw string, limit int) (lines string, cut int) {
	var kept []string
	end, room := len(raw), limit
	for end > 0 {
		start := strings.LastIndexByte(raw[:end-1], '\n') + 1
		line := cleanText(strings.TrimRight(raw[start:end], "\r\n"))
		line = "  " + strings.ReplaceAll(line, "\n", "\n  ") + "\n"
		count := utf8.RuneCountInString(line)
		if count > room {
			if len(kept) == 0 {
				line = lastRunes(line, room-len("  …"))
				kept, end = append(kept, "  …"+line), max(end-len(line), 0)
			}
			break
		}
		kept, room, end = append(kept, line), room-count, start
	}
	var b strings.Builder
	for i := len(kept) - 1; i >= 0; i-- {
		b.WriteString(kept[i])
	}
	return b.String(), end
}
