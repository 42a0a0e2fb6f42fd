package block

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
)

// A document reads JSON and XML, which linters and test runners print on one line or on many. It
// is fed as the output comes; its decoder runs as a coroutine, which waits where it needs more.
type document struct {
	emit  func(*Block)
	next  func() (struct{}, bool) // hands fed to the decoder; nil outside of a document
	stop  func()
	fed   []byte
	xml   bool
	found int // blocks of the document so far
}

// readLine reports whether the line is part of a document, or was one that told something.
func (d *document) readLine(p []byte) bool {
	if !d.isOpen() && !d.begin(p) {
		return false
	}
	d.feed(p)
	d.feed([]byte{'\n'})
	return d.isOpen() || d.found > 0
}

func (d *document) isOpen() bool { return d.next != nil }

// These match how a document starts.
var (
	jsonStart = lazily(`^[\[{](?:$|["{}\[\] ])`)
	xmlStart  = lazily(`^<(?:\?xml|testsuite|checkstyle|results|test-run|TestRun|assemblies|pmd)`)
)

// maxStart is how far a document may be indented, a byte order mark included.
const maxStart = 5

// begin begins a document where a line looks like the start of one, and reports whether it does.
func (d *document) begin(p []byte) bool {
	d.found = 0
	start := bytes.TrimPrefix(bytes.TrimLeft(p, " \t"), []byte("\uFEFF"))
	if len(start) == 0 || len(p)-len(start) > maxStart || bytes.IndexByte([]byte("[{<"), start[0]) < 0 {
		return false
	}
	start = start[:min(len(start), 40)]
	decode := readJSON
	if d.xml = start[0] == '<'; d.xml {
		decode = readXML
	}
	if !jsonStart().Match(start) && !xmlStart().Match(start) {
		return false
	}
	if !d.xml && json.Valid(p) { // a line of a log, as a rule: it needs no coroutine
		decode(bytes.NewReader(p), d.add)
		return true
	}
	d.next, d.stop = iter.Pull(func(wait func(struct{}) bool) {
		decode(&documentPipe{document: d, wait: wait}, d.add)
	})
	return true
}

// illegalCharacter matches references to an escape character: XML has no such character, and some
// runners write it all the same.
var illegalCharacter = lazily(`&#(?:27|x1[bB]);`)

// feed hands the next bytes to the decoder. The document ends where that has seen its end, or a fault.
func (d *document) feed(p []byte) {
	if !d.isOpen() {
		return
	}
	if d.fed = p; d.xml {
		d.fed = illegalCharacter().ReplaceAll(p, nil)
	}
	if _, more := d.next(); !more {
		d.next = nil
	}
}

func (d *document) finish() {
	if d.isOpen() {
		d.stop()
		d.next = nil
	}
}

func (d *document) add(b *Block) {
	d.found++
	b.seal()
	d.emit(b)
}

// A documentPipe is the end of a document from which its decoder reads.
type documentPipe struct {
	*document
	wait  func(struct{}) bool // until there is more, or the document is over
	ended bool
}

func (p *documentPipe) Read(to []byte) (int, error) {
	for len(p.fed) == 0 {
		if p.ended = p.ended || !p.wait(struct{}{}); p.ended {
			return 0, io.EOF
		}
	}
	n := copy(to, p.fed)
	p.fed = p.fed[n:]
	return n, nil
}
