package feedback

import (
	"bytes"
	"sync"

	"mulligan/internal/bytescan"
	"mulligan/report"
	"mulligan/report/block"
)

// plainLines takes lines out of a piece of the output that need no cleaning, and tells which of them need no
// search either: most lines of a long output have nothing that any rule searches for.
type plainLines struct {
	p      []byte
	finder *bytescan.Finder // of what they have not; nil for none
	odd    int              // where it found something last; -1 before it has looked
}

const (
	largeOutput = 256 << 10 // from so many bytes on an output is worth a finder
	largePiece  = 512       // and a piece of it is searched as a whole
)

// takeLine returns the line between two places, and reports whether it needs no cleaning.
func (l *plainLines) takeLine(from, to int) (line cleanLine, ok bool) {
	line.text = l.p[from:to]
	if l.finder != nil && to-from <= maxHeld {
		if l.odd < from {
			l.odd = l.finder.Next(l.p, from)
		}
		if l.odd >= to {
			line.plain = true
			return line, true
		}
	}
	line.text = bytes.TrimRight(line.text, "\r")
	n, wide := measureText(line.text)
	return line, n == len(line.text) && !wide && n <= maxHeld
}

// getOddities returns the finder of everything that a plain line has not: bytes that need cleaning, and what the
// rules search lines for. It is nil if it would not be fast.
var getOddities = sync.OnceValue(func() *bytescan.Finder {
	if !bytescan.IsFast() {
		return nil
	}
	var low, high bytescan.Set
	for c := range 256 {
		low[c] = c < 0x10 && c != '\n' && c != '\t'
		high[c] = c >= 0x10 && c < 0x20 || c >= 0x80
	}
	words := []bytescan.Word{{low}, {high}, {bytescan.OneOf("\x7f")}}
	for _, places := range append(block.Telltales(), report.Telltales()...) {
		var w bytescan.Word
		for _, bytes := range places {
			w = append(w, bytescan.OneOf(bytes))
		}
		words = append(words, w)
	}
	return bytescan.NewFinder(words)
})
