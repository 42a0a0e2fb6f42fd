package block

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxTag  = 32 << 10
	maxText = 16 << 10
)

// An xmlReader finds items in the XML that test runners and linters write. It is fed in parts.
type xmlReader struct {
	emit  func(*Block)
	stack []xmlElement
	buf   []byte // the tag under way
	inTag bool
	cdata bool
	over  bool
	begun bool
}

type xmlElement struct {
	name   string
	attrs  map[string]string
	text   []byte // where it matters
	isItem bool
	places bool
}

// feed takes the next bytes, and reports whether the document goes on.
func (r *xmlReader) feed(p []byte) bool {
	for len(p) > 0 && !r.over {
		switch {
		case r.cdata:
			p = r.takeCdata(p)
		case r.inTag:
			i := bytes.IndexByte(p, '>')
			n := i
			if i < 0 {
				n = len(p)
			}
			r.buf = append(r.buf, p[:min(n, max(0, maxTag-len(r.buf)))]...)
			if i < 0 {
				if bytes.HasPrefix(r.buf, []byte("![CDATA[")) {
					r.beginCdata()
				}
				return true
			}
			p = p[n+1:]
			if bytes.HasPrefix(r.buf, []byte("![CDATA[")) {
				r.buf = append(r.buf, '>')
				rest := bytes.Clone(r.buf[len("![CDATA["):])
				r.cdata, r.inTag, r.buf = true, false, r.buf[:0]
				r.takeCdata(rest)
				continue
			}
			r.inTag = false
			r.takeTag(string(r.buf))
			r.buf = r.buf[:0]
		default:
			i := bytes.IndexByte(p, '<')
			n := i
			if i < 0 {
				n = len(p)
			}
			r.addText(p[:n])
			if i < 0 {
				return !r.isDone()
			}
			p = p[n+1:]
			r.inTag = true
		}
	}
	return !r.over
}

func (r *xmlReader) isDone() bool { return r.begun && len(r.stack) == 0 }

func (r *xmlReader) beginCdata() {
	rest := bytes.Clone(r.buf[len("![CDATA["):])
	r.cdata, r.inTag, r.buf = true, false, r.buf[:0]
	r.takeCdata(rest)
}

// takeCdata takes text up to `]]>`, of which a part may have come before.
func (r *xmlReader) takeCdata(p []byte) []byte {
	r.buf = append(r.buf, p...)
	if i := bytes.Index(r.buf, []byte("]]>")); i >= 0 {
		used := i + 3 - (len(r.buf) - len(p))
		r.addRaw(r.buf[:i])
		r.buf, r.cdata = r.buf[:0], false
		return p[max(0, min(used, len(p))):]
	}
	if n := len(r.buf) - 2; n > 0 {
		r.addRaw(r.buf[:n])
		r.buf = r.buf[:copy(r.buf, r.buf[n:])]
	}
	return nil
}

func (r *xmlReader) addText(p []byte) {
	if n := len(r.stack); n > 0 && len(p) > 0 {
		if i := r.itemIndex(); i >= 0 && len(r.stack[i].text) < maxText {
			r.stack[i].text = append(r.stack[i].text, decodeEntities(p)...)
		}
	} else if r.begun && !isBlank(p) {
		r.over = true // the document ended, and something else follows
	}
}

func (r *xmlReader) addRaw(p []byte) {
	if i := r.itemIndex(); i >= 0 && len(r.stack[i].text) < maxText {
		r.stack[i].text = append(r.stack[i].text, p[:min(len(p), maxText)]...)
	}
}

// itemIndex returns the open element that is an item, -1 if none is.
func (r *xmlReader) itemIndex() int {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if r.stack[i].isItem {
			return i
		}
	}
	return -1
}

func (r *xmlReader) takeTag(tag string) {
	if tag == "" || tag[0] == '?' || tag[0] == '!' {
		return
	}
	if tag[0] == '/' {
		r.closeElement()
		return
	}
	empty := strings.HasSuffix(tag, "/")
	tag = strings.TrimSuffix(tag, "/")
	name, rest, _ := strings.Cut(strings.ReplaceAll(tag, "\n", " "), " ")
	if len(r.stack) >= maxDepth {
		r.over = true
		return
	}
	r.begun = true
	e := xmlElement{name: name, attrs: readAttributes(rest)}
	switch name {
	case "failure", "error", "rerunFailure", "ErrorInfo", "violation", "issue":
		e.isItem = r.itemIndex() < 0
	case "location": // cppcheck's
		if i := r.itemIndex(); i >= 0 && !r.stack[i].places {
			r.stack[i].places = true
			for k, v := range e.attrs {
				r.stack[i].attrs[k] = v
			}
		}
	}
	r.stack = append(r.stack, e)
	if empty {
		r.closeElement()
	}
}

func (r *xmlReader) closeElement() {
	n := len(r.stack) - 1
	if n < 0 {
		r.over = true
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
	fields := []jsonField{}
	add := func(key, value string) {
		if value != "" {
			fields = append(fields, jsonField{key, value})
		}
	}
	text := strings.Trim(string(e.text), "\n")
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
	case text != "":
		add("stack", text)
	}
	x.readExtra(fields)
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

func readAttributes(s string) map[string]string {
	attrs := map[string]string{}
	for len(attrs) < 30 {
		name, rest, ok := strings.Cut(s, "=")
		if !ok || len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' {
			return attrs
		}
		value, after, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return attrs
		}
		attrs[strings.TrimSpace(name)] = string(decodeEntities([]byte(value)))
		s = after
	}
	return attrs
}

// decodeEntities replaces `&lt;`, `&#10;` and their like.
func decodeEntities(p []byte) []byte {
	i := bytes.IndexByte(p, '&')
	if i < 0 {
		return p
	}
	out := make([]byte, 0, len(p))
	for ; i >= 0; i = bytes.IndexByte(p, '&') {
		out = append(out, p[:i]...)
		end := bytes.IndexByte(p[i:min(len(p), i+12)], ';')
		if end < 0 {
			out = append(out, '&')
			p = p[i+1:]
			continue
		}
		out = appendEntity(out, string(p[i+1:i+end]))
		p = p[i+end+1:]
	}
	return append(out, p...)
}

func appendEntity(out []byte, name string) []byte {
	switch name {
	case "lt":
		return append(out, '<')
	case "gt":
		return append(out, '>')
	case "amp":
		return append(out, '&')
	case "quot":
		return append(out, '"')
	case "apos":
		return append(out, '\'')
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		base := 10
		if hex, ok := strings.CutPrefix(digits, "x"); ok {
			digits, base = hex, 16
		}
		if n, err := strconv.ParseInt(digits, base, 32); err == nil && (n >= 0x20 && n != 0x7f || n == '\n' || n == '\t') {
			return utf8.AppendRune(out, rune(n))
		}
		return out
	}
	return append(append(append(out, '&'), name...), ';')
}
