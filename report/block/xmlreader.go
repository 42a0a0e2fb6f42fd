package block

import (
	"encoding/xml"
	"io"
	"maps"
	"strings"
)

// maxText is how much of the text of an item is held.
const maxText = 16 << 10

// An xmlReader finds items in the XML that test runners and linters write.
type xmlReader struct {
	emit  func(*Block)
	stack []xmlElement
}

type xmlElement struct {
	name   string
	attrs  map[string]string
	text   []byte // where it matters
	isItem bool
	places bool
}

// readXML emits the items of a document, up to its end or its first fault.
func readXML(in io.Reader, emit func(*Block)) {
	decoder := xml.NewDecoder(in)
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // lines are UTF-8 by now
	r := xmlReader{emit: emit}
	for t, err := decoder.RawToken(); err == nil && r.take(t); {
		t, err = decoder.RawToken()
	}
}

// take takes the next token, and reports whether the document goes on.
func (r *xmlReader) take(t xml.Token) bool {
	switch t := t.(type) {
	case xml.StartElement:
		r.openElement(t)
		return len(r.stack) <= maxDepth
	case xml.EndElement:
		r.closeElement()
		return len(r.stack) > 0
	case xml.CharData:
		if e := r.openItem(); e != nil && len(e.text) < maxText {
			e.text = append(e.text, t[:min(len(t), maxText)]...)
		}
	}
	return true
}

// openItem returns the open element that is an item, nil if none is.
func (r *xmlReader) openItem() *xmlElement {
	for i := range r.stack {
		if r.stack[i].isItem {
			return &r.stack[i]
		}
	}
	return nil
}

func (r *xmlReader) openElement(t xml.StartElement) {
	e := xmlElement{name: t.Name.Local, attrs: map[string]string{}}
	for _, a := range t.Attr {
		e.attrs[a.Name.Local] = dropControls(a.Value)
	}
	item := r.openItem()
	switch e.name {
	case "failure", "error", "rerunFailure", "ErrorInfo", "violation", "issue":
		e.isItem = item == nil
	case "location": // cppcheck's
		if item != nil && !item.places {
			item.places = true
			maps.Copy(item.attrs, e.attrs)
		}
	}
	r.stack = append(r.stack, e)
}

func (r *xmlReader) closeElement() {
	n := len(r.stack) - 1
	if n < 0 {
		return
	}
	e := r.stack[n]
	r.stack = r.stack[:n]
	if e.isItem {
		r.emitItem(e)
	}
}

// emitItem makes a block of a failure, with what the elements around it tell.
func (r *xmlReader) emitItem(e xmlElement) {
	text := strings.Trim(dropControls(string(e.text)), "\n")
	x := &finding{severity: strings.ToLower(e.attrs["severity"]), rule: firstOf(e.attrs, "source", "rule", "id")}
	x.message = firstOf(e.attrs, "message", "msg", "summary")
	x.line, x.column = firstOf(e.attrs, "line", "beginline"), firstOf(e.attrs, "column", "begincolumn")
	x.file = firstOf(e.attrs, "file", "file0")
	for i := len(r.stack) - 1; i >= 0; i-- {
		a := r.stack[i].attrs
		switch r.stack[i].name {
		case "testcase", "test-case", "test", "UnitTestResult":
			x.test = true
			x.name = firstOf(a, "name", "testName", "fullname")
			if class := firstOf(a, "classname", "class"); class != "" && !strings.HasPrefix(x.name, class) {
				x.name = class + " " + x.name
			}
			if x.file == "" {
				x.file, x.line = a["file"], a["line"]
			}
		case "file":
			x.file = firstOf(a, "name", "path")
		case "testsuite":
			if x.file == "" {
				x.file = a["file"]
			}
		}
	}
	if !x.test && x.line == "" {
		return
	}
	if isMildSeverity(x.severity) {
		x.tier = Warning
	}
	switch {
	case x.message == "":
		x.message = strings.TrimSpace(text)
	case text != "" && strings.Contains(text, x.message):
		x.message = text
	default:
		x.readExtra([]jsonField{{"stack", text}})
	}
	r.emit(x.makeBlock())
}

func firstOf(attrs map[string]string, keys ...string) string {
	for _, k := range keys {
		if v := attrs[k]; v != "" {
			return v
		}
	}
	return ""
}
