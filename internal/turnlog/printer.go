package turnlog

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"mulligan/internal/text"
)

// A Printer writes the log of a turn for people: what the agent says as it comes, and what it does
// in lines of their own. Errors of its writer are not reported: a log that cannot be written stops
// the turn by itself. A Printer is safe for concurrent use: what an agent's program complains of comes beside
// what it says.
type Printer struct {
	mu      sync.Mutex
	w       io.Writer
	midLine Kind // of the last line, while it has not ended; "" else
	output  bool // Output was called after the last line
}

// NewPrinter returns a Printer that writes to w.
func NewPrinter(w io.Writer) *Printer { return &Printer{w: w} }

// Text writes a piece of what the agent says.
func (p *Printer) Text(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(Words, s)
}

// Output writes a piece of what a tool prints.
func (p *Printer) Output(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(Output, s)
	p.output = p.output || s != ""
}

// Thought writes a piece of what the agent thinks aloud.
func (p *Printer) Thought(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(Thought, s)
}

// write writes a piece of text, each line of it with the mark of its kind. It must be called with mu held.
func (p *Printer) write(kind Kind, s string) {
	if p.midLine != kind {
		p.endLine()
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		switch {
		case p.midLine != "":
		case kind == Output:
			b.WriteString(string(outputMark) + " ")
		case kind == Thought:
			b.WriteString(string(thoughtMark) + " ")
		case isMark(line[0]):
			b.WriteByte(' ')
		}
		b.WriteString(line)
		if p.midLine = kind; strings.HasSuffix(line, "\n") {
			p.midLine = ""
		}
	}
	if b.Len() > 0 {
		io.WriteString(p.w, b.String())
	}
}

// EndLine ends the line that the last piece began, if it has not ended.
func (p *Printer) EndLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLine()
}

func (p *Printer) endLine() {
	if p.midLine != "" {
		io.WriteString(p.w, "\n")
	}
	p.midLine = ""
}

// Line writes a remark in a line of its own, in brackets.
func (p *Printer) Line(format string, args ...any) {
	text := strings.ReplaceAll(strings.TrimRight(fmt.Sprintf(format, args...), "\n"), "\n", " ")
	if !strings.HasPrefix(text, string(remarkMark)) {
		text = "[" + text + "]"
	}
	p.writeLine(text)
}

// callLimit is how many characters of what a tool is used on are written.
const callLimit = 4000

// Call writes that the agent uses a tool, and what on.
func (p *Printer) Call(tool, subject string) {
	call := strings.TrimSpace(tool + " " + text.Clip(subject, callLimit))
	p.writeLine("> " + strings.ReplaceAll(call, "\n", "\n>> "))
}

// ownName goes before the name of one of the session's own tools.
const ownName = "mulligan."

// OwnCall writes that the agent uses one of the session's own tools, and what on. All agents write it in this form,
// whatever their programs call the tool, so that a view that shows the tool's event can leave the line out.
func (p *Printer) OwnCall(tool, subject string) {
	call := strings.TrimSpace(ownName + tool + " " + text.Clip(text.OneLine(subject), callLimit))
	p.writeLine(string(callMark) + string(ownMark) + " " + call)
}

// OwnOutput writes what one of the session's own tools replied, in lines of their own.
func (p *Printer) OwnOutput(s string) {
	mark := string(outputMark) + string(ownMark) + " "
	p.writeLine(mark + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+mark))
}

// writeLine writes a text that has its marks.
func (p *Printer) writeLine(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLine()
	io.WriteString(p.w, text+"\n")
	p.output = false
}

// OutputSinceLine reports whether output was written after the last call or remark.
func (p *Printer) OutputSinceLine() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output
}

// Complaints returns a writer for what the agent's program prints as errors: each line is a remark. Close
// writes the last one.
func (p *Printer) Complaints() io.WriteCloser { return &complaints{printer: p} }

type complaints struct {
	printer *Printer
	line    []byte
}

func (c *complaints) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if c.line = append(c.line, line...); c.line[len(c.line)-1] == '\n' || len(c.line) > lineLimit {
			c.Close()
		}
	}
	return len(p), nil
}

// Close writes the line under way.
func (c *complaints) Close() error {
	if line := strings.TrimRight(string(c.line), "\r\n"); line != "" {
		c.printer.Line("[stderr] %s", line)
	}
	c.line = c.line[:0]
	return nil
}
