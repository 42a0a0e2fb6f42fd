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
		g.json = g.json || g.test
		g.endEventTest(e)
		return
	case "bench":
		g.uncounted = true
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

// endEventTest counts the test that an event ends as passed or skipped, or remembers one that it begins.
// One that failed was read from its output.
func (g *golang) endEventTest(e block.GoEvent) {
	if len(e.Test) == 0 {
		return
	}
	pkg, cur := g.pkg, g.cur
	g.pkg = clipBytes(string(e.Package), maxName)
	switch t := g.findTest(string(e.Test)); string(e.Action) {
	case "pass":
		g.endTest(t, &g.counts.Passed)
	case "skip":
		g.endTest(t, &g.counts.Skipped)
	}
	g.pkg, g.cur = pkg, cur
}
