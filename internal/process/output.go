package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

// A HeadTail is a writer that keeps the beginning and the end of what is written to it,
// in bounded memory, and counts all of it. It may be read while it is written.
type HeadTail struct {
	mu       sync.Mutex
	head     []byte
	tail     []byte // a ring once it is full; start is its oldest byte
	start    int
	headSize int
	tailSize int
	total    int64
}

// NewHeadTail keeps the first head and the last tail bytes.
func NewHeadTail(head, tail int) *HeadTail {
	return &HeadTail{headSize: max(head, 0), tailSize: max(tail, 0)}
}

// Write never fails.
func (h *HeadTail) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(p)
	h.total += int64(n)
	if room := h.headSize - len(h.head); room > 0 {
		k := min(room, len(p))
		h.head = append(h.head, p[:k]...)
		p = p[k:]
	}
	h.keepTail(p)
	return n, nil
}

func (h *HeadTail) keepTail(p []byte) {
	if len(p) >= h.tailSize {
		h.tail, h.start = append(h.tail[:0], p[len(p)-h.tailSize:]...), 0
		return
	}
	if room := h.tailSize - len(h.tail); room > 0 {
		k := min(room, len(p))
		h.tail = append(h.tail, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(h.tail[h.start:], p)
		h.start = (h.start + k) % h.tailSize
		p = p[k:]
	}
}

// Size is how many bytes were written.
func (h *HeadTail) Size() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.total
}

// Parts gives what was kept of the beginning and of the end, and how many bytes between
// them were cut. Nothing was cut: head is everything and tail is empty. Where it was cut,
// no character is left in halves.
func (h *HeadTail) Parts() (head, tail []byte, cut int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	head = append([]byte(nil), h.head...)
	tail = append(append([]byte(nil), h.tail[h.start:]...), h.tail[:h.start]...)
	if h.total == int64(len(head)+len(tail)) {
		return append(head, tail...), nil, 0
	}
	head, tail = wholeEnd(head), wholeStart(tail)
	return head, tail, h.total - int64(len(head)+len(tail))
}

// String is what was kept, with a line in the place of what was cut.
func (h *HeadTail) String() string {
	head, tail, cut := h.Parts()
	if cut == 0 {
		return string(head)
	}
	return fmt.Sprintf("%s\n[%d bytes cut]\n%s", head, cut, tail)
}

// wholeEnd takes a character off the end that only begins there.
func wholeEnd(p []byte) []byte {
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return p[:i]
			}
			break
		}
	}
	return p
}

// wholeStart takes a character off the start that only ends there.
func wholeStart(p []byte) []byte {
	for i := 0; i < len(p) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(p[i]) {
			return p[i:]
		}
	}
	return p
}

// A Sink writes everything to a file, and keeps the beginning and the end at hand. What
// cannot be written (a full disk) never stops the child: the sink goes on taking, and
// Close says what was lost.
type Sink struct {
	*HeadTail
	mu   sync.Mutex
	file *os.File
	to   []io.Writer // those that have not failed; the file first
	err  error
}

// NewSink makes the file, or empties it, and gives what is written to the others as well.
func NewSink(path string, head, tail int, also ...io.Writer) (*Sink, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	s := &Sink{HeadTail: NewHeadTail(head, tail), file: f, to: []io.Writer{f}}
	for _, w := range also {
		if w != nil {
			s.to = append(s.to, w)
		}
	}
	return s, nil
}

// Write never fails; see Err. A writer that failed gets no more, so that what it has is
// at least a beginning without a hole.
func (s *Sink) Write(p []byte) (int, error) {
	s.HeadTail.Write(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.to[:0]
	for _, w := range s.to {
		n, err := w.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		if err != nil {
			s.err = errors.Join(s.err, err)
			continue
		}
		kept = append(kept, w)
	}
	clear(s.to[len(kept):])
	s.to = kept
	return len(p), nil
}

// Err is what could not be written so far.
func (s *Sink) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close closes the file and says, once, what could not be written.
func (s *Sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(s.err, s.file.Close())
	s.err = nil
	return err
}
