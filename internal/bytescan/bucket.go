package bytescan

import "math/bits"

// A bucket is words that are told apart by the halves of their bytes alone: it has every byte whose lower half
// and whose upper half occur at that place.
type bucket struct {
	used      bool
	low, high [window]uint16 // a bit for each half
	chance    float64        // about how probable it is that an ordinary text has one of them at a place
}

// newBucket returns the bucket of one word.
func newBucket(w Word) bucket {
	b := bucket{used: true}
	for k := range window {
		if k >= len(w) {
			b.low[k], b.high[k] = 0xffff, 0xffff
			continue
		}
		for c, in := range w[k] {
			if in {
				b.low[k] |= 1 << (c & 15)
				b.high[k] |= 1 << (c >> 4)
			}
		}
	}
	return b
}

// join returns the bucket of the words of both.
func (b bucket) join(o bucket) bucket {
	b.used = true
	b.chance = 1
	for k := range window {
		b.low[k] |= o.low[k]
		b.high[k] |= o.high[k]
		b.chance *= b.chanceAt(k)
	}
	return b
}

// has reports whether the bucket has a byte at a place of its words.
func (b *bucket) has(k int, c byte) bool { return b.low[k]>>(c&15)&1 != 0 && b.high[k]>>(c>>4)&1 != 0 }

// chanceAt returns about how probable it is that an ordinary text has one of the bytes.
func (b *bucket) chanceAt(k int) (sum float64) {
	if b.low[k]&b.high[k] == 0xffff {
		return 1
	}
	for high := b.high[k]; high != 0; high &= high - 1 {
		row := bits.TrailingZeros16(high) << 4
		for low := b.low[k]; low != 0; low &= low - 1 {
			sum += frequencies[row|bits.TrailingZeros16(low)]
		}
	}
	return sum
}

// frequencies are about how frequent the bytes are in what programs print.
var frequencies = func() (f [256]float64) {
	sum := 0.0
	for c := range f {
		switch {
		case c == ' ':
			f[c] = 12
		case c >= 'a' && c <= 'z':
			f[c] = 2.3
		case c >= '0' && c <= '9':
			f[c] = 1.2
		case c >= 'A' && c <= 'Z':
			f[c] = 0.4
		case c == '/', c == '.', c == '-', c == '_', c == ':', c == '"', c == ',', c == '\n':
			f[c] = 1.5
		case c > ' ' && c < 0x7f:
			f[c] = 0.3
		default:
			f[c] = 0.02
		}
		sum += f[c]
	}
	for c := range f {
		f[c] /= sum
	}
	return f
}()
