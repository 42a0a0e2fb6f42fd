// Package escape tells the escape sequences in what programs print from the text between
// them (ECMA-48). It imports the standard library only, so that every package can use it.
//
// It is not built on github.com/charmbracelet/x/ansi, which reads what a terminal is sent
// by a program that it trusts: there a byte from 0x80 to 0x9f is a control even inside a
// character, so that a title with a quotation mark ends in its middle and a byte that is
// not UTF-8 opens a string, and a string that never ends takes the rest of the output
// with it.
package escape

// A Kind is what a character is to a Parser.
type Kind uint8

const (
	// Text is a character outside of sequences. It may be a control character.
	Text Kind = iota
	// Part is a character of a sequence.
	Part
	// Final is the last character of a control sequence, whose parameters Params returns.
	Final
)

// maxParams bounds how many characters of a sequence's parameters a Parser keeps: enough for two colours of
// red, green and blue.
const maxParams = 40

// state is where in a sequence a Parser is.
type state uint8

const (
	outside      state = iota
	escaped            // after ESC
	intermediate       // after ESC and an intermediate: up to a character that is none
	control            // in CSI: parameters, then a final character
	inString           // in OSC, DCS and their like: up to BEL or ST
	stringEscape       // after ESC in such a string: perhaps its ST
)

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
	st  = 0x9c
)

// A Parser follows the escape sequences of a stream that comes character by character. The
// zero value is ready to use. It is not safe for concurrent use.
type Parser struct {
	state  state
	params [maxParams]byte
	count  int // of params
}

// Inside reports whether a sequence has begun and not ended.
func (p *Parser) Inside() bool { return p.state != outside }

// Params returns the first characters between CSI and the final character of the latest
// control sequence. It is valid until the next call of Next.
func (p *Parser) Params() []byte { return p.params[:p.count] }

// Next takes the next character of the stream and returns what it is. A line break is
// always Text and ends the sequence that it stands in, so that one which never ends cannot
// swallow the rest of an output.
//
// A stream of bytes that need not be UTF-8 can be read too: the caller passes
// utf8.RuneError for every byte beyond ASCII.
func (p *Parser) Next(r rune) Kind {
	switch {
	case r == '\n', r == can, r == sub:
		p.state = outside
		return Text
	case p.state == inString:
		return p.readString(r)
	case p.state == stringEscape && r == '\\':
		p.state = outside
		return Part
	case r == esc:
		p.state = escaped
		return Part
	case p.state == escaped, p.state == stringEscape:
		return p.readIntroducer(r)
	case p.state == intermediate && r >= 0x20 && r <= 0x7e:
		if r >= 0x30 {
			p.state = outside
		}
		return Part
	case p.state == control && r <= 0x7f:
		return p.readControl(r)
	}
	return p.readText(r)
}

func (p *Parser) readString(r rune) Kind {
	switch r {
	case esc:
		p.state = stringEscape
	case bel, st:
		p.state = outside
	}
	return Part
}

// readIntroducer takes the character after ESC.
func (p *Parser) readIntroducer(r rune) Kind {
	switch {
	case r == '[':
		p.state, p.count = control, 0
	case r == ']', r == 'P', r == 'X', r == '^', r == '_':
		p.state = inString
	case r >= 0x20 && r <= 0x2f:
		p.state = intermediate
	case r >= 0x30 && r <= 0x7e:
		p.state = outside
	default:
		return p.readText(r)
	}
	return Part
}

// readControl takes a character of a control sequence. Control characters in it have no
// meaning in text.
func (p *Parser) readControl(r rune) Kind {
	switch {
	case r >= 0x40 && r <= 0x7e:
		p.state = outside
		return Final
	case r >= 0x20 && r <= 0x3f && p.count < maxParams:
		p.params[p.count] = byte(r)
		p.count++
	}
	return Part
}

// readText takes a character that continues no sequence: it is text, or one of the
// controls beyond ASCII that introduce a sequence by themselves.
func (p *Parser) readText(r rune) Kind {
	p.state = outside
	switch {
	case r == 0x9b: // CSI
		p.state, p.count = control, 0
	case r == 0x90, r == 0x98, r >= 0x9d && r <= 0x9f: // DCS, SOS, OSC, PM, APC
		p.state = inString
	default:
		return Text
	}
	return Part
}
