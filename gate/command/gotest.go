package command

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mulligan/report"
	"mulligan/report/block"
)

// askGoForEvents returns the command with -json in every `go test` whose output is the check's own, and
// reports whether there is one: the events name every test, those that passed or were skipped too. What
// goes into a pipe or a file is left as it is, and so is a command that does more than run tests.
func askGoForEvents(command string) (asked string, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return command, false
	}
	var at []uint
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			return n.Op == syntax.AndStmt || n.Op == syntax.OrStmt
		case *syntax.Stmt:
			return len(n.Redirs) == 0 && !n.Background
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
			return false
		case *syntax.CallExpr:
			if isGoTest(n) {
				at = append(at, n.Args[1].End().Offset())
			}
		}
		return true
	})
	for _, offset := range slices.Backward(at) {
		command = command[:offset] + " -json" + command[offset:]
	}
	return command, len(at) > 0
}

// isGoTest reports whether a call is a `go test` that only runs tests and prints what came of it.
func isGoTest(call *syntax.CallExpr) bool {
	if len(call.Args) < 2 || call.Args[0].Lit() != "go" || call.Args[1].Lit() != "test" {
		return false
	}
	for _, word := range call.Args[2:] {
		name, _, _ := strings.Cut(strings.TrimLeft(word.Lit(), "-"), "=")
		if word.Lit() == "-args" || word.Lit() == "--args" {
			break
		}
		if strings.HasPrefix(word.Lit(), "-") && slices.Contains([]string{"json", "c", "list", "bench", "fuzz", "n", "x", "h", "help", "test.list", "test.bench", "test.fuzz"}, name) {
			return false
		}
	}
	return true
}

// asksForVerbose reports whether a command asks go test for the output of tests that pass.
func asksForVerbose(command string) bool {
	return slices.ContainsFunc(strings.Fields(command), func(w string) bool {
		return w == "-v" || w == "--v" || strings.HasPrefix(w, "-v=") || strings.HasPrefix(w, "-test.v")
	})
}

const (
	maxHeldLine = 1 << 20   // bytes of a line that may be an event
	maxHeldTest = 256 << 10 // bytes that a test printed, until it is known whether it passes
)

// A goText turns the events of `go test -json` back into what go test prints without -json, and counts
// the tests. Every other line goes through as it is. It is not safe for concurrent use.
type goText struct {
	to      io.Writer
	verbose bool
	tests   *report.Scanner
	seen    bool // there was an event
	line    []byte
	long    bool // the line is too long for an event, and is written as it comes
	held    map[goTestKey]*goTestOutput
}

type goTestKey struct{ pkg, test string }

// goTestOutput is what a test, or a package outside its tests, printed so far.
type goTestOutput struct{ text []byte }

func newGoText(to io.Writer, verbose bool) *goText {
	return &goText{to: to, verbose: verbose, tests: report.New(), held: map[goTestKey]*goTestOutput{}}
}

func (g *goText) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		piece, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		g.line = append(g.line, piece...)
		switch {
		case ended && g.long:
			g.long = false
			g.to.Write(append(g.line, '\n'))
			g.line = g.line[:0]
		case ended:
			g.readLine()
		case g.long || len(g.line) > maxHeldLine:
			g.long = true
			g.to.Write(g.line)
			g.line = g.line[:0]
		}
	}
	return len(p), nil
}

// finish writes what is held back.
func (g *goText) finish() {
	if len(g.line) > 0 {
		g.to.Write(g.line)
	}
	for _, o := range g.held { // of a go test that did not come to its end
		g.to.Write(o.text)
	}
}

func (g *goText) readLine() {
	line := g.line
	g.line = g.line[:0]
	g.tests.Line(bytes.TrimRight(line, "\r"))
	e, ok := block.ReadGoEvent(bytes.TrimRight(line, "\r"))
	if !ok {
		g.to.Write(append(line, '\n'))
		return
	}
	g.seen = true
	key := goTestKey{string(e.Package), string(e.Test)}
	switch string(e.Action) {
	case "output":
		g.hold(key, e.Output)
	case "build-output":
		g.to.Write(e.Output)
	case "pass", "skip", "fail":
		g.endTest(key, string(e.Action))
	}
}

// hold keeps what a test printed until it has ended.
func (g *goText) hold(key goTestKey, out []byte) {
	if g.verbose {
		g.to.Write(out)
		return
	}
	o := g.held[key]
	if o == nil {
		o = &goTestOutput{}
		g.held[key] = o
	}
	if len(o.text)+len(out) <= maxHeldTest {
		o.text = append(o.text, out...)
	}
}

// endTest writes what go test prints of a test, or of a package, that has ended so.
func (g *goText) endTest(key goTestKey, how string) {
	o := g.held[key]
	delete(g.held, key)
	switch {
	case key.test == "" && how == "fail":
		for other, rest := range g.held { // tests that a panic or a time limit ended
			if other.pkg == key.pkg {
				g.to.Write(arrangeFailure(rest.text))
				delete(g.held, other)
			}
		}
		if o != nil {
			g.to.Write(o.text)
		}
	case key.test == "" && o != nil:
		g.to.Write(lastTextLine(o.text))
	case how == "fail" && o != nil:
		g.to.Write(arrangeFailure(o.text))
	}
}

// arrangeFailure returns what a failing test printed as go test does without -v: first that it failed.
func arrangeFailure(text []byte) []byte {
	var result, rest []byte
	for line := range bytes.Lines(text) {
		switch bare := bytes.TrimLeft(line, " "); {
		case bytes.HasPrefix(line, []byte("=== ")):
		case result == nil && bytes.HasPrefix(bare, []byte("--- FAIL: ")):
			result = line
		default:
			rest = append(rest, line...)
		}
	}
	return slices.Concat(result, rest)
}

// lastTextLine returns the line that go test ends a package with.
func lastTextLine(text []byte) []byte {
	trimmed := bytes.TrimRight(text, "\n")
	return text[bytes.LastIndexByte(trimmed, '\n')+1:]
}
