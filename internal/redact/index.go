package redact

import (
	"encoding/binary"
)

// A pattern is one secret, or one shape of them.
type pattern struct {
	name string
	// head is how it begins, at least headSize bytes; all of it where there is no rest.
	head string
	// match says what of v is the secret, where the head stands at `at`. It may look at
	// what is before the head, and names a span that begins at `at` or later.
	match func(v view, at int) (span, decision)
}

// A span is a part of a text that is a secret.
type span struct {
	start, end int
	name       string
	shape      bool // known by its shape: where a variable has the same text, its name says more
}

// An decision says whether something is there.
type decision int

const (
	no decision = iota
	yes
	undecided // what comes next decides
)

// An index finds the places where a pattern may begin. All but a few are passed over by a
// look at two bytes, every other byte: this is what every byte that a child prints goes
// through.
type index struct {
	begin   [256]bool    // first bytes of heads
	first   [1024]uint64 // first pairs of heads, a bit each
	pairs   [1024]uint64 // first and second pairs
	triples [1024]uint64 // first three bytes, by their hash
	heads   map[uint32][]pattern
}

const headSize = 3

func (x *index) addPattern(p pattern) {
	if x.heads == nil {
		x.heads = map[uint32][]pattern{}
	}
	h := p.head
	first, second := uint16(h[0])|uint16(h[1])<<8, uint16(h[1])|uint16(h[2])<<8
	x.begin[h[0]] = true
	setBit(&x.first, first)
	setBit(&x.pairs, first)
	setBit(&x.pairs, second)
	key := headKey([]byte(h))
	setBit(&x.triples, hashKey(key))
	x.heads[key] = append(x.heads[key], p)
}

func setBit(bits *[1024]uint64, n uint16)      { bits[n>>6] |= 1 << (n & 63) }
func hasBit(bits *[1024]uint64, n uint16) bool { return bits[n>>6]>>(n&63)&1 != 0 }

func headKey(b []byte) uint32   { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
func hashKey(key uint32) uint16 { return uint16(key * 0x9E3779B1 >> 16) }

// next is the first place from i on where three bytes are those of a head; len(b) where
// there is none.
func (x *index) next(b []byte, i int) int {
	from := i
	for ; i+10 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		a, c, d, e := uint16(w), uint16(w>>16), uint16(w>>32), uint16(w>>48)
		hit := x.pairs[a>>6]>>(a&63) | x.pairs[c>>6]>>(c&63) | x.pairs[d>>6]>>(d&63) | x.pairs[e>>6]>>(e&63)
		if hit&1 == 0 {
			continue
		}
		for k, pair := range [4]uint16{a, c, d, e} {
			if !hasBit(&x.pairs, pair) {
				continue
			}
			// A head at an odd place shows by its second pair: it began one before.
			at := i + 2*k
			if at > from && x.isHeadAt(b, at-1) {
				return at - 1
			}
			if x.isHeadAt(b, at) {
				return at
			}
		}
	}
	for at := max(i-1, from); at+headSize <= len(b); at++ {
		if x.isHeadAt(b, at) {
			return at
		}
	}
	return len(b)
}

func (x *index) isHeadAt(b []byte, at int) bool { return hasBit(&x.triples, hashKey(headKey(b[at:]))) }

// findPartialHead is where the end of b may be the beginning of a head; len(b) where it is not.
func (x *index) findPartialHead(b []byte, from int) int {
	n := len(b)
	if n-2 >= from && hasBit(&x.first, uint16(b[n-2])|uint16(b[n-1])<<8) {
		return n - 2
	}
	if n-1 >= from && x.begin[b[n-1]] {
		return n - 1
	}
	return n
}

// matchAt adds what begins at `at` to spans. It says false where what comes next decides.
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
		s, is := p.match(v, at)
		switch is {
		case undecided:
			return spans, false
		case yes:
			s.name, s.shape = p.name, true
			spans = append(spans, s)
		}
	}
	return spans, true
}
