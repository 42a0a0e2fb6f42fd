package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"unicode/utf8"
)

// A HeadTail is a writer that keeps the first and the last bytes written to it, in bounded memory, and
// counts all of them. It is safe for concurrent use.
type HeadTail struct {
	mu       sync.Mutex
	head     []byte
	tail     []byte // ends in the last tailSize bytes
	headSize int
	tailSize int
	total    int64
}

// NewHeadTail returns a HeadTail that keeps the first head and the last tail bytes.
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

// keepTail appends p to the tail, and drops old bytes whenever there are as many of them as of those to
// keep, so that a byte is moved once on average. It must be called with h.mu held.
func (h *HeadTail) keepTail(p []byte) {
	p = p[max(len(p)-h.tailSize, 0):]
	if old := len(h.tail) + len(p) - h.tailSize; old > h.tailSize {
		h.tail = slices.Delete(h.tail, 0, old)
	}
	h.tail = append(h.tail, p...)
}

// Size returns how many bytes were written.
func (h *HeadTail) Size() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.total
}

// Parts returns the kept beginning and end, and how many bytes between them were cut. If none were cut,
// head is everything and tail is empty. A UTF-8 character at a cut is dropped whole.
func (h *HeadTail) Parts() (head, tail []byte, cut int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	head, tail = slices.Clone(h.head), slices.Clone(h.tail[max(len(h.tail)-h.tailSize, 0):])
	if h.total == int64(len(head)+len(tail)) {
		return append(head, tail...), nil, 0
	}
	head, tail = wholeEnd(head), wholeStart(tail)
	return head, tail, h.total - int64(len(head)+len(tail))
}

// String returns the kept bytes, with a line in the place of those that were cut.
func (h *HeadTail) String() string {
	head, tail, cut := h.Parts()
	if cut == 0 {
		return string(head)
	}
	return fmt.Sprintf("%s\n[%d bytes cut]\n%s", head, cut, tail)
}

// wholeEnd returns p without an incomplete character at its end.
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

// wholeStart returns p without an incomplete character at its start.
func wholeStart(p []byte) []byte {
	for i := 0; i < len(p) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(p[i]) {
			return p[i:]
		}
	}
	return p
}

// A Sink writes everything to a file of bounded size and to other writers. An error of one of them (a full disk) never
// stops the child that prints: Write succeeds, and Close returns the error.
type Sink struct {
	mu   sync.Mutex
	file *BoundedFile
	to   []io.Writer // those that have not failed; the file first
	err  error
}

// NewSink creates or truncates the file at path. The file keeps the start and the end of what is more than
// limit bytes; 0 is DefaultFileLimit. The sink writes to the others as well; nil ones are skipped.
func NewSink(path string, limit int64, also ...io.Writer) (*Sink, error) {
	f, err := OpenBounded(path, os.O_TRUNC, limit)
	if err != nil {
		return nil, err
	}
	to := slices.Concat([]io.Writer{f}, also)
	return &Sink{file: f, to: slices.DeleteFunc(to, func(w io.Writer) bool { return w == nil })}, nil
}

// Write never fails; see Close. A writer that failed is not written to again, so that it has at least a
// beginning without a hole.
func (s *Sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = slices.DeleteFunc(s.to, func(w io.Writer) bool {
		n, err := w.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		if err != nil {
			s.err = errors.Join(s.err, err)
		}
		return err != nil
	})
	return len(p), nil
}

// Cut returns how many bytes the file does not have, because it would be too large.
func (s *Sink) Cut() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.Cut()
}

// Close closes the file and returns the errors of all writes.
func (s *Sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.err, s.file.Close())
}
