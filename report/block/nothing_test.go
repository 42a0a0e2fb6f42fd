package block

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// checkNothing fails if a line is passed over that begins a block, or explains one.
func checkNothing(t *testing.T, s *Scanner, raw []byte) (passed bool) {
	t.Helper()
	l := line{raw: raw, at: 7}
	body := raw[measureWrapper(raw):]
	l.indent = countIndent(body)
	if l.text = trimEnd(body[l.indent:]); len(l.text) == 0 {
		return false
	}
	s.header, s.banner = "", nil
	if l.bits = s.features.scan(l.text); l.bits != 0 || !tellsNothing(&l) {
		return false
	}
	if st, ok := s.classify(&l); ok {
		t.Errorf("%q is passed over, and begins %+v", raw, st)
	}
	s.before = []Line{{Text: "before", At: 1}}
	s.noteHeader(&l)
	if kept := len(s.before); s.header != "" || len(s.banner) > 0 || kept > 1 || (kept == 0) != (l.indent == 0) {
		t.Errorf("%q is passed over, and explains what follows: header %q, banner %q, %d lines before", raw, s.header, s.banner, kept)
	}
	return true
}

func TestLinesThatTellNothing(t *testing.T) {
	s := New(1 << 10)
	for _, text := range []string{"compiling the unit", "   12 compiling the unit", "Downloading the world", "2026-01-05T10:00:01.123Z served a job from the queue"} {
		if !checkNothing(t, s, []byte(text)) {
			t.Errorf("%q is not passed over", text)
		}
	}
	passed := 0
	for _, output := range readCorpus(t) {
		for text := range bytes.Lines(output[:min(len(output), 100<<10)]) {
			text = bytes.TrimRight(text, "\r\n")
			for _, before := range []string{"", "  ", "==12== ", "#3 0.123 "} {
				if checkNothing(t, s, append([]byte(before), text...)) {
					passed++
				}
			}
		}
	}
	if passed < 1000 {
		t.Errorf("%d lines were passed over", passed)
	}
}

// checkPassing compares a Scanner that passes plain lines with one that reads them, after each line. It returns how
// many were passed.
func checkPassing(t *testing.T, output []byte) (passed int) {
	t.Helper()
	quick, thorough := New(1<<10), New(1<<10)
	at := 0
	for raw := range bytes.Lines(output) {
		raw = bytes.TrimRight(raw, "\r\n")
		at++
		thorough.readLine(raw, at, false)
		switch {
		case hasTelltale(string(raw)):
			quick.Line(raw, at)
			continue
		case !quick.passPlain(raw, at):
			quick.readLine(raw, at, true)
			continue
		}
		passed++
		if now, want := stateOf(quick), stateOf(thorough); !reflect.DeepEqual(now, want) || quick.features.first != thorough.features.first {
			t.Fatalf("%q was passed and leaves\n%+v\nwant\n%+v", raw, now, want)
		}
	}
	if got, want := quick.Finish(), thorough.Finish(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	return passed
}

// stateOf returns a Scanner's state, without what cannot be compared or never changes.
func stateOf(s *Scanner) Scanner {
	state := *s
	state.features, state.quiet = nil, [256]bool{}
	state.store, state.recent = store{}, [8]*Block{} // Finish compares what is in them
	state.doc.emit, state.doc.json, state.doc.xml = nil, jsonReader{}, xmlReader{}
	state.before, state.source, state.banner = append([]Line{}, s.before...), append([]byte{}, s.source...), append([]byte{}, s.banner...)
	return state
}

// readCorpus returns the outputs of the corpus.
func readCorpus(t *testing.T) (outputs [][]byte) {
	t.Helper()
	files, err := filepath.Glob("../../feedback/testdata/corpus/*/*.out")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files of the corpus, %v", len(files), err)
	}
	for _, file := range files {
		output, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, output)
	}
	return outputs
}

func TestPlainLinesArePassed(t *testing.T) {
	passed := 0
	for _, output := range readCorpus(t) {
		output = output[:min(len(output), 5<<10)]
		passed += checkPassing(t, output)
		for _, between := range []string{"17 compiling it\n  with all options\n", "web-1  | ", "1.234 ", "  "} {
			passed += checkPassing(t, bytes.ReplaceAll(output, []byte("\n"), []byte("\n"+between)))
		}
	}
	if passed < 1000 {
		t.Errorf("%d lines were passed", passed)
	}
}

func FuzzPlainLinesArePassed(f *testing.F) {
	f.Add([]byte("a b\na b\na b\na b\na b\n1) x\n  in a:\n=== a b\nweb-1  | {\n"))
	f.Fuzz(func(t *testing.T, output []byte) {
		checkPassing(t, append([]byte("17 x y\n17 x y\n17 x y\n17 x y\n17 x y\n"), output...))
	})
}

func FuzzLinesThatTellNothing(f *testing.F) {
	for _, text := range []string{"==1== Process terminating now", "RUNS a b", "1) the first", "In a line 3:", "not ok 1", "a  b: In c:", "40 bytes are definitely lost in record"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkNothing(t, New(1<<10), text) })
}
