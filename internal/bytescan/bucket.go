package bytescan

import "math/bits"

// halves tell words apart by the halves of their bytes alone: they have every byte whose lower half and whose upper
// half occur at that place.
type halves struct {
	low, high [window]uint16 // a bit for each half
}

// newHalves returns the halves of one word.
func newHalves(w Word) (h halves) {
	for k := range window {
		if k >= len(w) {
			h.low[k], h.high[k] = 0xffff, 0xffff
			continue
		}
		for c, in := range w[k] {
			if in {
				h.low[k] |= 1 << (c & 15)
				h.high[k] |= 1 << (c >> 4)
			}
		}
	}
	return h
}

// has reports whether they have a byte at a place.
func (h *halves) has(k int, c byte) bool { return h.low[k]>>(c&15)&(h.high[k]>>(c>>4))&1 != 0 }

// begins reports whether p begins with them, as far as it goes.
func (h *halves) begins(p []byte) bool {
	for k := range min(window, len(p)) {
		if !h.has(k, p[k]) {
			return false
		}
	}
	return true
}

// A known is a word as it is compared with a text: the first four bytes of the text without the bits that do not
// matter, and the halves where that is not all.
type known struct {
	halves
	matters, value uint32
	simple         bool // the value tells all
}

// newKnown returns the word of halves.
func newKnown(h halves) known {
	w := known{halves: h, simple: true}
	for k := range window {
		low, high, shift := h.low[k], h.high[k], 8*k
		single := bits.OnesCount16(low) == 1
		c := uint32(bits.TrailingZeros16(high)<<4 | bits.TrailingZeros16(low))
		switch {
		case low&high == 0xffff: // any byte
		case single && bits.OnesCount16(high) == 1:
			w.matters |= 0xff << shift
			w.value |= c << shift
		case single && (high == 1<<4|1<<6 || high == 1<<5|1<<7): // a letter in both cases
			w.matters |= 0xdf << shift
			w.value |= c << shift
		default:
			w.simple = false
		}
	}
	return w
}

// A bucket is words whose halves are looked for together.
type bucket struct {
	halves
	words  []known
	chance float64 // about how probable it is that an ordinary text has their halves at a place
}

// join returns the bucket with the halves of another word. It does not have the word yet.
func (b bucket) join(w halves) bucket {
	b.chance = 1
	for k := range window {
		b.low[k] |= w.low[k]
		b.high[k] |= w.high[k]
		b.chance *= b.chanceAt(k)
	}
	return b
}

// takeFirst takes the first word out.
func (b *bucket) takeFirst() halves {
	first, rest := b.words[0], b.words[1:]
	*b = bucket{}
	for _, w := range rest {
		*b = b.join(w.halves)
	}
	b.words = rest
	return first.halves
}

// chanceAt returns about how probable it is that an ordinary text has one of the bytes.
func (h *halves) chanceAt(k int) (sum float64) {
	if h.low[k]&h.high[k] == 0xffff {
		return 1
	}
	for high := h.high[k]; high != 0; high &= high - 1 {
		row := bits.TrailingZeros16(high) << 4
		for low := h.low[k]; low != 0; low &= low - 1 {
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
