package redact

import (
	"io"
	"sync"
)

// pieceSize bounds how much is scanned and copied at once.
const pieceSize = 64 << 10

// A Writer removes secrets from the text written through it. It holds back only bytes that may be the
// beginning of a secret; Close writes them. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	scan scanner
	held []byte
	out  []byte
	err  error // of the write under way
}

// Writer returns a Writer to w, which it never closes.
func (r *Redactor) Writer(w io.Writer) *Writer {
	return &Writer{to: w, scan: scanner{index: &r.index}}
}

// Write takes the next piece of a text. It returns the error of the underlying writer; the bytes that
// that did not take are lost.
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

// Close writes the bytes that are held back, as if the text ended here. A Write after it continues from
// there.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = nil
	if len(w.held) > 0 {
		w.writeCertain(w.held, true)
	}
	w.held, w.scan.covered = w.held[:0], 0
	return w.err
}

// writeCertain writes as much of b as is certain, and returns how much that is.
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
