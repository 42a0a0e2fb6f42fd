package transcript

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mulligan/internal/text"
)

// noteRoom is how many characters of an excerpt are reserved for its notes.
const noteRoom = 400

// makeExcerpt returns the excerpt of what was read.
func (x *reading) makeExcerpt(limit int) Excerpt {
	pieces := x.renderLines(x.kept.head)
	between := len(pieces)
	pieces = append(pieces, x.renderLines(x.kept.tail)...)
	body, leftOut := joinPieces(pieces, between, x.kept.dropped, max(limit-noteRoom, limit/2))
	e := Excerpt{Opened: x.opened, Since: x.since, Unreadable: x.unreadable, LeftOut: leftOut}
	e.Text = text.Clip(x.makeNotes()+body, limit)
	return e
}

// renderLines returns what each of the lines shows. Those that cannot be read are counted.
func (x *reading) renderLines(lines [][]byte) []string {
	var pieces []string
	for _, raw := range lines {
		l, err := decodeLine(raw)
		if err != nil {
			x.unreadable++
			continue
		}
		if p := renderLine(l); p != "" {
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// makeNotes returns what a reader has to know about the excerpt.
func (x *reading) makeNotes() string {
	var b strings.Builder
	if x.opened {
		b.WriteString("[from where the item was opened")
		if !x.since.IsZero() {
			fmt.Fprintf(&b, ", %s,", x.since.UTC().Format("2006-01-02 15:04:05 MST"))
		}
		b.WriteString(" to the end of the transcript]\n")
	} else {
		b.WriteString("[the end of the transcript; it does not show where the item was opened]\n")
	}
	if x.unreadable > 0 {
		fmt.Fprintf(&b, "[%s of the transcript could not be read]\n", text.Count(x.unreadable, "line"))
	}
	return b.String()
}

// joinPieces returns the pieces as one text of at most limit characters: all of them, or a quarter of
// the room for the first ones and the rest for the last, without those in the middle. dropped pieces
// are missing already, before the one at between. leftOut counts all that are missing.
func joinPieces(pieces []string, between, dropped, limit int) (joined string, leftOut int) {
	sizes, sum := make([]int, len(pieces)), 0
	for i, p := range pieces {
		sizes[i] = utf8.RuneCountInString(p)
		sum += sizes[i]
	}
	from, to, room := between, between, limit
	if sum > limit {
		to, room = 0, limit/4
		for to < between && sizes[to] <= room {
			room -= sizes[to]
			to++
		}
		room += limit - limit/4
		from = len(pieces)
		for from > to && (from > between || dropped == 0) && sizes[from-1] <= room {
			from--
			room -= sizes[from]
		}
	}
	leftOut = dropped + from - to
	tail := pieces[from:]
	if len(tail) == 0 && from > to { // even the last is too large
		tail = []string{"  …" + lastRunes(pieces[from-1], room-len("  …"))}
	}
	joined = strings.Join(pieces[:to], "")
	if leftOut > 0 {
		joined += fmt.Sprintf("[… %s of the transcript left out here …]\n", text.Count(leftOut, "line"))
	}
	return joined + strings.Join(tail, ""), leftOut
}

// lastRunes returns the last n characters of s.
func lastRunes(s string, n int) string {
	return s[runeIndex(s, max(utf8.RuneCountInString(s)-n, 0)):]
}
