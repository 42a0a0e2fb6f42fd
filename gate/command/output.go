package command

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mulligan"
	"mulligan/feedback"
	"mulligan/internal/process"
)

// An output takes both streams of a command, in their order: the whole to a file, what
// a prompt can use to a distiller, and all of it live to whoever watches.
type output struct {
	io.Writer
	distiller *feedback.Distiller
	sink      *process.Sink // nil where there is no file
	filter    io.Closer     // nil where there is none
	path      string
	lost      error // why the file lacks something
}

// evidence is what an output came to.
type evidence struct {
	feedback.Distilled
	whole string // path of the whole; "" where it was not kept
	note  string // what to say of an output that could not be kept whole
}

func newOutput(w mulligan.Work, limit int, filter func(io.Writer) io.WriteCloser) *output {
	o := &output{distiller: feedback.NewDistiller(limit), path: w.Output}
	to := []io.Writer{o.distiller}
	if w.Live != nil {
		to = append(to, unheeded{w.Live})
	}
	if w.Output != "" {
		o.sink, o.lost = process.NewSink(w.Output, 0, 0, to...)
	}
	if o.sink != nil {
		o.Writer = o.sink
	} else {
		o.Writer = io.MultiWriter(to...)
	}
	if filter != nil {
		filtered := filter(o.Writer)
		o.Writer, o.filter = filtered, filtered
	}
	return o
}

// unheeded is a writer whose failure is nobody's concern: a watcher that went away.
type unheeded struct{ to io.Writer }

func (u unheeded) Write(p []byte) (int, error) {
	u.to.Write(p)
	return len(p), nil
}

func (o *output) finish() evidence {
	var e evidence
	if o.filter != nil {
		o.filter.Close() // neither a sink nor a distiller fails; what a sink lost it says itself
	}
	if o.sink != nil {
		o.lost = o.sink.Close()
		e.whole = o.path
	}
	if o.lost != nil {
		e.note = fmt.Sprintf("[the output could not be kept whole: %v]", o.lost)
	}
	e.Distilled = o.distiller.Finish(e.whole)
	return e
}

const (
	unexpectedPass = "expected to fail, but passed"
	shownOfPass    = 2_000 // characters: what passed needs no reading
)

// limit is how many characters a finding's text has at most.
func (g *Gate) limit() int {
	if g.deps.Limit == 0 {
		return feedback.DefaultLimit
	}
	return max(g.deps.Limit, feedback.MinLimit)
}

// room is what of that is left for the output.
func (g *Gate) room() int {
	limit := g.limit()
	if g.opt.Expect == expectFail {
		limit -= len(unexpectedPass) + 1
	}
	return limit
}

func (g *Gate) verdict(status mulligan.Status, why string, exit process.Exit, e evidence) mulligan.Verdict {
	f := e.Finding(g.opt.Command, exit.String(), e.whole)
	if exit.OK() && f.Runner == "" {
		f.Failing = nil // lines that only look like errors, of a command that had none
	}
	summary := feedback.Summary(f)
	switch {
	case status == mulligan.Pass:
		f.Text, f.Cut = ending(f.Text, f.Cut)
		if g.opt.Expect == expectFail {
			summary = "failed as expected: " + summary
		}
	case status == mulligan.Broken:
		summary = exit.String() + ": " + why
	case g.opt.Expect == expectFail:
		f.Text = strings.TrimSuffix(unexpectedPass+"\n"+f.Text, "\n")
		summary = unexpectedPass
	}
	if e.note != "" {
		f.Text, f.Cut = noted(f.Text, e.note, g.limit()), true
	}
	return mulligan.Verdict{Status: status, Summary: summary, Finding: f}
}

// ending is the last lines of what a passing check printed.
func ending(text string, cut bool) (string, bool) {
	n := utf8.RuneCountInString(text)
	if n <= shownOfPass {
		return text, cut
	}
	runes := []rune(text)
	text = string(runes[n-shownOfPass:])
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return text, true
}

// noted puts a note under a text, which makes room for it where it has to.
func noted(text, note string, limit int) string {
	if room := max(limit-utf8.RuneCountInString(note)-1, 0); utf8.RuneCountInString(text) > room {
		text = string([]rune(text)[:room])
	}
	return strings.TrimPrefix(text+"\n"+note, "\n")
}
