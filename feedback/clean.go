package feedback

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// maxHeld bounds the bytes of a line that are held while it is read.
const maxHeld = 64 << 10

// escape is where in a terminal's escape sequence the reader is.
type escape uint8

const (
	ground      escape = iota
	escaped            // after ESC
	designating        // ESC and an intermediate: one more byte
	control            // CSI: parameters, then a final byte
	text               // OSC, DCS and their like: up to BEL or ST
	textEscaped        // ESC inside of such a text
)

// cleaner makes clean lines of raw bytes: escape sequences and control characters
// are taken out, a line that is drawn over again keeps its last state, and what is
// not UTF-8 is replaced. All its state is of the bytes seen, so it does not matter
// how they are split.
type cleaner struct {
	held     []byte
	lost     int64 // bytes of the line that were not held
	begun    bool  // the line has had a byte, though it may have left none
	wide     bool  // held has bytes beyond ASCII
	returned bool  // a carriage return came: what follows draws over the line
	state    escape
	params   []byte // of a control sequence; only the first few matter
}

// idle says that nothing of a line has been read yet.
func (c *cleaner) idle() bool { return !c.begun }

// pending says that a line was begun and has something to show.
func (c *cleaner) pending() bool { return len(c.held) > 0 || c.lost > 0 }

// take gives the line that ended and begins the next. The line is valid until feed
// is called again.
func (c *cleaner) take() (line []byte, lost int64) {
	line, lost = c.held, c.lost
	if lost > 0 {
		line = wholeRunes(line)
	}
	if c.wide {
		line = validText(line)
	}
	c.held, c.lost = c.held[:0], 0
	c.begun, c.wide, c.returned = false, false, false
	return line, lost
}

// feed reads up to the end of a line, and says whether it has come.
func (c *cleaner) feed(p []byte) (rest []byte, done bool) {
	c.begun = true
	for i := 0; i < len(p); {
		if c.state == ground {
			n, wide := ordinary(p[i:])
			if n > 0 {
				c.hold(p[i:i+n], wide)
				i += n
				continue
			}
		}
		b := p[i]
		i++
		if b == '\n' {
			c.state = ground // no sequence goes on over a line: a stray one must not swallow the rest
			return p[i:], true
		}
		if c.state == ground {
			c.command(b)
		} else {
			c.sequence(b)
		}
	}
	return nil, false
}

func (c *cleaner) hold(p []byte, wide bool) {
	if c.returned {
		c.erase()
	}
	c.wide = c.wide || wide
	n := min(len(p), maxHeld-len(c.held))
	c.held = append(c.held, p[:n]...)
	c.lost += int64(len(p) - n)
}

func (c *cleaner) erase() {
	c.held, c.lost = c.held[:0], 0
	c.wide, c.returned = false, false
}

// command acts on a control character. All but these have no meaning in text.
func (c *cleaner) command(b byte) {
	switch b {
	case 0x1b:
		c.state = escaped
	case '\r':
		c.returned = true
	case '\b':
		if c.lost == 0 && len(c.held) > 0 {
			_, n := utf8.DecodeLastRune(c.held)
			c.held = c.held[:len(c.held)-n]
		}
	}
}

// sequence reads on in an escape sequence (ECMA-48). What is not one ends it.
func (c *cleaner) sequence(b byte) {
	switch {
	case b == 0x18 || b == 0x1a: // CAN, SUB
		c.state = ground
	case c.state == textEscaped && b == '\\', c.state == text && b == 0x07:
		c.state = ground
	case c.state == text && b == 0x1b:
		c.state = textEscaped
	case c.state == text:
	case b == 0x1b:
		c.state = escaped
	case c.state == escaped, c.state == textEscaped:
		c.introduce(b)
	case c.state == designating:
		if b < 0x20 || b > 0x2f {
			c.state = ground
		}
	case b >= 0x40 && b <= 0x7e: // the final byte of a control sequence
		c.state = ground
		c.erased(b)
	case b >= 0x20 && b <= 0x3f:
		if len(c.params) < 4 {
			c.params = append(c.params, b)
		}
	case b >= 0x80: // no such sequence: the byte is text
		c.state = ground
		c.hold([]byte{b}, true)
	}
}

// introduce reads the byte after ESC.
func (c *cleaner) introduce(b byte) {
	switch {
	case b == '[':
		c.state, c.params = control, c.params[:0]
	case b == ']', b == 'P', b == 'X', b == '^', b == '_':
		c.state = text
	case b >= 0x20 && b <= 0x2f:
		c.state = designating
	case b >= 0x80:
		c.state = ground
		c.hold([]byte{b}, true)
	default:
		c.state = ground
	}
}

// erased acts on the sequences that take a line away: progress bars use them.
func (c *cleaner) erased(final byte) {
	if final != 'K' {
		return
	}
	p := string(c.params)
	if p == "2" || c.returned && (p == "" || p == "0") {
		c.erase()
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// odd has a high bit set where a byte of the word is a control character or not ASCII.
func odd(w uint64) uint64 {
	del := w ^ 0x7f*ones
	return ((w-0x20*ones)&^w | (del-ones)&^del | w) & highs
}

// printable says that a line needs no cleaning: ASCII, and no control but tabs.
func printable(p []byte) bool {
	for len(p) >= 8 {
		if odd(binary.LittleEndian.Uint64(p)) != 0 && !plainBytes(p[:8]) {
			return false
		}
		p = p[8:]
	}
	return plainBytes(p)
}

func plainBytes(p []byte) bool {
	for _, b := range p {
		if b != '\t' && (b < 0x20 || b >= 0x7f) {
			return false
		}
	}
	return true
}

// ordinary is the length of the text that p begins with, and whether it goes beyond ASCII.
func ordinary(p []byte) (n int, wide bool) {
	for n < len(p) {
		if len(p)-n >= 8 && odd(binary.LittleEndian.Uint64(p[n:])) == 0 {
			n += 8
			continue
		}
		b := p[n]
		if b != '\t' && (b < 0x20 || b == 0x7f) {
			break
		}
		wide = wide || b >= 0x80
		n++
	}
	return n, wide
}

// wholeRunes takes off a character that was cut in its middle.
func wholeRunes(p []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if b := p[len(p)-i]; utf8.RuneStart(b) {
			if b >= 0x80 && !utf8.FullRune(p[len(p)-i:]) {
				return p[:len(p)-i]
			}
			break
		}
	}
	return p
}

// validText replaces what is not UTF-8 and takes out the controls of Latin-1.
func validText(p []byte) []byte {
	if !utf8.Valid(p) {
		p = bytes.ToValidUTF8(p, []byte("\uFFFD"))
	}
	if !hasLatinControl(p) {
		return p
	}
	return bytes.Map(func(r rune) rune {
		if r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, p)
}

func hasLatinControl(p []byte) bool {
	for {
		i := bytes.IndexByte(p, 0xc2)
		if i < 0 || i+1 >= len(p) {
			return false
		}
		if p[i+1] < 0xa0 {
			return true
		}
		p = p[i+2:]
	}
}
