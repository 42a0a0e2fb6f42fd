package report

import (
	"bytes"
	"strings"
)

// trace reads a Go panic: its message, and the frame that it came from.
type trace struct {
	item  *found
	test  string // the test that a time-out names: its own frame is the place
	hung  bool   // a time-out, whose tests come next
	named bool   // the item has a test's name already
	fn    string // the function whose file comes next
	root  string // the standard library's folder, once it is seen
}

// panicked reads `panic: …` and `fatal error: …`.
func (g *golang) panicked(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("panic: ")) && !bytes.HasPrefix(line, []byte("fatal error: ")) {
		return false
	}
	g.trace = trace{hung: bytes.HasPrefix(line, []byte("panic: test timed out"))}
	if t := g.cur; t != nil && !t.parent && !g.trace.hung && (t.item == nil || t.item.message.empty()) {
		g.failed(t)
		t.item.place = ""
		g.trace.item, g.trace.named = t.item, true
	} else {
		// A test that failed before has said why: this is another one, which the frames name.
		g.counts.Failed++
		g.trace.item = g.list.add("panic", g.pkg, "")
	}
	g.trace.item.message.add(line)
	return true
}

// line takes a line of the panic; false says that it is none.
func (t *trace) line(line []byte) bool {
	if t.item == nil {
		return false
	}
	switch {
	case line[0] == '\t' || line[0] == ' ':
		t.indented(bytes.TrimSpace(line))
	case bytes.HasPrefix(line, []byte("FAIL")), bytes.HasPrefix(line, []byte("ok  \t")), bytes.HasPrefix(line, []byte("--- ")), bytes.HasPrefix(line, []byte("=== ")):
		return false
	default:
		t.fn = head(line)
		t.nameBy(t.fn)
	}
	return true
}

func (t *trace) indented(line []byte) {
	if t.hung && bytes.HasSuffix(line, []byte(")")) && bytes.HasPrefix(line, []byte("Test")) {
		name, _, _ := strings.Cut(head(line), " (")
		if t.test == "" {
			t.item.name, t.test, t.named = name, name, true
		} else {
			t.item.message.add([]byte("also running: " + name))
		}
		return
	}
	path, rest, ok := cutPlace(line)
	if !ok || t.item.place != "" || len(rest) > 0 && rest[0] != ' ' {
		return
	}
	place := string(path)
	if t.standard(place) || !t.wanted() {
		return
	}
	t.item.place = clip(place, maxName)
}

// standard says that a file is not the user's: the trace begins inside the runtime.
func (t *trace) standard(place string) bool {
	for _, std := range []string{"/src/testing/", "/src/runtime/"} {
		if i := strings.Index(place, std); i >= 0 && t.root == "" {
			t.root = place[:i+len("/src/")]
		}
	}
	if t.root != "" && strings.HasPrefix(place, t.root) {
		return true
	}
	for _, p := range []string{"testing/", "runtime/", "_testmain.go"} {
		if strings.HasPrefix(place, p) {
			return true
		}
	}
	return false
}

// wanted says whether the frame may be the place: after a time-out only the one of
// the test that hung, for all goroutines are there.
func (t *trace) wanted() bool {
	if t.test == "" {
		return true
	}
	top, _, _ := strings.Cut(t.test, "/")
	return strings.Contains(t.fn, "."+top+"(") || strings.Contains(t.fn, "."+top+".")
}

// nameBy names a panic outside of any known test by the test that its frames show.
func (t *trace) nameBy(fn string) {
	if t.named {
		return
	}
	i := strings.Index(fn, ".Test")
	if i < 0 {
		return
	}
	name := fn[i+1:]
	if end := strings.IndexAny(name, ".( "); end > 0 {
		name = name[:end]
	}
	t.item.name, t.named = name, true
}

func (t *trace) end() { *t = trace{} }

// settle ends a panic. One that the frames gave to a test which had failed already is
// part of that failure.
func (g *golang) settle() {
	f := g.trace.item
	g.trace.end()
	if f == nil {
		return
	}
	for _, other := range g.list.items {
		if other != f && other.name == f.name && other.scope == f.scope {
			other.message.add([]byte(f.message.lines[0]))
			g.list.remove(f)
			g.counts.Failed--
			return
		}
	}
}
