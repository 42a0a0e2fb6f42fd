// Package bytescan finds the places of a large text that are worth a second look, many bytes at a time.
package bytescan

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

const (
	// window is how many bytes of a place are looked at.
	window  = 4
	buckets = 16
)

// A Set is a set of bytes.
type Set [256]bool

// A Word is what a text may hold at a place: a set for each of its first bytes. Those after the fourth do not
// count, and where it has fewer any byte may follow. A set that is not all pairs of some lower and some upper
// halves of bytes counts as if it were.
type Word []Set

// A Finder finds the places at which one of its words may begin. It misses none. It is immutable, and so safe for
// concurrent use.
type Finder struct {
	buckets [buckets]bucket
	// tables are those of the buckets as the processor wants them, by the lower and by the upper half of each byte:
	// the first 16 bytes of a table are for buckets 0 to 7, the others for 8 to 15, with a bit for each of them.
	tables [2 * window][32]byte
	// accepts are the same by whole bytes.
	accepts [window][256]uint16
}

// IsFast reports whether this processor has what a Finder needs to be fast. Without it a Finder is slower
// than most ways to search.
func IsFast() bool { return hasVector }

// Literal returns the word that is a text.
func Literal(text string) Word {
	w := make(Word, min(len(text), window))
	for i := range w {
		w[i][text[i]] = true
	}
	return w
}

// OneOf returns the set of the bytes of a text.
func OneOf(bytes string) (s Set) {
	for i := range len(bytes) {
		s[bytes[i]] = true
	}
	return s
}

// NewFinder returns a Finder of words.
func NewFinder(words []Word) *Finder {
	f := &Finder{}
	for _, w := range words {
		f.addWord(newHalves(w))
	}
	for range settleRounds {
		for i := range f.buckets {
			for range f.buckets[i].words {
				f.addWord(f.buckets[i].takeFirst())
			}
		}
	}
	for i := range f.buckets {
		f.fillTables(i)
	}
	return f
}

// settleRounds is how often each word may move to another bucket, once all of them have one.
const settleRounds = 2

// addWord adds a word to the bucket that it makes the least more probable.
func (f *Finder) addWord(w halves) {
	best, least := 0, math.Inf(1)
	for i, b := range f.buckets {
		if more := b.join(w).chance - b.chance; more < least {
			best, least = i, more
		}
		if len(b.words) == 0 {
			break // the other empty ones are no better
		}
	}
	f.buckets[best] = f.buckets[best].join(w)
	f.buckets[best].words = append(f.buckets[best].words, newKnown(w))
}

// Chance returns about how probable it is that a place of an ordinary text needs a second look though no word
// begins there. That makes Next slow.
func (f *Finder) Chance() (sum float64) {
	for _, b := range f.buckets {
		sum += b.chance
	}
	return sum
}

// fillTables puts a bucket into the tables.
func (f *Finder) fillTables(n int) {
	lane, bit := 16*(n/8), byte(1)<<(n%8)
	for k := range window {
		for half := range 16 {
			if f.buckets[n].low[k]>>half&1 != 0 {
				f.tables[2*k][lane+half] |= bit
			}
			if f.buckets[n].high[k]>>half&1 != 0 {
				f.tables[2*k+1][lane+half] |= bit
			}
		}
		for c := range 256 {
			if f.buckets[n].has(k, byte(c)) {
				f.accepts[k][c] |= 1 << n
			}
		}
	}
}

// Next returns the first place from i on at which a word may begin, or len(p) if there is none. The words
// that reach beyond the end of p count.
func (f *Finder) Next(p []byte, i int) int {
	for n := f.countPlaces(p, i); n > 0; n = f.countPlaces(p, i) {
		at := findVector(&f.tables, &p[i], n)
		i += at
		if at == n {
			break
		}
		if f.mayBegin(p[i:]) {
			return i
		}
		i++
	}
	for ; i < len(p); i++ {
		if f.mayBegin(p[i:]) {
			return i
		}
	}
	return len(p)
}

// countPlaces returns how many places from i on the processor can look at together.
func (f *Finder) countPlaces(p []byte, i int) int {
	if !hasVector {
		return 0
	}
	return max(len(p)-i-(window-1), 0) &^ 15
}

// mayBegin reports whether a word may begin with the first byte of p.
func (f *Finder) mayBegin(p []byte) bool {
	if len(p) < window {
		return f.mayEnd(p)
	}
	first := binary.LittleEndian.Uint32(p)
	in := f.accepts[0][p[0]] & f.accepts[1][p[1]] & f.accepts[2][p[2]] & f.accepts[3][p[3]]
	for ; in != 0; in &= in - 1 {
		words := f.buckets[bits.TrailingZeros16(in)].words
		for i := range words {
			if w := &words[i]; first&w.matters == w.value && (w.simple || w.begins(p)) {
				return true
			}
		}
	}
	return false
}

// mayEnd reports whether a word may begin with p, which is shorter than a window, and go on after it.
func (f *Finder) mayEnd(p []byte) bool {
	return slices.ContainsFunc(f.buckets[:], func(b bucket) bool {
		return slices.ContainsFunc(b.words, func(w known) bool { return w.begins(p) })
	})
}
