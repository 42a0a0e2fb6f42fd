package claudecode

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mulligan/feedback"
	"mulligan/internal/capture"
	"mulligan/internal/jsonsearch"
	"mulligan/internal/process"
)

const (
	keptOutput = 4 << 20 // of stdout, from its end: an answer is there
	keptBegin  = 1 << 10 // of stdout, from its start: whether it begins as an answer
	keptErrors = 1 << 20 // of stderr, from its start
)

// An output takes what a hook prints: both streams, in the order in which they come, to the file
// for the whole, and each to a keeper of its own, because they mean different things.
type output struct {
	whole  *process.Sink // nil if the whole is not kept
	path   string        // of the whole; "" if it is not kept
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

func (r Runner) newOutput(t hookTask) *output {
	o := &output{}
	var shared []io.Writer
	if t.outputPath != "" {
		o.whole, o.lost = process.NewSink(t.outputPath, r.FileLimit, t.live)
	}
	switch {
	case o.whole != nil:
		o.path = t.outputPath
		shared = append(shared, o.whole)
	case t.live != nil:
		shared = append(shared, t.live)
	}
	o.stdout = r.newStream(process.NewHeadTail(keptBegin, keptOutput), shared)
	o.stderr = r.newStream(process.NewHeadTail(keptErrors, 0), shared)
	return o
}

func (r Runner) newStream(raw *process.HeadTail, shared []io.Writer) *stream {
	s := &stream{raw: raw, distiller: feedback.NewDistiller(r.textLimit())}
	s.Writer = io.MultiWriter(append([]io.Writer{raw, s.distiller}, shared...)...)
	if r.Filter != nil {
		filtered := r.Filter(s.Writer)
		s.Writer, s.filter = filtered, filtered
	}
	return s
}

func (r Runner) textLimit() int { return capture.Limit(r.Limit) }

// finish ends both streams and the file.
func (o *output) finish() {
	for _, s := range []*stream{o.stdout, o.stderr} {
		if s.filter != nil {
			s.filter.Close() // no writer behind it fails; whole.Close reports what the file lost
		}
		s.distilled = s.distiller.Finish(o.path)
	}
	if o.whole != nil {
		o.lost = o.whole.Close()
	}
}

// agentText returns stderr, a blank line and stdout, distilled for an agent. If they do not both
// fit, neither pushes the other out.
func (o *output) agentText(limit int) string {
	err, out := o.stderr.size(), o.stdout.size()
	room := limit - len("\n\n")
	if err+out > room {
		err = min(err, max(room/2, room-out))
		out = min(out, room-err)
	}
	return joinParagraphs(o.stderr.fitText(err, o.path), o.stdout.fitText(out, o.path))
}

func (s *stream) size() int { return utf8.RuneCountInString(s.distilled.Text) }

// fitText returns the distilled text in at most room characters.
func (s *stream) fitText(room int, whole string) string {
	switch {
	case s.size() <= room:
		return s.distilled.Text
	case s.isEntire():
		return distilText(string(s.keptBytes()), room, whole)
	}
	return distilText(s.distilled.Text, room, whole)
}

// isEntire reports whether all of a stream is kept.
func (s *stream) isEntire() bool {
	_, _, cut := s.raw.Parts()
	return cut == 0
}

// keptBytes returns what is kept of a stream: all of it, or of stdout the end.
func (s *stream) keptBytes() []byte {
	head, tail, _ := s.raw.Parts()
	if len(tail) > 0 {
		head = tail
	}
	return bytes.TrimRight(head, "\n")
}

// distilText distils a text for an agent.
func distilText(text string, limit int, whole string) string {
	d := feedback.NewDistiller(limit)
	io.WriteString(d, text)
	return strings.Trim(d.Finish(whole).Text, "\n")
}

// readAnswer reads the answer on stdout. An output that is too large to be searched is an error
// only if it could hide an answer.
func (o *output) readAnswer() (answer, error) {
	text := o.stdout.keptBytes()
	a, err := parseAnswer(text)
	if err != nil {
		return a, err
	}
	if o.stdout.isEntire() {
		a.wrong = cmp.Or(a.wrong, explainUnreadable(text))
		return a, nil
	}
	head, _, _ := o.stdout.raw.Parts()
	trimmed := bytes.TrimSpace(text)
	if bytes.HasSuffix(trimmed, []byte("}")) || bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) {
		if at, found, _ := jsonsearch.LastObject(trimmed); !found || at.End != len(trimmed) {
			return a, fmt.Errorf("its last JSON object is larger than %d MiB, or cut", keptOutput>>20)
		}
	}
	a.rest = fmt.Sprintf("[… %d bytes before this are left out; the whole output is in %s …]\n%s",
		o.stdout.raw.Size()-int64(len(text)), o.path, a.rest)
	return a, nil
}

// cleanText takes secrets and escapes out of a text that did not come through an output.
func (r Runner) cleanText(text string) string {
	if r.Filter != nil {
		var out bytes.Buffer
		w := r.Filter(&out)
		io.WriteString(w, text)
		w.Close()
		text = out.String()
	}
	return distilText(text, r.textLimit(), "")
}
