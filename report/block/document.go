package block

// A document reads JSON and XML, which linters and test runners print on one line or on many. It
// is fed bytes and keeps a bounded amount of them.
type document struct {
	emit   func(*Block)
	json   jsonReader
	xml    xmlReader
	active byte // '{' for JSON, '<' for XML, 0 for neither
	found  int  // blocks of the document so far
}

// readLine reports whether the line is part of a document, or was one that told something.
func (d *document) readLine(p []byte) bool {
	if d.active == 0 {
		d.begin(p)
		if d.active == 0 {
			return false
		}
		d.feed(p)
		d.feed([]byte{'\n'})
		return d.active != 0 || d.found > 0
	}
	d.feed(p)
	d.feed([]byte{'\n'})
	return d.active != 0 || d.found > 0
}

// begin begins a document where a line looks like the start of one.
func (d *document) begin(p []byte) {
	d.active, d.found = 0, 0
	n := 0
	for n < len(p) && n <= 4 && (p[n] == ' ' || p[n] == '\t' || p[n] == 0xEF || p[n] == 0xBB || p[n] == 0xBF) {
		n++
	}
	t := p[n:]
	if len(t) == 0 {
		return
	}
	switch t[0] {
	case '{', '[':
		if len(t) == 1 || t[1] == '"' || t[1] == '{' || t[1] == '}' || t[1] == ']' || t[1] == '[' || t[1] == ' ' {
			d.active = '{'
			d.json = jsonReader{emit: d.add}
		}
	case '<':
		if hasAnyPrefix(t, "<?xml", "<testsuite", "<checkstyle", "<results", "<test-run", "<TestRun", "<assemblies", "<pmd") {
			d.active = '<'
			d.xml = xmlReader{emit: d.add}
		}
	}
}

func (d *document) feed(p []byte) {
	switch d.active {
	case '{':
		if !d.json.feed(p) {
			d.json.flush()
			d.active = 0
		}
	case '<':
		if !d.xml.feed(p) {
			d.active = 0
		}
	}
}

func (d *document) finish() {
	if d.active == '{' {
		d.json.flush()
	}
	d.active = 0
}

func (d *document) add(b *Block) {
	d.found++
	b.seal()
	d.emit(b)
}
