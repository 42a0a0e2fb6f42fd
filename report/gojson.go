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

// isGoEvent reports whether a line is an event of go test rather than other JSON, without
// decoding it.
func isGoEvent(line []byte) bool {
	return len(line) > 12 && line[0] == '{' &&
		(bytes.HasPrefix(line, []byte(`{"Time":"`)) || bytes.HasPrefix(line, []byte(`{"Action":"`)) ||
			bytes.HasPrefix(line, []byte(`{"ImportPath":"`)))
}

// readEvent reads an event. What it carries is the text of `go test -v`, with a label of
// where it is from: the text is read as such, and the label sorts packages and
// parallel tests that come mixed.
func (g *golang) readEvent(line []byte) {
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
	if pkg := clipBytes(e.Package, maxName); pkg != g.pkg {
		g.settlePanic()
		g.pkg = pkg
	}
	g.cur = nil
	if e.Test != "" {
		g.cur = g.findTest(e.Test)
	}
	for out := range strings.Lines(e.Output) {
		g.readText(bytes.TrimRight([]byte(out), "\r\n"))
	}
}
