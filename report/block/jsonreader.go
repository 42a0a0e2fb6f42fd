package block

import (
	"bytes"
	"strings"
)

// What is held of a JSON document.
const (
	maxDepth   = 64
	maxFields  = 80
	maxString  = 8 << 10
	maxElement = 3  // objects of an array that are held for what they are in
	maxPending = 50 // items that wait for the name of their file
)

// A jsonReader finds items in a JSON document that is fed to it in parts.
type jsonReader struct {
	emit   func(*Block)
	stack  []jsonFrame
	buf    []byte // the string or the word under way
	state  jsonState
	key    string
	isKey  bool
	escape int // characters of an escape that are to come; -1 after a backslash
	failed bool
	done   bool
}

type jsonState uint8

const (
	wantValue jsonState = iota
	inString
	inWord
	afterValue
	wantKey
	wantColon
)

// A jsonFrame is an object or an array that is open.
type jsonFrame struct {
	array   bool
	aside   bool   // it only explains what it is in
	key     string // under which it stands
	fields  []jsonField
	count   int // elements of an array
	items   int // items found inside
	pending []*finding
}

type jsonField struct{ key, value string }

// feed takes the next bytes, and reports whether the document goes on.
func (r *jsonReader) feed(p []byte) bool {
	for i := 0; i < len(p) && !r.failed; i++ {
		if r.state == inString && r.escape == 0 { // most of a document is text
			n := bytes.IndexAny(p[i:], `"\`)
			if n < 0 {
				n = len(p) - i
			}
			if room := maxString - len(r.buf); room > 0 {
				r.buf = append(r.buf, p[i:i+min(n, room)]...)
			}
			if i += n; i >= len(p) {
				break
			}
		}
		if r.done {
			if !isBlank(p[i:]) && r.state == afterValue {
				r.failed = true // something else follows on the line
			}
			return false
		}
		r.take(p[i])
	}
	return !r.failed && !(r.done && len(p) > 0 && p[len(p)-1] == '\n')
}

func (r *jsonReader) take(c byte) {
	if r.state == inString {
		r.takeInString(c)
		return
	}
	if r.state == inWord {
		if isLetter(c) || isDigit(c) || c == '.' || c == '-' || c == '+' {
			if len(r.buf) < 40 {
				r.buf = append(r.buf, c)
			}
			return
		}
		r.endScalar()
	}
	switch c {
	case ' ', '\t', '\n', '\r':
		return
	}
	switch r.state {
	case wantValue:
		r.takeValue(c)
	case wantKey:
		switch {
		case c == '"':
			r.state, r.isKey, r.buf = inString, true, r.buf[:0]
		case c == '}':
			r.closeFrame()
		default:
			r.failed = true
		}
	case wantColon:
		r.failed = c != ':'
		r.state = wantValue
	case afterValue:
		r.takeAfter(c)
	default:
	}
}

func (r *jsonReader) takeValue(c byte) {
	switch {
	case c == '"':
		r.state, r.isKey, r.buf = inString, false, r.buf[:0]
	case c == '{' || c == '[':
		if len(r.stack) >= maxDepth {
			r.failed = true
			return
		}
		up := len(r.stack) > 0 && r.stack[len(r.stack)-1].aside
		r.stack = append(r.stack, jsonFrame{array: c == '[', key: r.key, aside: up || isAside(r.key)})
		r.key = ""
		if c == '{' {
			r.state = wantKey
		}
	case c == ']' && len(r.stack) > 0 && r.stack[len(r.stack)-1].array:
		r.closeFrame()
	case isDigit(c) || c == '-' || c == 't' || c == 'f' || c == 'n':
		r.state, r.buf = inWord, append(r.buf[:0], c)
	default:
		r.failed = true
	}
}

func (r *jsonReader) takeAfter(c byte) {
	if len(r.stack) == 0 {
		r.failed = true
		return
	}
	array := r.stack[len(r.stack)-1].array
	switch {
	case c == ',' && array:
		r.state = wantValue
	case c == ',':
		r.state = wantKey
	case c == ']' && array, c == '}' && !array:
		r.closeFrame()
	default:
		r.failed = true
	}
}

func (r *jsonReader) takeInString(c byte) {
	switch {
	case r.escape == 0 && c == '"':
		if r.isKey {
			r.key, r.state = clipEnd(string(unescapeString(r.buf)), 300), wantColon
			return
		}
		r.endScalar()
	case r.escape == 0 && c == '\\':
		r.escape = 1
		r.hold(c)
	default:
		r.escape = 0
		r.hold(c)
	}
}

func (r *jsonReader) hold(c byte) {
	if len(r.buf) < maxString {
		r.buf = append(r.buf, c)
	}
}

// endScalar adds a string, number or word to what it is in.
func (r *jsonReader) endScalar() {
	r.state = afterValue
	if len(r.stack) == 0 {
		r.failed = true // no document of ours
		return
	}
	f := &r.stack[len(r.stack)-1]
	key := r.key
	r.key = ""
	if f.array {
		if f.count++; f.count > 40 {
			return
		}
	}
	f.addField(key, strings.ToValidUTF8(string(unescapeString(r.buf)), "\uFFFD"))
}

func (f *jsonFrame) addField(key, value string) {
	if len(f.fields) < maxFields && value != "" && value != "null" {
		f.fields = append(f.fields, jsonField{key, value})
	}
}

// closeFrame ends an object or an array.
func (r *jsonReader) closeFrame() {
	n := len(r.stack) - 1
	f := r.stack[n]
	r.stack = r.stack[:n]
	r.state = afterValue
	var found *finding
	if !f.array && f.items == 0 && !f.aside {
		found = readFinding(f.fields)
	}
	r.resolve(&f)
	if n == 0 {
		r.done = true
		if found != nil {
			r.emit(found.makeBlock())
		}
		r.flushPending(f.pending)
		return
	}
	up := &r.stack[n-1]
	up.items += f.items
	up.pending = append(up.pending, f.pending...)
	if found != nil {
		up.items++
		if found.file == "" {
			found.file = r.findFile()
		}
		up.pending = append(up.pending, found)
	}
	if len(up.pending) > maxPending || found != nil && found.file != "" {
		r.flushPending(up.pending)
		up.pending = nil
	}
	if found == nil {
		r.mergeUp(up, f)
	}
}

// mergeUp hands the fields of what was closed to what it was in.
func (r *jsonReader) mergeUp(up *jsonFrame, f jsonFrame) {
	if up.array {
		if up.count++; up.count > maxElement {
			return
		}
	}
	for _, x := range f.fields {
		key := f.key
		switch {
		case key == "":
			key = x.key
		case x.key != "":
			key += "." + x.key
		}
		up.addField(key, x.value)
	}
}

// isAside reports whether what stands under a key only explains the object that it is in.
func isAside(key string) bool {
	switch key {
	case "children", "rules", "spans", "span", "expansion", "relatedInformation", "related", "suggestions", "fix", "fixes", "fixits",
		"location", "locations", "range", "region", "start", "end", "notes", "steps", "code", "err", "error", "exception", "longrepr", "failure":
		return true
	}
	return false
}

// findFile returns the file that the open objects are about.
func (r *jsonReader) findFile() string {
	for i := len(r.stack) - 1; i >= 0; i-- {
		f := &r.stack[i]
		if file := pickFile(f.fields); file != "" {
			return file
		}
		if strings.ContainsAny(f.key, "/") && !strings.Contains(f.key, " ") {
			return f.key
		}
	}
	return ""
}

// resolve gives the items that wait for it the name of the file that an object has.
func (r *jsonReader) resolve(f *jsonFrame) {
	if f.array || len(f.pending) == 0 {
		return
	}
	file := pickFile(f.fields)
	if file == "" {
		return
	}
	for _, x := range f.pending {
		x.file = file
	}
	r.flushPending(f.pending)
	f.pending = nil
}

func (r *jsonReader) flushPending(list []*finding) {
	for _, x := range list {
		r.emit(x.makeBlock())
	}
}

// flush emits what waits, once the document is over or broken.
func (r *jsonReader) flush() {
	for i := range r.stack {
		r.flushPending(r.stack[i].pending)
		r.stack[i].pending = nil
	}
}
