package redact

import (
	"io"
	"sync"
)

// pieceSize bounds what is looked at, and copied, at once.
const pieceSize = 64 << 10

// A Writer takes secrets out of what is written through it. It holds back only what may
// be the beginning of a secret; Close writes that out. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	scan scanner
	held []byte
	out  []byte
	err  error // of the write under way
}

// Writer makes a Writer to w, which it never closes.
func (r *Redactor) Writer(w io.Writer) *Writer {
	return &Writer{to: w, scan: scanner{index: &r.index}}
}

// Write takes the next piece of a text. An error of the writer behind is this write's, and
// what it did not take is lost.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = nil
	taken := 0
	for taken < len(p) && w.err == nil {
		piece := p[taken:min(taken+pieceSize, len(p))]
		if len(w.held) == 0 {
			w.held = append(w.held, piece[w.writeCertain(piece, false):]...)
		} else {
			w.held = append(w.held, piece...)
			n := w.writeCertain(w.held, false)
			w.held = append(w.held[:0], w.held[n:]...)
		}
		taken += len(piece)
	}
	if w.err != nil {
		return 0, w.err
	}
	return taken, nil
}

// Flush writes what is held back, as if the text ended here. What is written after that
// goes on from there.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = nil
	if len(w.held) > 0 {
		w.writeCertain(w.held, true)
	}
	w.held, w.scan.covered = w.held[:0], 0
	return w.err
}

// Close is Flush: the text has ended.
func (w *Writer) Close() error { return w.Flush() }

// writeCertain writes as much of b as is certain, and says how much that is.
func (w *Writer) writeCertain(b []byte, final bool) int {
	n := w.scan.scan(b, final)
	if n == 0 {
		return 0
	}
	if len(w.scan.spans) == 0 && w.scan.covered == 0 {
		w.scan.rememberEnd(b[:n])
		w.write(b[:n])
		return n
	}
	w.out = w.out[:0]
	w.scan.render(b, n, func(text []byte) { w.out = append(w.out, text...) }, func(name string) {
		w.out = append(w.out, secretMarker(name)...)
	})
	if len(w.out) > 0 {
		w.write(w.out)
	}
	return n
}

func (w *Writer) write(b []byte) {
	n, err := w.to.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	w.err = err
}
