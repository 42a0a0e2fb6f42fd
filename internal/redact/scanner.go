package redact

import (
	"cmp"
	"slices"
)

// lookBack is how many bytes before a text a shape may look at.
const lookBack = 24

// A view is a text that a pattern looks at.
type view struct {
	before []byte // the text before b, at most lookBack bytes
	b      []byte
	final  bool // no text follows b
}

// textBefore returns the text before `at`, at most lookBack bytes.
func (v view) textBefore(at int) []byte {
	if at >= lookBack || len(v.before) == 0 {
		return v.b[max(at-lookBack, 0):at]
	}
	joined := slices.Concat(v.before, v.b[:at])
	return joined[max(len(joined)-lookBack, 0):]
}

// countRun counts the bytes from i on of which in is true, up to most.
func (v view) countRun(i, most int, in func(byte) bool) (n int) {
	for n < most && i+n < len(v.b) && in(v.b[i+n]) {
		n++
	}
	return n
}

// isOpenAt reports whether the text that follows b decides what is at i.
func (v view) isOpenAt(i int) bool { return i >= len(v.b) && !v.final }

// A scanner finds the secrets of a text that comes in pieces.
type scanner struct {
	*index
	before  []byte // the end of the text that is rendered
	covered int    // how much of the next piece belongs to a secret that is replaced already
	spans   []span // secrets that are found and not rendered yet
}

// scan finds the secrets of b, which continues the text that is rendered, and returns up to where they
// are certain. The caller must pass the rest again, with more text after it. final means that no text
// follows.
func (s *scanner) scan(b []byte, final bool) int {
	v := view{before: s.before, b: b, final: final}
	for at := 0; ; at++ {
		if at = s.next(b, at); at == len(b) {
			break
		}
		n := len(s.spans)
		var certain bool
		if s.spans, certain = s.matchAt(v, at, s.spans); !certain {
			s.spans = s.spans[:n]
			return at
		}
	}
	if final {
		return len(b)
	}
	return s.findPartialHead(b, 0)
}

// render calls clean and secret for the first n bytes of b, of which scan was certain. Secrets that
// overlap are one, so that no rest of either is left.
func (s *scanner) render(b []byte, n int, clean func([]byte), secret func(name string)) {
	slices.SortStableFunc(s.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.rank, b.rank))
	})
	done, end := min(s.covered, n), s.covered
	later := s.spans[:0]
	for _, sp := range s.spans {
		switch {
		case sp.start >= n:
			later = append(later, span{sp.start - n, sp.end - n, sp.name, sp.rank})
			continue
		case sp.start >= end:
			if sp.start > done {
				clean(b[done:sp.start])
			}
			secret(sp.name)
		}
		end = max(end, sp.end)
		done = min(end, n)
	}
	if done < n {
		clean(b[done:n])
	}
	s.spans, s.covered = later, max(end-n, 0)
	s.rememberEnd(b[:n])
}

// rememberEnd stores the end of the text that is rendered, for views of the next piece.
func (s *scanner) rememberEnd(b []byte) {
	s.before = append(s.before, b[max(len(b)-lookBack, 0):]...)
	s.before = slices.Delete(s.before, 0, max(len(s.before)-lookBack, 0))
}
