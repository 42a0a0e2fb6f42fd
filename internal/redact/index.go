package redact

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"mulligan/internal/bytescan"
)

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

// An index finds the positions at which a pattern may begin. It skips almost all of a text by looking at
// pairs of bytes at every other position, since every byte that a child prints passes through it.
type index struct {
	begin   [256]bool    // first bytes of heads
	first   [1024]uint64 // first pairs of heads, a bit each
	pairs   [1024]uint64 // first and second pairs
	triples [1024]uint64 // first three bytes, by their hash
	heads   map[uint32][]pattern

	// getFinder returns the finder of the heads, or nil where next is faster without one. It makes it when it is
	// first asked, which takes about a millisecond.
	getFinder func() *bytescan.Finder
	seen      atomic.Int64 // bytes of long texts, up to manyBytes
}

const headSize = 3

// addPattern adds a pattern. It must not be called once the index is in use.
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

const (
	// longText is from how many bytes on a text is worth a finder, once there were manyBytes of such texts.
	longText  = 4 << 10
	manyBytes = 1 << 20
	// maxChance is how often a finder may be wrong and still be faster than pairs: an environment with very many
	// secrets has one that finds something everywhere.
	maxChance = 0.05
)

// makeFinder returns the finder of the heads, or nil if it would not be fast.
func (x *index) makeFinder() *bytescan.Finder {
	if !bytescan.IsFast() {
		return nil
	}
	var starts []string
	for _, patterns := range x.heads {
		for _, p := range patterns {
			starts = append(starts, p.head[:min(len(p.head), 4)])
		}
	}
	slices.Sort(starts)
	var words []bytescan.Word
	for _, start := range slices.Compact(starts) {
		words = append(words, bytescan.Literal(start))
	}
	if f := bytescan.NewFinder(words); f.Chance() <= maxChance {
		return f
	}
	return nil
}

// next returns the first position from i on at which three bytes may be those of a head, or len(b) if
// there is none.
func (x *index) next(b []byte, i int) int {
	if len(b) >= longText && x.isBusy(len(b)-i) {
		if f := x.getFinder(); f != nil {
			return x.nextFound(f, b, i)
		}
	}
	return x.nextPair(b, i)
}

// isBusy reports whether there is so much to search that a finder is worth making. n is how much there is now; a
// text may be counted more than once.
func (x *index) isBusy(n int) bool {
	return x.seen.Load() >= manyBytes || x.seen.Add(int64(n)) >= manyBytes
}

// nextFound is next with a finder.
func (x *index) nextFound(f *bytescan.Finder, b []byte, i int) int {
	for ; ; i++ {
		if i = f.Next(b, i); i+headSize > len(b) {
			return len(b)
		}
		if x.isHeadAt(b, i) {
			return i
		}
	}
}

// nextPair is next without one.
func (x *index) nextPair(b []byte, i int) int {
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
			// A head at an odd position is found by its second pair: it begins one before.
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

// isHeadAt reports whether the three bytes at a position may be those of a head.
func (x *index) isHeadAt(b []byte, at int) bool { return hasBit(&x.triples, hashKey(headKey(b[at:]))) }

// findPartialHead returns the position from which the end of b may be the beginning of a head, or len(b)
// if there is none.
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
