package agent

import (
	"fmt"
	"io"
	"strings"
)

// A Printer writes the log of a turn for people: what the agent says as it comes, and what it does
// in lines of their own. Errors of its writer are not reported: a Log that cannot be written stops
// the turn by itself. A Printer is not safe for concurrent use.
type Printer struct {
	w       io.Writer
	midLine bool // the last text has no line end yet
	texted  bool // Text was called after the last Line
}

// NewPrinter returns a Printer that writes to w.
func NewPrinter(w io.Writer) *Printer { return &Printer{w: w} }

// Text writes a piece of text as it is.
func (p *Printer) Text(s string) {
	if s == "" {
		return
	}
	io.WriteString(p.w, s)
	p.midLine, p.texted = !strings.HasSuffix(s, "\n"), true
}

// EndLine ends the line that the last text began, if it has not ended.
func (p *Printer) EndLine() {
	if p.midLine {
		p.Text("\n")
	}
}

// Line writes a line of its own.
func (p *Printer) Line(format string, args ...any) {
	p.EndLine()
	p.Text(fmt.Sprintf(format, args...) + "\n")
	p.texted = false
}

// TextSinceLine reports whether text was written after the last line.
func (p *Printer) TextSinceLine() bool { return p.texted }
