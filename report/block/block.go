// Package block finds what failed in the output of any program, as blocks of the output's own
// lines: a test with its message, a compiler's error with the source that it quotes, a stack
// trace, an error line of a log. It reads a line at a time and keeps a bounded amount. The
// rules are those that families of tools share; see start.go.
package block

import "strings"

// A Tier is how sure it is that a block is something that failed. Lower comes first.
type Tier uint8

const (
	Failure   Tier = iota // a tool names it as failed: a test, an error with its place
	Complaint             // a program complains: a labelled error, an exception, a log line
	Warning               // a tool warns
	Hint                  // a line that only sounds like an error
	tiers
)

// Ranks of the lines in a block.
const (
	Core    = iota // without it the item is not whole: name, place, message, expected and actual
	Telling        // more of the message, of the difference, of the source
	Context        // it explains the item: source around, own frames, further notes
	Minor          // frames of libraries, captured logs, blank lines
)

// A Line is a line of a block.
type Line struct {
	Text string
	Rank int
	At   int // number of the line in the output, 0 if it was decoded from JSON or XML
}

// A Block is an item that failed, in the output's own lines.
type Block struct {
	Tier   Tier
	Kind   string // what it is an example of: the tool and its code for it
	File   string // where it is; "" if that is not known
	Name   string // its first line, short
	Header string // the line that it shares with its neighbours: the file's name before a linter's rows
	Lines  []Line
	Left   int // lines that were not held
	Again  int // how often it was reported again
	Seq    int // order in the output

	mode   mode
	indent int
	start  int    // index in Lines of the line that it begins with; those before explain it
	number int    // of the source line that it is about, 0 if unknown
	quoted bool   // the source was quoted
	blank  bool   // the last line was blank
	parted bool   // it has a blank line
	phase  int    // how far the mode has come
	key    uint64 // of the same item when it is reported again
	size   int
	tail   []Line // what follows the lines that are held from the start
}

// What is held of a block.
const (
	maxHeadLines = 120
	maxTailLines = 60
	maxLine      = 2000 // bytes
	maxName      = 160  // bytes
)

// addLine takes the next line of the block.
func (b *Block) addLine(text []byte, at int) {
	l := Line{Text: clipMiddle(text, maxLine), At: at}
	b.size += len(l.Text) + 48
	if len(b.Lines) < maxHeadLines {
		b.Lines = append(b.Lines, l)
		return
	}
	b.tail = append(b.tail, l)
	if len(b.tail) >= 3*maxTailLines {
		b.dropTail()
	}
}

// dropTail gives up the older half of the lines in the middle, apart from a few that tell
// something.
func (b *Block) dropTail() {
	kept := b.tail[:0]
	told := 0
	for i, l := range b.tail {
		last := i >= len(b.tail)-maxTailLines
		if last || told < maxTailLines/2 && isDifference([]byte(l.Text)) {
			if !last {
				told++
			}
			kept = append(kept, l)
			continue
		}
		b.Left++
		b.size -= len(l.Text) + 48
	}
	b.tail = kept
}

// addDecoded takes lines that were decoded from another form.
func (b *Block) addDecoded(lines ...string) {
	for _, l := range lines {
		b.addLine([]byte(l), 0)
	}
}

// seal ends the block.
func (b *Block) seal() {
	b.Lines = append(b.Lines, b.tail...)
	b.tail = nil
	for len(b.Lines) > b.start+1 && isBlank([]byte(b.Lines[len(b.Lines)-1].Text)) {
		b.Lines = b.Lines[:len(b.Lines)-1]
	}
	if b.Name == "" && b.start < len(b.Lines) {
		b.Name = clipEnd(trimSpace(b.Lines[b.start].Text), maxName)
	}
}

// findArrow returns the index of the line that has the place of one of rustc's errors, 0 if there
// is none.
func (b *Block) findArrow() int {
	if b.mode != rustic || b.start > 0 || len(b.Lines) < 2 || !strings.HasPrefix(strings.TrimSpace(b.Lines[1].Text), "--> ") {
		return 0
	}
	return 1
}

// HasPlaceBelow reports whether the second line is the place that Split returns.
func (b *Block) HasPlaceBelow() bool { return b.findArrow() > 0 }

// Split returns the first line in two parts: what is the item's own, its place or its name, and
// what others may share with it, the message. placed reports whether the first is a place.
func (b *Block) Split() (own, shared string, placed bool) {
	first := b.Lines[b.start].Text
	if i := b.findArrow(); i > 0 {
		return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(b.Lines[i].Text), "-->")), ": " + first, true
	}
	if b.start > 0 || b.mode != compiler && b.mode != decoded && b.mode != mavenBlock && b.mode != row {
		return first, "", false
	}
	text := strings.TrimLeft(first, " \t")
	if b.mode == row {
		n := strings.IndexByte(text, ' ')
		return text[:max(n, 0)], text[max(n, 0):], n > 0
	}
	at, ok := readPlace(trimLevel([]byte(text)))
	if !ok || len(at.rest) == 0 {
		return first, "", false
	}
	n := strings.Index(text, string(at.rest))
	if n < 0 {
		return first, "", false
	}
	own = strings.TrimRight(text[:n], ": -\t")
	return own, text[len(own):], true
}
