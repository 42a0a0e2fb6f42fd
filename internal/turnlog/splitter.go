package turnlog

import "bytes"

// lineLimit is how many bytes of a line are kept.
const lineLimit = 8 << 10

// A Splitter takes the log of a turn apart while it is written to it. It holds one line at most.
type Splitter struct {
	raw  bool
	emit func(Line)
	line []byte
	cut  bool
	any  bool // the line has begun, though it may be empty
}

// NewSplitter returns a Splitter that calls emit with each line. A raw log has no marks: all of it is
// words, as of an agent that is any program.
func NewSplitter(raw bool, emit func(Line)) *Splitter { return &Splitter{raw: raw, emit: emit} }

// Write takes the next bytes of the log. It never fails.
func (s *Splitter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		s.add(line)
		if ended {
			s.Flush()
		}
		rest = after
	}
	return len(p), nil
}

func (s *Splitter) add(piece []byte) {
	s.any = true
	if room := lineLimit - len(s.line); len(piece) > room {
		piece, s.cut = piece[:room], true
	}
	s.line = append(s.line, piece...)
}

// Flush emits the line under way, if there is one.
func (s *Splitter) Flush() {
	if s.any {
		s.emit(s.parse())
	}
	s.line, s.cut, s.any = s.line[:0], false, false
}

// parse returns the line under way by its mark.
func (s *Splitter) parse() Line {
	l := Line{Kind: Words, Text: string(s.line), Cut: s.cut}
	if s.raw || len(s.line) == 0 {
		return l
	}
	rest, own := bytes.CutPrefix(s.line[1:], []byte{ownMark})
	switch s.line[0] {
	case callMark:
		rest, l.More = bytes.CutPrefix(rest, []byte{callMark})
		l.Kind, l.Own, l.Text = Call, own, trimSpace(rest)
	case outputMark:
		l.Kind, l.Own, l.Text = Output, own, trimSpace(rest)
	case thoughtMark:
		l.Kind, l.Text = Thought, trimSpace(s.line[1:])
	case remarkMark:
		l.Kind = Remark
	case ' ':
		if len(s.line) > 1 && isMark(s.line[1]) {
			l.Text = string(s.line[1:])
		}
	}
	return l
}

// trimSpace returns a line without the space behind its mark.
func trimSpace(line []byte) string { return string(bytes.TrimPrefix(line, []byte{' '})) }
