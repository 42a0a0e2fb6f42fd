package feedback

import "bytes"

// readEnd is how much of the start of an output is read, and how much of its end: what a check prints in between is only
// counted.
const (
	readEnd   = 16 << 20
	chunkSize = 1 << 20
)

// An outputEnd holds the last bytes of an output.
type outputEnd struct {
	chunks [][]byte
	lines  int   // that were dropped
	bytes  int64 // of them
}

// add takes the next bytes, and drops the oldest ones that are not needed.
func (e *outputEnd) add(p []byte) {
	for len(p) > 0 {
		if n := len(e.chunks); n == 0 || len(e.chunks[n-1]) == chunkSize {
			e.chunks = append(e.chunks, e.takeOldest())
		}
		last := &e.chunks[len(e.chunks)-1]
		n := min(len(p), chunkSize-len(*last))
		*last = append(*last, p[:n]...)
		p = p[n:]
	}
}

// takeOldest returns an empty chunk: the oldest one, if the others are enough without it.
func (e *outputEnd) takeOldest() []byte {
	if len(e.chunks) <= readEnd/chunkSize {
		return make([]byte, 0, chunkSize)
	}
	oldest := e.chunks[0]
	e.chunks = e.chunks[1:]
	e.drop(oldest)
	return oldest[:0]
}

func (e *outputEnd) drop(p []byte) {
	e.lines += bytes.Count(p, []byte("\n"))
	e.bytes += int64(len(p))
}

// trim drops the rest of a line whose start was dropped.
func (e *outputEnd) trim() {
	for e.bytes > 0 && len(e.chunks) > 0 {
		first := e.chunks[0]
		end := bytes.IndexByte(first, '\n') + 1
		if end == 0 {
			end = len(first)
		}
		e.drop(first[:end])
		if e.chunks[0] = first[end:]; len(e.chunks[0]) > 0 {
			return
		}
		e.chunks = e.chunks[1:]
		if first[end-1] == '\n' {
			return
		}
	}
}
