package redact

import (
	"cmp"
	"slices"
)

// lookBack is how much of what came before a text a shape may look at.
const lookBack = 24

// A view is a text that a pattern looks at.
type view struct {
	before []byte // what came before b, at most lookBack bytes
	b      []byte
	final  bool // nothing comes after b
}

// textBefore is what stands before `at`, at most lookBack bytes.
func (v view) textBefore(at int) []byte {
	if at >= lookBack || len(v.before) == 0 {
		return v.b[max(at-lookBack, 0):at]
	}
	joined := slices.Concat(v.before, v.b[:at])
	return joined[max(len(joined)-lookBack, 0):]
}

// A scanner goes through a text that comes in pieces.
type scanner struct {
	*index
	before  []byte // the end of what is done with
	covered int    // so much of the next piece belongs to a secret that was replaced already
	spans   []span // found and not replaced yet
}

// scan looks at b, which begins where the last piece was done with, and says up to where
// it is certain. What is beyond is to be given again, with more behind it.
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

// render gives out the first n bytes of b, which scan was certain of. Secrets that touch
// each other's text are one: what two have in common hides neither's rest.
func (s *scanner) render(b []byte, n int, clean func([]byte), secret func(name string)) {
	slices.SortStableFunc(s.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), compareBool(a.shape, b.shape))
	})
	done, end := min(s.covered, n), s.covered
	later := s.spans[:0]
	for _, sp := range s.spans {
		switch {
		case sp.start >= n:
			later = append(later, span{sp.start - n, sp.end - n, sp.name, sp.shape})
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

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// rememberEnd keeps the end of what is done with, which tells how the next piece begins.
func (s *scanner) rememberEnd(b []byte) {
	if len(b) >= lookBack {
		s.before = append(s.before[:0], b[len(b)-lookBack:]...)
		return
	}
	s.before = append(s.before, b...)
	if extra := len(s.before) - lookBack; extra > 0 {
		s.before = slices.Delete(s.before, 0, extra)
	}
}
