package report

import (
	"bytes"
	"strings"
)

// A plain finds errors in the output of programs that no format knows, by the
// conventions that most of them keep.
type plain struct {
	tally
	cur   *failure // the last item, for the lines that belong to it
	lines int      // how many lines ago it was found
	py    *failure // a Python traceback under way
	trace trace    // a Go panic under way
}

// plainWidth is how much of a line the rules look at.
const plainWidth = 1000

func (p *plain) readLine(line []byte) {
	line = line[:min(len(line), plainWidth)]
	if p.py != nil {
		p.readTraceback(line)
		return
	}
	if p.continuePanic(line) || p.readPlacedError(line) || p.readErrorStart(line) {
		return
	}
	if p.cur != nil {
		p.findPlace(line)
	}
}

// continuePanic reads a line of a Go panic whose place is not known yet, and reports whether it
// is one. Other programs may write to the same output, so it does not wait for long.
func (p *plain) continuePanic(line []byte) bool {
	const patience = 50
	if !p.trace.readLine(line) {
		return false
	}
	if p.lines++; p.trace.item.place != "" || p.lines > patience {
		p.trace = trace{}
	}
	return true
}

// readPlacedError reads the errors of compilers and linters, which begin with a place:
// `calc.c:12:5: error: text`, `src/app.ts(3,7): error TS2322: text`,
// `src/app.ts:3:7 - error TS2322: text`.
func (p *plain) readPlacedError(line []byte) bool {
	i := bytes.Index(line, []byte("rror"))
	if i < 2 || line[i-1] != 'e' && line[i-1] != 'E' {
		return false
	}
	place, rest, ok := cutPlace(line)
	if !ok {
		place, rest, ok = cutParenPlace(line)
	}
	if !ok || len(place) > i {
		return false
	}
	text := bytes.TrimLeft(rest, " -")
	word := bytes.ToLower(text[:min(len(text), 12)])
	if !bytes.HasPrefix(word, []byte("error")) && !bytes.HasPrefix(word, []byte("fatal error")) {
		return false
	}
	p.addFailure(string(place), string(place), trimLabel(text))
	return true
}

// cutParenPlace reads `path(3,7): rest`.
func cutParenPlace(line []byte) (place, rest []byte, ok bool) {
	i := bytes.IndexByte(line, '(')
	if i <= 0 || !isPath(line[:i]) {
		return nil, nil, false
	}
	j := bytes.Index(line[i:], []byte("): "))
	if j < 2 || countDigits(line[i+1:]) == 0 {
		return nil, nil, false
	}
	return line[:i+j+1], line[i+j+2:], true
}

// trimLabel takes `error: ` off, and leaves a code such as TS2322.
func trimLabel(text []byte) []byte {
	for _, label := range []string{"fatal error: ", "error: ", "Error: ", "error "} {
		if rest, ok := bytes.CutPrefix(text, []byte(label)); ok {
			return rest
		}
	}
	return text
}

// readErrorStart reads the errors that a line begins with.
func (p *plain) readErrorStart(line []byte) bool {
	switch c := line[0]; {
	case c == 'T' && bytes.HasPrefix(line, []byte("Traceback (most recent call last)")):
		p.py = p.addFailure("Traceback", "", nil)
	case c == 'p' && bytes.HasPrefix(line, []byte("panic: ")):
		p.trace = trace{item: p.addFailure(clipLine(line), "", nil), named: true}
	case c == 'F' && (bytes.HasPrefix(line, []byte("FAIL")) || bytes.HasPrefix(line, []byte("FAILED"))):
		return p.readFailLine(line)
	case c == 'n' && bytes.HasPrefix(line, []byte("not ok ")):
		p.addFailure(clipLine(line), "", nil)
	case c == 'e' || c == 'E' || c == 'f' || c == 'F' || c >= 'A' && c <= 'Z':
		return p.readLabelledError(line)
	default:
		return false
	}
	return true
}

// readFailLine reads `FAIL: name`, `FAIL name`, `FAILED name`.
func (p *plain) readFailLine(line []byte) bool {
	rest := bytes.TrimLeft(bytes.TrimPrefix(line[4:], []byte("ED")), ": \t")
	if len(rest) == 0 || line[4] != ':' && line[4] != ' ' && line[4] != '\t' && line[4] != 'E' {
		return false
	}
	p.addFailure(clipLine(rest), "", nil)
	return true
}

// readLabelledError reads `error: text`, `error[E0425]: text`, `TypeError: text`,
// `java.lang.IllegalStateException: text`, `fatal: text`.
func (p *plain) readLabelledError(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), 80)], ':')
	if i < 0 || i+1 < len(line) && line[i+1] != ' ' {
		return false
	}
	label := line[:i]
	if j := bytes.IndexByte(label, '['); j > 0 && label[i-1] == ']' {
		label = label[:j]
	}
	switch string(label) {
	case "error", "Error", "ERROR", "fatal", "fatal error", "FATAL", "Fatal error":
	default:
		if bytes.IndexByte(label, ' ') >= 0 || !bytes.HasSuffix(label, []byte("Error")) && !bytes.HasSuffix(label, []byte("Exception")) {
			return false
		}
	}
	if text := bytes.TrimLeft(line[i+1:], " "); bytes.HasPrefix(text, []byte("aborting due to ")) ||
		bytes.HasPrefix(text, []byte("could not compile ")) {
		return true // it only counts the errors
	}
	p.addFailure(clipLine(line), "", nil)
	return true
}

func (p *plain) addFailure(name, place string, message []byte) *failure {
	f := p.list.addItem(name, place, place)
	if len(message) > 0 {
		f.message.addLine(bytes.TrimSpace(message))
	}
	p.cur, p.lines = f, 0
	return f
}

// findPlace takes the place of an error from a line near it: `  --> src/main.rs:2:5`, a stack's first frame.
func (p *plain) findPlace(line []byte) {
	if p.lines++; p.lines > 8 || p.cur.place != "" || line[0] != ' ' && line[0] != '\t' {
		p.cur = nil
		return
	}
	rest := bytes.TrimLeft(line, " \t")
	if place, ok := readStackPlace(rest); ok && !strings.HasPrefix(place, "node:") {
		p.cur.place = clipBytes(place, maxName)
	} else if r, ok := bytes.CutPrefix(rest, []byte("--> ")); ok {
		p.cur.place = clipLine(r)
	}
}

// readTraceback reads a Python traceback: the last frame is the place, and the first line
// that is not indented is the error.
func (p *plain) readTraceback(line []byte) {
	if line[0] == ' ' || line[0] == '\t' {
		if place, ok := readPythonFrame(bytes.TrimSpace(line)); ok {
			p.py.place = clipBytes(place, maxName)
		}
		return
	}
	p.py.name = clipLine(line)
	p.py = nil
}

// readPythonFrame reads `File "calc.py", line 3, in add`.
func readPythonFrame(line []byte) (string, bool) {
	rest, isFrame := bytes.CutPrefix(line, []byte(`File "`))
	path, rest, ok := bytes.Cut(rest, []byte(`", line `))
	n := countDigits(rest)
	if !isFrame || !ok || n == 0 {
		return "", false
	}
	return string(path) + ":" + string(rest[:n]), true
}
