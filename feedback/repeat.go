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

func (f *repeatFolder) addLine(line []byte, lost int64, to *document) {
	// A line that was not held whole may differ in what was lost.
	if f.begun && lost == 0 && f.lost == 0 && bytes.Equal(line, f.last) {
		f.again++
		return
	}
	f.flush(to)
	f.begun, f.lost = true, lost
	f.last = append(f.last[:0], line...)
	to.addLine(line, lost)
}

// flush adds what was folded to the document.
func (f *repeatFolder) flush(to *document) {
	if f.again >= foldFrom {
		to.addLine(fmt.Appendf(nil, "… repeated %d times", f.again), 0)
	} else if f.again > 0 {
		to.addLine(f.last, 0)
	}
	f.again = 0
}
