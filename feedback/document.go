package feedback

import (
	"bytes"
	"unicode/utf8"
)

// A document holds the start and the end of an output as clean lines: all of it while it fits
// the limit, and after that no more than the text can show.
type document struct {
	limit   int
	lineMax int // characters of a line, once not everything fits

	head      []byte // lines with their newlines
	headRunes int
	headFull  bool
	tail      []byte // what came after the head, cut from the front
	tailMax   int

	onLine func(line []byte, at int) // sees every line that is held whole; nil for no one

	over  bool  // not everything fits
	lines int   // all of them
	size  int64 // bytes of all of them
}

func newDocument(limit int) document {
	lineMax := max(limit/8, 50)
	return document{limit: limit, lineMax: lineMax, tailMax: utf8.UTFMax * (limit + lineMax)}
}

func (d *document) addLine(l cleanLine) {
	line, lost := l.text, l.lost
	d.lines++
	d.size += int64(len(line)) + lost + 1
	if d.onLine != nil && lost == 0 {
		d.onLine(line, d.lines)
	}
	if !d.over && (lost > 0 || d.headRunes+utf8.RuneCount(line) > d.limit) {
		d.startCutting()
	}
	if d.over {
		line = shortenLine(line, lost, d.lineMax)
	}
	if !d.headFull && d.headRunes+utf8.RuneCount(line) <= d.limit {
		d.appendHead(line)
		return
	}
	d.headFull = true
	d.appendTail(line)
}

// skip counts lines that were not read.
func (d *document) skip(lines int, bytes int64) {
	if !d.over {
		d.startCutting()
	}
	d.headFull = true
	d.lines += lines
	d.size += bytes
}

func (d *document) appendHead(line []byte) {
	d.head = append(append(d.head, line...), '\n')
	d.headRunes += utf8.RuneCount(line) + 1
}

func (d *document) appendTail(line []byte) {
	d.tail = append(append(d.tail, line...), '\n')
	if len(d.tail) > 2*d.tailMax {
		n := copy(d.tail, d.tail[len(d.tail)-d.tailMax:])
		d.tail = d.tail[:n]
		// The first of these is most likely the end of a line.
		d.tail = d.tail[:copy(d.tail, d.tail[bytes.IndexByte(d.tail, '\n')+1:])]
	}
}

// startCutting is called once it is known that something will be cut: from then on no line may
// take more than its share, those before it included.
func (d *document) startCutting() {
	d.over = true
	old := d.head
	d.head, d.headRunes = nil, 0
	for line := range bytes.Lines(old) {
		d.appendHead(shortenLine(bytes.TrimSuffix(line, []byte("\n")), 0, d.lineMax))
	}
}

// shortenLine cuts a line to at most limit characters. A line that it cuts ends in how much is
// missing.
func shortenLine(line []byte, lost int64, limit int) []byte {
	if lost == 0 && (len(line) <= limit || utf8.RuneCount(line) <= limit) {
		return line
	}
	keep := firstRunes(line, limit-len("[… 999.9 MB cut …]"))
	return append(bytes.Clone(keep), "[… "+formatSize(int64(len(line)-len(keep))+lost)+" cut …]"...)
}

// firstRunes returns the first n characters.
func firstRunes(p []byte, n int) []byte {
	end := 0
	for ; n > 0 && end < len(p); n-- {
		_, w := utf8.DecodeRune(p[end:])
		end += w
	}
	return p[:end]
}
