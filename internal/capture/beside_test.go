package capture

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A slowWriter takes a chunk only after a token for it has come.
type slowWriter struct {
	tokens chan struct{}
	got    bytes.Buffer
}

func (w *slowWriter) Write(p []byte) (int, error) {
	<-w.tokens
	return w.got.Write(p)
}

// What is written beside arrives whole and in its order, however it is cut.
func TestBesideKeepsTheOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var want, got bytes.Buffer
	w := newBesideWriter(&got)
	for want.Len() < 4*besideFrom {
		p := make([]byte, random.IntN(3*chunkSize))
		for i := range p {
			p[i] = byte(random.Uint32())
		}
		want.Write(p)
		if n, err := w.Write(p); n != len(p) || err != nil {
			t.Fatal(n, err)
		}
		clear(p) // the caller uses its buffer again
		if random.IntN(20) == 0 {
			w.finish()
			if got.Len() != want.Len() {
				t.Fatalf("%d bytes of %d are there when nothing waits", got.Len(), want.Len())
			}
		}
	}
	w.finish()
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes came out, %d went in, and they differ", got.Len(), want.Len())
	}
}

// A small output is passed on at once, without another goroutine.
func TestSmallOutputIsNotPassedOnBeside(t *testing.T) {
	var got bytes.Buffer
	w := newBesideWriter(&got)
	for range besideFrom/100 - 1 {
		w.Write(make([]byte, 100))
	}
	if w.working || int64(got.Len()) != w.seen {
		t.Errorf("working: %v, %d bytes of %d are there", w.working, got.Len(), w.seen)
	}
}

// A writer that does not take what waits holds the child back, and not more than a little memory.
func TestBesideIsBounded(t *testing.T) {
	slow := &slowWriter{tokens: make(chan struct{}, 1000)}
	slow.tokens <- struct{}{} // for what makes the output a large one
	w := newBesideWriter(slow)
	w.Write(make([]byte, besideFrom-1))
	const room = (maxChunks + 1) * chunkSize
	written := make(chan int)
	go func() {
		n := 0
		for range 4 * room / chunkSize {
			w.Write(make([]byte, chunkSize))
			n += chunkSize
			written <- n
		}
		close(written)
	}()
	for n := range written {
		if n >= room-chunkSize {
			break
		}
	}
	w.mu.Lock()
	if len(w.waiting) > maxChunks || len(w.waiting)+len(w.spare) > maxChunks+1 {
		t.Errorf("%d chunks wait, %d are spare", len(w.waiting), len(w.spare))
	}
	w.mu.Unlock()
	for range 4 * room / chunkSize {
		slow.tokens <- struct{}{}
	}
	for range written {
	}
	w.finish()
	if want := besideFrom - 1 + 4*room; slow.got.Len() != want || len(w.spare) > maxChunks+1 {
		t.Errorf("%d bytes came out, want %d; %d chunks were made", slow.got.Len(), want, len(w.spare))
	}
}
