// Package capture takes the output of a user's command: it writes it to a file and to a live
// viewer, and distils the part that a prompt can use. Its memory is bounded whatever the size of the
// output.
package capture

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mulligan/feedback"
	"mulligan/internal/process"
	"mulligan/report"
)

// Options tell where an output goes.
type Options struct {
	Path  string // of the file for the whole output; "" for none
	Limit int    // characters of the distilled text at most; 0: the default
	// FileLimit is how large the file may become: it keeps the start and the end of what is more. 0: the default.
	FileLimit int64
	Live      io.Writer // gets the output at once; its errors are ignored; may be nil
	// Filter removes secrets before anything is stored or shown; may be nil. Its Close must write what
	// it holds back, and leave the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
}

// Limit returns how many characters a text has at most if the config asks for so many.
func Limit(asked int) int {
	if asked == 0 {
		return feedback.DefaultLimit
	}
	return max(asked, feedback.MinLimit)
}

// An Output takes both streams of a command, in their order. It is not safe for
// concurrent use: give it to both streams as one value. Write never fails.
type Output struct {
	io.Writer
	distiller *feedback.Distiller
	sink      *process.Sink // nil if there is no file
	filter    io.Closer     // nil if there is none
	path      string
	lost      error // why the file is incomplete or missing
	tests     *report.Report
}

// Evidence is the result of an output.
type Evidence struct {
	feedback.Distilled
	Whole string // path of the whole output; "" if it was not stored
	Note  string // a sentence about an output that could not be stored whole; "" if it could
}

// New returns an Output. If the file cannot be created, Finish reports that: a command must not fail
// because its output cannot be stored.
func New(opt Options) *Output {
	o := &Output{distiller: feedback.NewDistiller(opt.Limit), path: opt.Path}
	to := []io.Writer{o.distiller}
	if opt.Live != nil {
		to = append(to, unheeded{opt.Live})
	}
	o.Writer = io.MultiWriter(to...)
	if opt.Path != "" {
		if o.sink, o.lost = process.NewSink(opt.Path, opt.FileLimit, to...); o.lost == nil {
			o.Writer = o.sink
		}
	}
	if opt.Filter != nil {
		filtered := opt.Filter(o.Writer)
		o.Writer, o.filter = filtered, filtered
	}
	return o
}

// An unheeded is a writer whose errors are ignored, such as those of a viewer that is gone.
type unheeded struct{ to io.Writer }

func (u unheeded) Write(p []byte) (int, error) {
	u.to.Write(p)
	return len(p), nil
}

// SetTests sets the counts of tests that are known from elsewhere, and replace those that the output tells; nil for none.
// It must be called before Finish.
func (o *Output) SetTests(tests *report.Report) { o.tests = tests }

// Finish ends the output and returns its evidence.
func (o *Output) Finish() Evidence {
	var e Evidence
	if o.filter != nil {
		o.filter.Close() // cannot fail: a sink and a distiller take everything, and the sink's Close has its errors
	}
	if o.sink != nil {
		cut := o.sink.Cut()
		o.lost = o.sink.Close()
		if e.Whole = o.path; cut > 0 {
			e.Note = fmt.Sprintf("[the file of the output has its start and its end: %d bytes between them are cut]", cut)
		}
	}
	if o.lost != nil {
		e.Note = fmt.Sprintf("[the output could not be kept whole: %v]", o.lost)
	}
	o.distiller.Tests = o.tests
	e.Distilled = o.distiller.Finish(e.Whole)
	return e
}

// Noted returns a text with a note under it. It cuts the text so that both together have at most limit
// characters.
func Noted(text, note string, limit int) string {
	if room := max(limit-utf8.RuneCountInString(note)-1, 0); utf8.RuneCountInString(text) > room {
		text = string([]rune(text)[:room])
	}
	return strings.TrimPrefix(text+"\n"+note, "\n")
}
