// Package capture takes what a user's command prints: the whole to a file, what a prompt
// can use to a distiller, and all of it live to whoever watches. Its memory is bounded
// whatever the size of the output.
package capture

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mulligan/feedback"
	"mulligan/internal/process"
)

// Options say where an output goes.
type Options struct {
	Path  string    // of the file for the whole; "" where it is not kept
	Limit int       // characters of the distilled text at most; 0: the default
	Live  io.Writer // nil where nobody watches; its failures are nobody's concern
	// Filter takes secrets out before anything is kept or shown; nil where nobody asks for it.
	// Close writes what is held back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
}

// Limit is how many characters a text has at most where a user asked for so many.
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
	sink      *process.Sink // nil where there is no file
	filter    io.Closer     // nil where there is none
	path      string
	lost      error // why the file lacks something
}

// Evidence is what an output came to.
type Evidence struct {
	feedback.Distilled
	Whole string // path of the whole; "" where it was not kept
	Note  string // what to say of an output that could not be kept whole
}

// New begins an output. A file that cannot be made is told by Finish: a command is not to
// fail because of what becomes of its output.
func New(opt Options) *Output {
	o := &Output{distiller: feedback.NewDistiller(opt.Limit), path: opt.Path}
	to := []io.Writer{o.distiller}
	if opt.Live != nil {
		to = append(to, unheeded{opt.Live})
	}
	if opt.Path != "" {
		o.sink, o.lost = process.NewSink(opt.Path, to...)
	}
	if o.sink != nil {
		o.Writer = o.sink
	} else {
		o.Writer = io.MultiWriter(to...)
	}
	if opt.Filter != nil {
		filtered := opt.Filter(o.Writer)
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

// Finish ends the output.
func (o *Output) Finish() Evidence {
	var e Evidence
	if o.filter != nil {
		o.filter.Close() // neither a sink nor a distiller fails; what a sink lost it says itself
	}
	if o.sink != nil {
		o.lost = o.sink.Close()
		e.Whole = o.path
	}
	if o.lost != nil {
		e.Note = fmt.Sprintf("[the output could not be kept whole: %v]", o.lost)
	}
	e.Distilled = o.distiller.Finish(e.Whole)
	return e
}

// Noted puts a note under a text, which makes room for it where it has to.
func Noted(text, note string, limit int) string {
	if room := max(limit-utf8.RuneCountInString(note)-1, 0); utf8.RuneCountInString(text) > room {
		text = string([]rune(text)[:room])
	}
	return strings.TrimPrefix(text+"\n"+note, "\n")
}
