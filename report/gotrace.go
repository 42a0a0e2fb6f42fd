package report

import (
	"bytes"
	"slices"
	"strings"
)

// A trace reads a Go panic: its message, and the frame that it came from.
type trace struct {
	item  *failure
	test  string // the test that a time-out names: its own frame is the place
	hung  bool   // a time-out, whose tests come next
	named bool   // the item has a test's name already
	fn    string // the function whose file comes next
	root  string // the standard library's folder, once it is seen
}

// startPanic reads `panic: …` and `fatal error: …`, and reports whether the line is one of them.
func (g *golang) startPanic(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("panic: ")) && !bytes.HasPrefix(line, []byte("fatal error: ")) {
		return false
	}
	g.trace = trace{hung: bytes.HasPrefix(line, []byte("panic: test timed out"))}
	if t := g.cur; t != nil && !t.parent && !g.trace.hung && (t.item == nil || t.item.message.isEmpty()) {
		g.failTest(t)
		t.item.place = ""
		g.trace.item, g.trace.named = t.item, true
	} else {
		// A test that failed before has its reason: this is another one, which the frames name.
		g.counts.Failed++
		g.trace.item = g.list.addItem("panic", g.pkg, "")
	}
	g.trace.item.message.addLine(line)
	return true
}

// readLine takes a line of the panic, and reports whether it is one.
func (t *trace) readLine(line []byte) bool {
	if t.item == nil {
		return false
	}
	switch {
	case line[0] == '\t' || line[0] == ' ':
		t.readFrame(bytes.TrimSpace(line))
	case bytes.HasPrefix(line, []byte("FAIL")), bytes.HasPrefix(line, []byte("ok  \t")), bytes.HasPrefix(line, []byte("--- ")), bytes.HasPrefix(line, []byte("=== ")):
		return false
	default:
		t.fn = clipLine(line)
		t.nameByFrame(t.fn)
	}
	return true
}

func (t *trace) readFrame(line []byte) {
	if t.hung && bytes.HasSuffix(line, []byte(")")) && bytes.HasPrefix(line, []byte("Test")) {
		name, _, _ := strings.Cut(clipLine(line), " (")
		if t.test == "" {
			t.item.name, t.test, t.named = name, name, true
		} else {
			t.item.message.addLine([]byte("also running: " + name))
		}
		return
	}
	path, rest, ok := cutPlace(line)
	if !ok || t.item.place != "" || len(rest) > 0 && rest[0] != ' ' {
		return
	}
	place := string(path)
	if t.isStandard(place) || !t.isWantedFrame() {
		return
	}
	t.item.place = clipBytes(place, maxName)
}

// isStandard reports whether a file is not the user's: the trace begins inside the runtime.
func (t *trace) isStandard(place string) bool {
	for _, std := range []string{"/src/testing/", "/src/runtime/"} {
		if i := strings.Index(place, std); i >= 0 && t.root == "" {
			t.root = place[:i+len("/src/")]
		}
	}
	hasPrefix := func(prefix string) bool { return prefix != "" && strings.HasPrefix(place, prefix) }
	return slices.ContainsFunc([]string{t.root, "testing/", "runtime/", "_testmain.go"}, hasPrefix)
}

// isWantedFrame reports whether the frame may be the place: after a time-out only that of the
// test that hung may, for all goroutines are there.
func (t *trace) isWantedFrame() bool {
	if t.test == "" {
		return true
	}
	top, _, _ := strings.Cut(t.test, "/")
	return strings.Contains(t.fn, "."+top+"(") || strings.Contains(t.fn, "."+top+".")
}

// nameByFrame names a panic outside of any known test by the test that its frames show.
func (t *trace) nameByFrame(fn string) {
	i := strings.Index(fn, ".Test")
	if t.named || i < 0 {
		return
	}
	name := fn[i+1:]
	if end := strings.IndexAny(name, ".( "); end > 0 {
		name = name[:end]
	}
	t.item.name, t.named = name, true
}

// settlePanic ends a panic. One whose frames name a test that had failed already becomes part of
// that failure.
func (g *golang) settlePanic() {
	f := g.trace.item
	g.trace = trace{}
	if f == nil {
		return
	}
	for _, other := range g.list.items {
		if other != f && other.name == f.name && other.scope == f.scope {
			other.message.addLine([]byte(f.message.lines[0]))
			g.list.removeItem(f)
			g.counts.Failed--
			return
		}
	}
}
