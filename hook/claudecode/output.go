package claudecode

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mulligan/feedback"
	"mulligan/internal/capture"
	"mulligan/internal/process"
)

const (
	keptOutput = 4 << 20 // of stdout: an answer stands at its end
	keptErrors = 1 << 20 // of stderr, from its start
)

// An output takes what a hook says: both streams, in the order in which they come, to the
// file for the whole, and each to a keeper of its own, because they mean different things.
type output struct {
	whole  *process.Sink // nil where the whole is not kept
	path   string        // of the whole; "" where it is not kept
	lost   error         // why the whole lacks something
	stdout *stream
	stderr *stream
}

// A stream is one of the two, in bounded memory: raw as far as it is kept, and distilled.
type stream struct {
	io.Writer
	filter    io.Closer
	raw       *process.HeadTail
	distiller *feedback.Distiller
	distilled feedback.Distilled
}

func (r Runner) newOutput(t task) *output {
	o := &output{path: t.whole}
	var shared []io.Writer
	if t.whole != "" {
		if o.whole, o.lost = process.NewSink(t.whole, 0, 0, t.live); o.lost != nil {
			o.path = ""
		}
	}
	switch {
	case o.whole != nil:
		shared = append(shared, o.whole)
	case t.live != nil:
		shared = append(shared, t.live)
	}
	o.stdout = r.newStream(process.NewHeadTail(0, keptOutput), shared)
	o.stderr = r.newStream(process.NewHeadTail(keptErrors, 0), shared)
	return o
}

func (r Runner) newStream(raw *process.HeadTail, shared []io.Writer) *stream {
	s := &stream{raw: raw, distiller: feedback.NewDistiller(r.limit())}
	s.Writer = io.MultiWriter(append([]io.Writer{raw, s.distiller}, shared...)...)
	if r.Filter != nil {
		filtered := r.Filter(s.Writer)
		s.Writer, s.filter = filtered, filtered
	}
	return s
}

func (r Runner) limit() int { return capture.Limit(r.Limit) }

// finish ends both streams and the file.
func (o *output) finish() {
	for _, s := range []*stream{o.stdout, o.stderr} {
		if s.filter != nil {
			s.filter.Close() // nothing behind it fails; what the file lost it says itself
		}
		s.distilled = s.distiller.Finish(o.path)
	}
	if o.whole != nil {
		o.lost = o.whole.Close()
	}
}

func (o *output) bytes() int64 { return o.stdout.raw.Size() + o.stderr.raw.Size() }

// text is stderr, a blank line and stdout, made into what an agent can use. Where they do
// not both fit, neither pushes the other out.
func (o *output) text(limit int) string {
	err, out := o.stderr.size(), o.stdout.size()
	room := limit - len("\n\n")
	if err+out > room {
		err = min(err, max(room/2, room-out))
		out = min(out, room-err)
	}
	return paragraphs(o.stderr.fitted(err, o.path), o.stdout.fitted(out, o.path))
}

func (s *stream) size() int { return utf8.RuneCountInString(s.distilled.Text) }

// fitted is the distilled text in so many characters.
func (s *stream) fitted(room int, whole string) string {
	switch {
	case s.size() <= room:
		return s.distilled.Text
	case s.entire():
		return distil(string(s.kept()), room, whole)
	}
	return distil(s.distilled.Text, room, whole)
}

// entire says that all of a stream is at hand.
func (s *stream) entire() bool {
	_, _, cut := s.raw.Parts()
	return cut == 0
}

// kept is what of a stream is at hand: all of it, or of stdout the end.
func (s *stream) kept() []byte {
	head, tail, _ := s.raw.Parts()
	return bytes.TrimRight(append(head, tail...), "\n")
}

// distil makes a text into what an agent can use.
func distil(text string, limit int, whole string) string {
	d := feedback.NewDistiller(limit)
	io.WriteString(d, text)
	return strings.Trim(d.Finish(whole).Text, "\n")
}

// note says what became of an output that could not be kept whole.
func (o *output) note() string {
	if o.lost == nil {
		return ""
	}
	return fmt.Sprintf("the output could not be kept whole: %v", o.lost)
}

// answer reads what stdout says. An output that is too large to be searched is an error
// only where it could hide an answer.
func (o *output) answer() (answer, error) {
	text := o.stdout.kept()
	a, err := answerIn(text)
	if err != nil || o.stdout.entire() {
		return a, err
	}
	if trimmed := bytes.TrimSpace(text); bytes.HasSuffix(trimmed, []byte("}")) {
		if at, found, _ := lastObject(trimmed); !found || at.end != len(trimmed) {
			return a, fmt.Errorf("its last JSON object is larger than %d MiB", keptOutput>>20)
		}
	}
	a.rest = fmt.Sprintf("[… %d bytes before this are left out; the whole output is in %s …]\n%s",
		o.stdout.raw.Size()-int64(len(text)), o.path, a.rest)
	return a, nil
}

// cleaned takes secrets and escapes out of a text that did not come through an output.
func (r Runner) cleaned(text string) string {
	if r.Filter != nil {
		var out bytes.Buffer
		w := r.Filter(&out)
		io.WriteString(w, text)
		w.Close()
		text = out.String()
	}
	return distil(text, r.limit(), "")
}
