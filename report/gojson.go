package report

import (
	"bytes"
	"encoding/json"
	"strings"
)

// goEvent is an event of `go test -json`.
type goEvent struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

// isEvent tells an event of go test from other JSON before it is decoded.
func isEvent(line []byte) bool {
	return len(line) > 12 && line[0] == '{' &&
		(bytes.HasPrefix(line, []byte(`{"Time":"`)) || bytes.HasPrefix(line, []byte(`{"Action":"`)) ||
			bytes.HasPrefix(line, []byte(`{"ImportPath":"`)))
}

// event reads an event. What it carries is the text of `go test -v`, with a label of
// where it is from: the text is read as such, and the label sorts packages and
// parallel tests that come mixed.
func (g *golang) event(line []byte) {
	var e goEvent
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Action {
	case "output", "build-output":
	case "start", "run", "pass", "fail", "skip":
		g.test = g.test || e.Package != ""
		return
	default:
		return
	}
	if pkg := clip(e.Package, maxName); pkg != g.pkg {
		g.settle()
		g.pkg = pkg
	}
	g.cur = nil
	if e.Test != "" {
		g.cur = g.get(e.Test)
	}
	for out := range strings.Lines(e.Output) {
		g.text(bytes.TrimRight([]byte(out), "\r\n"))
	}
}
