package feedback

import (
	"bytes"
	"unicode/utf8"
)

// document holds the start and the end of an output, as clean lines: all of it
// while it fits the limit, and after that no more than the text can show.
type document struct {
	limit   int
	lineMax int // characters of a line, once not everything fits

	head      []byte // lines with their newlines
	headRunes int
	headFull  bool
	tail      []byte // what came after the head, cut from the front
	tailMax   int

	over  bool  // not everything fits
	cut   bool  // a line was cut
	lines int   // all of them
	size  int64 // bytes of all of them
}

func newDocument(limit int) document {
	lineMax := max(limit/8, 50)
	return document{limit: limit, lineMax: lineMax, tailMax: utf8.UTFMax * (limit + lineMax)}
}

// add takes a line, of which lost bytes are missing at its end.
func (d *document) add(line []byte, lost int64) {
	d.lines++
	d.size += int64(len(line)) + lost + 1
	if d.headFull {
		d.addTail(d.shortened(line, lost))
		return
	}
	if !d.over {
		if runes := utf8.RuneCount(line); lost == 0 && d.headRunes+runes <= d.limit {
			d.addHead(line, runes)
			return
		}
		d.overflow()
	}
	line = d.shortened(line, lost)
	if runes := utf8.RuneCount(line); d.headRunes+runes <= d.limit {
		d.addHead(line, runes)
		return
	}
	d.headFull = true
	d.addTail(line)
}

func (d *document) addHead(line []byte, runes int) {
	d.head = append(append(d.head, line...), '\n')
	d.headRunes += runes + 1
}

func (d *document) addTail(line []byte) {
	d.tail = append(append(d.tail, line...), '\n')
	if len(d.tail) > 2*d.tailMax {
		n := copy(d.tail, d.tail[len(d.tail)-d.tailMax:])
		d.tail = d.tail[:n]
		// The first of these is most likely the end of a line.
		d.tail = d.tail[:copy(d.tail, d.tail[bytes.IndexByte(d.tail, '\n')+1:])]
	}
}

// overflow is the moment at which it is known that something will be cut: from
// here on no line may take more than its share, those before it included.
func (d *document) overflow() {
	d.over = true
	old := d.head
	d.head, d.headRunes = nil, 0
	for line := range bytes.Lines(old) {
		line = d.shortened(bytes.TrimSuffix(line, []byte("\n")), 0)
		d.addHead(line, utf8.RuneCount(line))
	}
}

func (d *document) shortened(line []byte, lost int64) []byte {
	if lost == 0 && len(line) <= d.lineMax {
		return line
	}
	short := shorten(line, lost, d.lineMax)
	d.cut = d.cut || len(short) != len(line)
	return short
}

// shorten cuts a line to at most limit characters and says how much it took.
func shorten(line []byte, lost int64, limit int) []byte {
	if lost == 0 && utf8.RuneCount(line) <= limit {
		return line
	}
	keep := prefix(line, limit-len("[… 999.9 MB cut …]"))
	return append(bytes.Clone(keep), "[… "+size(int64(len(line)-len(keep))+lost)+" cut …]"...)
}

// prefix is the first n characters.
func prefix(p []byte, n int) []byte {
	end := 0
	for ; n > 0 && end < len(p); n-- {
		if p[end] < utf8.RuneSelf {
			end++
			continue
		}
		_, w := utf8.DecodeRune(p[end:])
		end += w
	}
	return p[:end]
}
