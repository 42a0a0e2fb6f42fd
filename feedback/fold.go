package feedback

import (
	"bytes"
	"fmt"
)

// fold makes one line of a line that is repeated, and says how often it was.
type fold struct {
	last  []byte
	begun bool
	lost  int64
	again int
}

// foldFrom is how many repetitions are worth a line that counts them.
const foldFrom = 2

func (f *fold) line(line []byte, lost int64, to *document) {
	// Of a line that was not held whole nobody knows whether it is the same.
	if f.begun && lost == 0 && f.lost == 0 && bytes.Equal(line, f.last) {
		f.again++
		return
	}
	f.end(to)
	f.begun, f.lost = true, lost
	f.last = append(f.last[:0], line...)
	to.add(line, lost)
}

// end writes what was folded.
func (f *fold) end(to *document) {
	if f.again >= foldFrom {
		to.add(fmt.Appendf(nil, "… repeated %d times", f.again), 0)
	} else if f.again > 0 {
		to.add(f.last, 0)
	}
	f.again = 0
}
