// Package feedback makes prompts of evidence: it distils the output of checks into what an
// agent can use, and describes what changed between attempts.
package feedback

import (
	"bytes"
	"fmt"
	"io"

	"mulligan"
	"mulligan/report"
	"mulligan/report/block"
)

const (
	// DefaultLimit is how many characters a distilled output has at most.
	DefaultLimit = 8000
	// MinLimit is the smallest limit that leaves room for evidence beside the
	// words about what was cut.
	MinLimit = 200

	// heldPerChar is how many bytes of failing items of each tier are held for each
	// character of the limit: enough to choose from.
	heldPerChar = 16
)

// Distilled is what an agent gets of an output.
type Distilled struct {
	Text   string // at most the limit's characters, clean of escapes, without a last newline
	Cut    bool   // Text is less than the whole
	Bytes  int64  // of the whole, as it came
	Report report.Report
	// ItemsFirst is set where Text begins with what failed, and not with the start of the output.
	ItemsFirst bool
}

// Finding returns the evidence that a gate leaves of this output.
func (d Distilled) Finding(command, exit, whole string) *mulligan.Finding {
	return &mulligan.Finding{
		Command:    command,
		Text:       d.Text,
		Cut:        d.Cut,
		ItemsFirst: d.ItemsFirst,
		Whole:      whole,
		Bytes:      d.Bytes,
		Exit:       exit,
		Runner:     d.Report.Runner,
		Counts:     d.Report.Counts,
		Counted:    d.Report.Counted,
		Failing:    d.Report.Failing,
	}
}

// A Distiller takes an output of any size, however it is split, in bounded memory: of a large one it reads the start and
// the end. It is not safe for concurrent use. Write never fails.
type Distiller struct {
	// Tests has the counts that are known from elsewhere, and replace those that were read; nil for none.
	Tests *report.Report

	limit   int
	bytes   int64
	end     outputEnd
	cleaner lineCleaner
	repeats repeatFolder
	doc     document
	scanner *report.Scanner
	blocks  *block.Scanner
}

var _ io.Writer = (*Distiller)(nil)

// NewDistiller returns a Distiller whose text has at most limit characters: 0 for
// DefaultLimit, and never fewer than MinLimit.
func NewDistiller(limit int) *Distiller {
	if limit == 0 {
		limit = DefaultLimit
	}
	limit = max(limit, MinLimit)
	d := &Distiller{limit: limit, doc: newDocument(limit), scanner: report.New(), blocks: block.New(heldPerChar * limit)}
	d.cleaner.onPart = d.blocks.LongPart
	d.doc.onLine = d.blocks.Line
	return d
}

// Write takes the next piece of the output.
func (d *Distiller) Write(p []byte) (int, error) {
	head := p[:min(int64(len(p)), max(readEnd-d.bytes, 0))]
	d.bytes += int64(len(p))
	d.read(head)
	d.end.add(p[len(head):])
	return len(p), nil
}

// read reads a piece of the start or the end of the output.
func (d *Distiller) read(p []byte) {
	for at := 0; at < len(p); {
		if !d.cleaner.begun {
			if n := bytes.IndexByte(p[at:], '\n'); n >= 0 {
				if line := bytes.TrimRight(p[at:at+n], "\r"); isCleanLine(line) {
					d.addLine(cleanLine{text: line})
					at += n + 1
					continue
				}
			}
		}
		rest, done := d.cleaner.feed(p[at:])
		if at = len(p) - len(rest); done {
			d.flushLine()
		}
	}
}

// readOutputEnd reads the end of an output of which only the start was read so far.
func (d *Distiller) readOutputEnd() {
	d.end.trim()
	if d.end.bytes > 0 {
		d.endLine()
		d.repeats.flush(&d.doc)
		d.repeats = repeatFolder{}
		d.cleaner = lineCleaner{onPart: d.blocks.LongPart}
		d.blocks.EndPart()
		d.doc.skip(d.end.lines, d.end.bytes)
	}
	for _, chunk := range d.end.chunks {
		d.read(chunk)
	}
	d.endLine()
}

// endLine ends a line without a newline.
func (d *Distiller) endLine() {
	if len(d.cleaner.held) > 0 || d.cleaner.lost > 0 {
		d.flushLine()
	}
}

// Finish ends the output and returns what was made of it. whole is the path of the whole
// output, "" if it was not kept.
func (d *Distiller) Finish(whole string) Distilled {
	d.readOutputEnd()
	d.repeats.flush(&d.doc)
	out := Distilled{Bytes: d.bytes, Report: d.scanner.Report()}
	out.Report.Counted = out.Report.Counted && d.end.bytes == 0
	if t := d.Tests; t != nil {
		out.Report.Counts, out.Report.Counted, out.Report.Runner = t.Counts, t.Counted, t.Runner
	}
	found := d.blocks.Finish()
	addFound(&out.Report, found)
	d.doc.compose(&out, found, d.limit, whole)
	return out
}

func (d *Distiller) flushLine() {
	line, lost := d.cleaner.takeLine()
	d.addLine(cleanLine{text: line, lost: lost})
}

// A cleanLine is a line of the output, clean of escapes.
type cleanLine struct {
	text []byte
	lost int64 // bytes at its end that are missing
}

func (d *Distiller) addLine(l cleanLine) {
	d.scanner.Line(l.text)
	d.repeats.addLine(l, &d.doc)
	if l.lost > 0 {
		d.blocks.EndLong(l.text, d.doc.lines)
	}
}

// Distill reads an output to its end and distils it.
func Distill(r io.Reader, limit int, whole string) (Distilled, error) {
	if limit != 0 && limit < MinLimit {
		return Distilled{}, fmt.Errorf("a limit of %d characters is too small: the least is %d", limit, MinLimit)
	}
	d := NewDistiller(limit)
	if _, err := io.Copy(d, r); err != nil {
		return Distilled{}, fmt.Errorf("read the output: %w", err)
	}
	return d.Finish(whole), nil
}
