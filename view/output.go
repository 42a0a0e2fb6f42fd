package view

import (
	"mulligan/internal/escape"
	"mulligan/internal/turnlog"
)

// An OutputLine is a line of live output.
type OutputLine struct {
	Text    string
	Heading bool // not output, but the heading of what follows
	Remark  bool // not output, but an event's remark
}

const keptLines = 2000

// A ring keeps the last lines of live output.
type ring struct {
	liner liner
	lines [keptLines]OutputLine
	total int64 // lines ever
	// turnLog is set while the output is the log of a turn, whose lines have marks. Those of the session's own tools
	// are left out: what the tools do comes as remarks.
	turnLog bool
}

func newRing() *ring {
	r := &ring{}
	r.liner = liner{max: maxLine, done: r.addOutput}
	return r
}

func (r *ring) addOutput(line string) {
	if !r.turnLog || !turnlog.IsOwnTool(line) {
		r.addLine(OutputLine{Text: line})
	}
}

func (r *ring) addLine(l OutputLine) {
	r.lines[r.total%keptLines] = l
	r.total++
}

// addHeading closes the line under way and adds a heading for the output that follows. It replaces a
// heading that had no output.
func (r *ring) addHeading(text string) {
	r.flush()
	if r.total > 0 && r.lines[(r.total-1)%keptLines].Heading {
		r.total-- // nothing came under the last mark
	}
	r.addLine(OutputLine{Text: text, Heading: true})
}

// addRemark adds an event's remark between the lines of output.
func (r *ring) addRemark(text string) {
	r.flush()
	r.addLine(OutputLine{Text: text, Remark: true})
}

// flush closes the line under way.
func (r *ring) flush() {
	if rest := r.liner.line(); rest != "" {
		r.addOutput(rest)
	}
	r.liner.restart()
	r.liner.escapes, r.liner.partial = escape.Parser{}, nil
}

// lastLines returns the kept lines, the one under way included, and how many lines there have been in
// all.
func (r *ring) lastLines() ([]OutputLine, int64) {
	out := make([]OutputLine, 0, keptLines+1)
	for i := max(0, r.total-keptLines); i < r.total; i++ {
		out = append(out, r.lines[i%keptLines])
	}
	total := r.total
	if rest := r.liner.line(); rest != "" && !(r.turnLog && turnlog.IsOwnTool(rest)) {
		out = append(out, OutputLine{Text: rest})
		total++
	}
	return out, total
}
