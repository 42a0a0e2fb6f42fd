// Package bytescan finds the places of a text that are worth a second look.
package bytescan

// A Set is a set of bytes.
type Set [256]bool

// A Word is what a text may hold at a place: a set for each of its first bytes.
type Word []Set

// A Finder finds the places at which one of its words may begin: it looks at their first bytes alone.
type Finder struct{ first Set }

// IsFast reports whether a Finder is faster than to look at each line.
func IsFast() bool { return false }

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
		for c, in := range w[0] {
			f.first[c] = f.first[c] || in
		}
	}
	return f
}

// Next returns the first place from i on at which a word may begin, or len(p) if there is none.
func (f *Finder) Next(p []byte, i int) int {
	for i < len(p) && !f.first[p[i]] {
		i++
	}
	return i
}
