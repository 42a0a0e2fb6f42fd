package redact

import "encoding/binary"

// A pattern matches one secret, or the secrets of one shape.
type pattern struct {
	name string
	// head is the secret's beginning, at least headSize bytes, or all of it if match is nil.
	head string
	// match returns the part of v that is the secret, with the head at `at`. It may look at the text
	// before the head, and returns a span that begins at `at` or later.
	match func(v view, at int) (span, decision)
}

// A span is a part of a text that is a secret.
type span struct {
	start, end int
	name       string
	rank       int // 1 if known by its shape only: the name of a variable with the same text is preferred
}

// A decision tells whether a pattern matches.
type decision int

const (
	no decision = iota
	yes
	undecided // the text that follows decides
)

// An index finds the positions at which a pattern may begin. Every byte that a child prints passes through
// it: the tables of pairs of bytes pass over almost all of a text.
type index struct {
	begin  [256]bool     // first bytes of heads
	first  [1 << 16]bool // first and second
	second [1 << 16]bool // second and third
	heads  map[uint32][]pattern
}

const headSize = 3

// addPattern adds a pattern. It must not be called once the index is in use.
func (x *index) addPattern(p pattern) {
	if x.heads == nil {
		x.heads = map[uint32][]pattern{}
	}
	h := []byte(p.head)
	x.begin[h[0]] = true
	x.first[pairKey(h)] = true
	x.second[pairKey(h[1:])] = true
	x.heads[headKey(h)] = append(x.heads[headKey(h)], p)
}

func pairKey(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func headKey(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// next returns the first position from i on at which three bytes are those of a head, or len(b) if there
// is none.
func (x *index) next(b []byte, i int) int {
	if i+headSize > len(b) {
		return len(b)
	}
	p := b[i:]
	for k, second := range p[1 : len(p)-1] {
		if x.first[uint16(p[k])|uint16(second)<<8] && x.second[pairKey(p[k+1:])] && len(x.heads[headKey(p[k:])]) > 0 {
			return i + k
		}
	}
	return len(b)
}

// findPartialHead returns the position from which the end of b may be the beginning of a head, or len(b)
// if there is none.
func (x *index) findPartialHead(b []byte, from int) int {
	n := len(b)
	if n-2 >= from && x.first[pairKey(b[n-2:])] {
		return n - 2
	}
	if n-1 >= from && x.begin[b[n-1]] {
		return n - 1
	}
	return n
}

// matchAt appends the secrets that begin at `at` to spans. It returns false if the text that follows
// decides.
func (x *index) matchAt(v view, at int, spans []span) ([]span, bool) {
	rest := v.b[at:]
	for _, p := range x.heads[headKey(rest)] {
		if len(rest) < len(p.head) {
			if !v.final && p.head[:len(rest)] == string(rest) {
				return spans, false
			}
			continue
		}
		if string(rest[:len(p.head)]) != p.head {
			continue
		}
		if p.match == nil {
			spans = append(spans, span{start: at, end: at + len(p.head), name: p.name})
			continue
		}
		switch s, is := p.match(v, at); is {
		case undecided:
			return spans, false
		case yes:
			s.name, s.rank = p.name, 1
			spans = append(spans, s)
		default:
		}
	}
	return spans, true
}
