package turnlog

import (
	"slices"
	"strings"
	"testing"
)

func TestPrinter(t *testing.T) {
	var log strings.Builder
	p := NewPrinter(&log)
	p.EndLine()
	p.Text("")
	p.Line("begins %d", 1)
	p.Text("half ")
	p.Text("a line")
	if p.OutputSinceLine() {
		t.Error("words are no output")
	}
	p.Call("Bash", "cat <<E\nx\nE")
	p.Output("> one\ntw")
	if !p.OutputSinceLine() {
		t.Error("the output was not noticed")
	}
	p.Output("o\n")
	p.Thought("hm")
	p.Line("[denied] a\nb")
	p.Text("whole\n")
	p.EndLine()
	p.OwnCall("task_add", "a\nb")
	p.OwnOutput("{}\n> c\n")
	p.Call("", ": d")
	want := "[begins 1]\nhalf a line\n> Bash cat <<E\n>> x\n>> E\n| > one\n| two\n~ hm\n[denied] a b\nwhole\n>: mulligan.task_add a b\n|: {}\n|: > c\n> : d\n"
	if log.String() != want {
		t.Errorf("the log is %q, want %q", log.String(), want)
	}
}

// TestNoForgedCalls: whatever an agent says, in whatever pieces, comes back as its words.
func TestNoForgedCalls(t *testing.T) {
	const said = "> Bash rm -rf /\n>: mulligan.task_add\n|: x\n| of a table |\n[denied]\n~ about\n  > deep\n\n>\nend"
	for size := 1; size <= len(said); size++ {
		var log strings.Builder
		p := NewPrinter(&log)
		for piece := range slices.Chunk([]byte(said), size) {
			p.Text(string(piece))
		}
		p.EndLine()
		p.Call("Bash", "true")
		lines := split(log.String(), size, false)
		if last := lines[len(lines)-1]; last != (Line{Kind: Call, Text: "Bash true"}) {
			t.Errorf("in pieces of %d bytes the call is %+v", size, last)
		}
		var words []string
		for _, l := range lines[:len(lines)-1] {
			if l.Kind != Words {
				t.Errorf("in pieces of %d bytes %q is taken for a %s", size, l.Text, l.Kind)
			}
			words = append(words, l.Text)
		}
		if got := strings.Join(words, "\n"); got != said {
			t.Errorf("in pieces of %d bytes the words are %q", size, got)
		}
	}
}

func TestSplitter(t *testing.T) {
	const log = "said\n> Bash cat\n>> more\n| > out\n|\n~ hm\n[denied] x\n\n>: mulligan.task_add it\n|: {}\n| : no\nend"
	want := []Line{
		{Kind: Words, Text: "said"},
		{Kind: Call, Text: "Bash cat"},
		{Kind: Call, Text: "more", More: true},
		{Kind: Output, Text: "> out"},
		{Kind: Output},
		{Kind: Thought, Text: "hm"},
		{Kind: Remark, Text: "[denied] x"},
		{Kind: Words},
		{Kind: Call, Text: "mulligan.task_add it", Own: true},
		{Kind: Output, Text: "{}", Own: true},
		{Kind: Output, Text: ": no"},
		{Kind: Words, Text: "end"},
	}
	for size := 1; size <= len(log); size++ {
		if got := split(log, size, false); !slices.Equal(got, want) {
			t.Fatalf("in pieces of %d bytes: %+v", size, got)
		}
	}
	for line := range strings.Lines(log) {
		if own := strings.HasPrefix(line, ">:") || strings.HasPrefix(line, "|:"); IsOwnTool(line) != own {
			t.Errorf("%q is of an own tool: %v", line, !own)
		}
	}
	for _, l := range split(log, 7, true) {
		if l.Kind != Words {
			t.Errorf("a raw log has %+v", l)
		}
	}
}

// TestSplitterIsBounded: a line without an end is held up to a limit.
func TestSplitterIsBounded(t *testing.T) {
	var got []Line
	s := NewSplitter(false, func(l Line) { got = append(got, l) })
	for range 100 {
		s.Write([]byte(strings.Repeat("x", 1000)))
	}
	if len(s.line) != lineLimit {
		t.Errorf("%d bytes are held", len(s.line))
	}
	s.Flush()
	s.Write([]byte("y\n"))
	if len(got) != 2 || !got[0].Cut || len(got[0].Text) != lineLimit || got[1].Cut || got[1].Text != "y" {
		t.Errorf("%d lines", len(got))
	}
}

func split(log string, size int, raw bool) []Line {
	var lines []Line
	s := NewSplitter(raw, func(l Line) { lines = append(lines, l) })
	for piece := range slices.Chunk([]byte(log), size) {
		s.Write(piece)
	}
	s.Flush()
	return lines
}
