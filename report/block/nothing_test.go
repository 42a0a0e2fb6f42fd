package block

import (
	"bytes"
	"os"
	"path/filepath"
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
	files, err := filepath.Glob("../../feedback/testdata/corpus/*/*.out")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files of the corpus, %v", len(files), err)
	}
	passed := 0
	for _, file := range files {
		output, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
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

func FuzzLinesThatTellNothing(f *testing.F) {
	for _, text := range []string{"==1== Process terminating now", "RUNS a b", "1) the first", "In a line 3:", "not ok 1", "a  b: In c:", "40 bytes are definitely lost in record"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkNothing(t, New(1<<10), text) })
}
