package block

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// What is held of a JSON document.
const (
	maxDepth   = 64
	maxFields  = 80
	maxString  = 8 << 10
	maxValues  = 40 // of an array
	maxElement = 3  // objects of an array that are held for what they are in
	maxPending = 50 // items that wait for the name of their file
)

// A jsonReader finds items in a JSON document.
type jsonReader struct {
	emit  func(*Block)
	stack []jsonFrame
}

// A jsonFrame is an object or an array that is open.
type jsonFrame struct {
	array   bool
	aside   bool   // it only explains what it is in
	key     string // under which it stands
	member  string // key of the member whose value comes next
	inside  bool   // that value comes next
	fields  []jsonField
	count   int // elements of an array
	items   int // items found inside
	pending []*finding
}

type jsonField struct{ key, value string }

// readJSON emits the items of a document, up to its end or its first fault.
func readJSON(in io.Reader, emit func(*Block)) {
	r := jsonReader{emit: emit}
	decoder := json.NewDecoder(in)
	decoder.UseNumber()
	for t, err := decoder.Token(); err == nil && r.take(t); {
		t, err = decoder.Token()
	}
	for _, f := range r.stack {
		r.flushPending(f.pending)
	}
}

// take takes the next token, and reports whether the document goes on.
func (r *jsonReader) take(t json.Token) bool {
	switch t := t.(type) {
	case json.Delim:
		switch t {
		case '{', '[':
			r.openFrame(t == '[')
			return len(r.stack) <= maxDepth
		default:
			r.closeFrame()
			return len(r.stack) > 0
		}
	case string:
		f := &r.stack[len(r.stack)-1]
		if !f.array && !f.inside {
			f.member, f.inside = clipEnd(t, 300), true
			return true
		}
		r.addScalar(cleanString(t))
	case json.Number:
		r.addScalar(t.String())
	case bool:
		r.addScalar(strconv.FormatBool(t))
	case nil:
		r.addScalar("")
	}
	return true
}

func (r *jsonReader) openFrame(array bool) {
	f := jsonFrame{array: array}
	if n := len(r.stack); n > 0 {
		up := &r.stack[n-1]
		f.key, f.aside = up.member, up.aside || isAside(up.member)
		up.inside, up.member = false, ""
	}
	r.stack = append(r.stack, f)
}

// addScalar adds a string, number or word to what it is in.
func (r *jsonReader) addScalar(value string) {
	f := &r.stack[len(r.stack)-1]
	if f.count++; !f.array || f.count <= maxValues {
		f.addField(f.member, value)
	}
	f.inside, f.member = false, ""
}

// cleanString returns as much of a string as an item may need, without control characters.
func cleanString(s string) string {
	return dropControls(strings.ToValidUTF8(s[:min(len(s), maxString)], "\uFFFD"))
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
	var found *finding
	if !f.array && f.items == 0 && !f.aside {
		found = readFinding(f.fields)
	}
	r.resolve(&f)
	if n == 0 {
		if found != nil {
			r.emit(found.makeBlock())
		}
		r.flushPending(f.pending)
		return
	}
	up := &r.stack[n-1]
	up.items += f.items
	up.pending = append(up.pending, f.pending...)
	if found == nil {
		up.merge(f)
	} else {
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
}

// merge takes over the fields of what was closed inside.
func (up *jsonFrame) merge(f jsonFrame) {
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
