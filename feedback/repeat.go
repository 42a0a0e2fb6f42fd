package feedback

import (
	"bytes"
	"fmt"
)

// A repeatFolder makes one line of a line that is repeated, and adds how often it was.
type repeatFolder struct {
	last  []byte
	begun bool
	lost  int64
	again int
}

// foldFrom is how many repetitions are worth a line that counts them.
const foldFrom = 2

func (f *repeatFolder) addLine(l cleanLine, to *document) {
	// A line that was not held whole may differ in what was lost.
	if f.begun && l.lost == 0 && f.lost == 0 && bytes.Equal(l.text, f.last) {
		f.again++
		return
	}
	f.flush(to)
	f.begun, f.lost = true, l.lost
	f.last = append(f.last[:0], l.text...)
	to.addLine(l)
}

// flush adds what was folded to the document.
func (f *repeatFolder) flush(to *document) {
	if f.again >= foldFrom {
		to.addLine(cleanLine{text: fmt.Appendf(nil, "… repeated %d times", f.again)})
	} else if f.again > 0 {
		to.addLine(cleanLine{text: f.last})
	}
	f.again = 0
}
