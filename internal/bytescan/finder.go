// Package bytescan finds the places of a large text that are worth a second look, many bytes at a time.
package bytescan

import "math"

const (
	// window is how many bytes of a place are looked at.
	window  = 4
	buckets = 16
)

// A Set is a set of bytes.
type Set [256]bool

// A Word is what a text may hold at a place: a set for each of its first bytes. Those after the fourth do not
// count, and where it has fewer any byte may follow.
type Word []Set

// A Finder finds the places at which one of its words may begin. It misses none, and finds some where none
// does. It is immutable, and so safe for concurrent use.
type Finder struct {
	// accepts has a bit for each bucket of words that may have the byte there.
	accepts [window][256]uint16
	// tables are the same by the lower and the upper half of a byte, as the processor wants them: the first 16
	// bytes of each are those of buckets 0 to 7, the others of 8 to 15.
	tables [2 * window][32]byte
	// chance is about how probable it is that a place of a text without any of the words is found.
	chance float64
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

// Fold returns the word that is a text, whatever the case of its ASCII letters.
func Fold(text string) Word {
	w := Literal(text)
	for i := range w {
		if c := text[i] | 0x20; c >= 'a' && c <= 'z' {
			w[i][c], w[i][c&^0x20] = true, true
		}
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

// NewFinder returns a Finder of words. Each of them goes to the bucket that it makes the least more probable.
func NewFinder(words []Word) *Finder {
	f := &Finder{}
	var all [buckets]bucket
	for _, w := range words {
		own, best, least := newBucket(w), 0, math.Inf(1)
		for i := range all {
			if more := all[i].join(own).chance - all[i].chance; more < least {
				best, least = i, more
			}
			if !all[i].used {
				break // the other empty ones are no better
			}
		}
		all[best] = all[best].join(own)
	}
	for i, b := range all {
		f.chance += b.chance
		f.addBucket(i, b)
	}
	return f
}

// Chance returns about how probable it is that a place of an ordinary text is found though no word begins
// there.
func (f *Finder) Chance() float64 { return f.chance }

// addBucket puts a bucket into the tables.
func (f *Finder) addBucket(n int, b bucket) {
	if !b.used {
		return
	}
	lane, bit := 16*(n/8), byte(1)<<(n%8)
	for k := range window {
		for half := range 16 {
			if b.low[k]>>half&1 != 0 {
				f.tables[2*k][lane+half] |= bit
			}
			if b.high[k]>>half&1 != 0 {
				f.tables[2*k+1][lane+half] |= bit
			}
		}
		for c := range 256 {
			if b.has(k, byte(c)) {
				f.accepts[k][c] |= 1 << n
			}
		}
	}
}

// Next returns the first place from i on at which a word may begin, or len(p) if there is none. The words
// that reach beyond the end of p count.
func (f *Finder) Next(p []byte, i int) int {
	if n := (len(p) - i - (window - 1)) &^ 15; hasVector && n > 0 {
		at := findVector(&f.tables, &p[i], n)
		if at < n {
			return i + at
		}
		i += n
	}
	for ; i < len(p); i++ {
		if f.mayBegin(p[i:]) {
			return i
		}
	}
	return len(p)
}

// mayBegin reports whether a word may begin with the first byte of p.
func (f *Finder) mayBegin(p []byte) bool {
	in := uint16(math.MaxUint16)
	for k := 0; k < window && k < len(p) && in != 0; k++ {
		in &= f.accepts[k][p[k]]
	}
	return in != 0
}
