package capture

import (
	"io"
	"sync"
)

const (
	// besideFrom is from how many bytes on an output counts as large.
	besideFrom = 1 << 20
	// chunkSize and maxChunks bound how much of a large output waits.
	chunkSize = 64 << 10
	maxChunks = 8
)

// A besideWriter passes a large output on in another goroutine, in its order, so that the next bytes are read
// from the child and stored meanwhile. A small output it passes on at once. The goroutine ends whenever nothing
// waits, so that an output that is never finished leaves none behind. Write never fails; it is not safe for
// concurrent use.
type besideWriter struct {
	to   io.Writer // its errors are ignored
	seen int64

	mu      sync.Mutex
	changed sync.Cond // of what follows
	waiting [][]byte  // chunks, the oldest first
	spare   [][]byte  // chunks that were passed on
	working bool      // a goroutine passes chunks on
}

func newBesideWriter(to io.Writer) *besideWriter {
	w := &besideWriter{to: to}
	w.changed.L = &w.mu
	return w
}

// Write takes a copy of p. It waits while too much does.
func (w *besideWriter) Write(p []byte) (int, error) {
	if w.seen += int64(len(p)); w.seen < besideFrom {
		_, _ = w.to.Write(p)
		return len(p), nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := p; len(rest) > 0; {
		rest = w.queue(rest)
		if !w.working {
			w.working = true
			go w.passOn()
		}
	}
	return len(p), nil
}

// queue copies the start of p into the newest chunk, or into another one, and returns the rest. It must be called
// with mu held.
func (w *besideWriter) queue(p []byte) (rest []byte) {
	if n := len(w.waiting); n == 0 || len(w.waiting[n-1]) == chunkSize {
		for len(w.waiting) == maxChunks {
			w.changed.Wait()
		}
		w.waiting = append(w.waiting, w.takeSpare())
	}
	last := &w.waiting[len(w.waiting)-1]
	n := min(len(p), chunkSize-len(*last))
	*last = append(*last, p[:n]...)
	return p[n:]
}

// takeSpare returns an empty chunk. It must be called with mu held.
func (w *besideWriter) takeSpare() []byte {
	if n := len(w.spare); n > 0 {
		chunk := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return chunk[:0]
	}
	return make([]byte, 0, chunkSize)
}

// passOn passes on what waits, until nothing does.
func (w *besideWriter) passOn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) > 0 {
		chunk := w.waiting[0]
		w.waiting = append(w.waiting[:0], w.waiting[1:]...)
		w.mu.Unlock()
		_, _ = w.to.Write(chunk)
		w.mu.Lock()
		w.spare = append(w.spare, chunk)
		w.changed.Broadcast()
	}
	w.working = false
	w.changed.Broadcast()
}

// finish waits until everything is passed on.
func (w *besideWriter) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.working {
		w.changed.Wait()
	}
}
