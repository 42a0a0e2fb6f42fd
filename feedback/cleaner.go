package feedback

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"mulligan/internal/escape"
)

// maxHeld bounds the bytes of a line that are held while it is read.
const maxHeld = 64 << 10

// A lineCleaner makes clean lines of raw bytes: it takes escape sequences and control
// characters out, keeps the last state of a line that is drawn over again, and replaces
// what is not UTF-8. Its state depends on the bytes seen alone, so it does not matter how
// they are split.
type lineCleaner struct {
	held     []byte
	lost     int64 // bytes of the line that were not held
	begun    bool  // the line has had a byte, though it may have left none
	wide     bool  // held has bytes beyond ASCII
	returned bool  // a carriage return came: what follows draws over the line
	escapes  escape.Parser
	spill    []byte                     // what came after held was full, until it is a part
	onPart   func(p []byte, first bool) // takes the parts of a line that is too long to be held; nil for no one
}

// spillSize is the size of the parts in which a long line is passed on. It is fixed, so that it
// does not matter how the output was split.
const spillSize = 32 << 10

// takeLine returns the line that ended and begins the next. The line is valid until feed
// is called again.
func (c *lineCleaner) takeLine() (line []byte, lost int64) {
	line, lost = c.held, c.lost
	if lost > 0 {
		line = trimPartialRune(line)
		c.passOn()
	}
	if c.wide {
		line = makeValidText(line)
	}
	c.eraseLine()
	c.begun = false
	return line, lost
}

// feed reads up to the end of a line. It returns what follows the line, and reports
// whether the end has come.
func (c *lineCleaner) feed(p []byte) (rest []byte, done bool) {
	c.begun = true
	for i := 0; i < len(p); {
		if !c.escapes.Inside() {
			if n, wide := measureText(p[i:]); n > 0 {
				c.appendText(p[i:i+n], wide)
				i += n
				continue
			}
		}
		b := p[i]
		i++
		c.takeByte(b)
		if b == '\n' {
			return p[i:], true
		}
	}
	return nil, false
}

// takeByte acts on a byte that is a control character or stands in an escape sequence.
func (c *lineCleaner) takeByte(b byte) {
	r := rune(b)
	if b >= utf8.RuneSelf {
		r = utf8.RuneError
	}
	switch c.escapes.Next(r) {
	case escape.Final:
		c.applySequence(b)
	case escape.Text:
		c.applyText(b)
	default:
	}
}

// applyText holds a byte of text, and acts on a control character: those that are not
// named here have no meaning in text.
func (c *lineCleaner) applyText(b byte) {
	switch {
	case b == '\r':
		c.returned = true
	case b == '\b':
		if c.lost == 0 && len(c.held) > 0 {
			_, n := utf8.DecodeLastRune(c.held)
			c.held = c.held[:len(c.held)-n]
		}
	case b == '\t', b >= utf8.RuneSelf: // they ended an escape sequence that was none
		c.appendText([]byte{b}, b >= utf8.RuneSelf)
	}
}

// applySequence acts on the control sequences that erase a line: progress bars use them.
func (c *lineCleaner) applySequence(final byte) {
	if final != 'K' {
		return
	}
	params := string(c.escapes.Params())
	if params == "2" || c.returned && (params == "" || params == "0") {
		c.eraseLine()
	}
}

func (c *lineCleaner) appendText(p []byte, wide bool) {
	if c.returned {
		c.eraseLine()
	}
	c.wide = c.wide || wide
	n := min(len(p), maxHeld-len(c.held))
	c.held = append(c.held, p[:n]...)
	if n == len(p) {
		return
	}
	if c.lost == 0 && c.onPart != nil {
		c.onPart(c.held, true)
	}
	c.lost += int64(len(p) - n)
	for rest := p[n:]; len(rest) > 0 && c.onPart != nil; {
		n := min(len(rest), spillSize-len(c.spill))
		c.spill = append(c.spill, rest[:n]...)
		rest = rest[n:]
		if len(c.spill) == spillSize {
			c.passOn()
		}
	}
}

// passOn passes on the part of a long line that was gathered.
func (c *lineCleaner) passOn() {
	if len(c.spill) > 0 {
		c.onPart(c.spill, false)
		c.spill = c.spill[:0]
	}
}

func (c *lineCleaner) eraseLine() {
	c.held, c.lost = c.held[:0], 0
	c.spill = c.spill[:0]
	c.wide, c.returned = false, false
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// markOddBytes returns a word with a high bit set where a byte of w is a control character
// or not ASCII.
func markOddBytes(w uint64) uint64 {
	del := w ^ 0x7f*ones
	return ((w-0x20*ones)&^w | (del-ones)&^del | w) & highs
}

// measureText returns the length of the text without controls that p begins with, and
// reports whether it goes beyond ASCII.
func measureText(p []byte) (n int, wide bool) {
	for n < len(p) {
		if len(p)-n >= 8 && markOddBytes(binary.LittleEndian.Uint64(p[n:])) == 0 {
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

// isCleanLine reports whether a line is as lineCleaner would make it.
func isCleanLine(p []byte) bool {
	n, wide := measureText(p)
	return n == len(p) && !wide && n <= maxHeld
}

// trimPartialRune takes off a character at the end that was cut in its middle.
func trimPartialRune(p []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if b := p[len(p)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(p[len(p)-i:]) {
				return p[:len(p)-i]
			}
			break
		}
	}
	return p
}

// makeValidText replaces what is not UTF-8 and takes out the controls of Latin-1.
func makeValidText(p []byte) []byte {
	if !utf8.Valid(p) {
		p = bytes.ToValidUTF8(p, []byte("\uFFFD"))
	}
	isControl := func(r rune) bool { return r >= 0x80 && r < 0xa0 }
	if !bytes.ContainsFunc(p, isControl) {
		return p
	}
	return bytes.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, p)
}
