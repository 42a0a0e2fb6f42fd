package report

import (
	"bytes"

	"mulligan/report/block"
)

// readEvent reads an event. What it carries is the text of `go test -v`, with a label of
// where it is from: the text is read as such, and the label sorts packages and
// parallel tests that come mixed.
func (g *golang) readEvent(e block.GoEvent) {
	switch string(e.Action) {
	case "output", "build-output":
	case "start", "run", "pass", "fail", "skip":
		g.test = g.test || len(e.Package) > 0
		return
	default:
		return
	}
	if string(e.Package) != g.pkg {
		g.settlePanic()
		g.pkg = clipBytes(string(e.Package), maxName)
	}
	g.cur = nil
	if len(e.Test) > 0 {
		g.cur = g.findTest(string(e.Test))
	}
	for out := range bytes.Lines(e.Output) {
		g.readText(bytes.TrimRight(out, "\r\n"))
	}
}
