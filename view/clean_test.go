package view_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mulligan/view"
	"mulligan/view/viewtest"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"private sequence", "a\x1b[?25lb", "ab"},
		{"title with bell", "a\x1b]0;owned\x07b", "ab"},
		{"title with terminator", "a\x1b]0;owned\x1b\\b", "ab"},
		{"link", "\x1b]8;;http://example.com\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"device string", "a\x1bPq#0;2\x1b\\b", "ab"},
		{"string broken off by another sequence", "a\x1b]0;x\x1b[31mb", "ab"},
		{"never ended", "a\x1b]0;swallows\nb", "a\nb"},
		{"cancelled", "a\x1b[3\x18b", "ab"},
		{"two bytes", "a\x1b7b\x1b(Bc", "abc"},
		{"eight-bit controls", "a\u009b31mb\u009d0;x\u009cc", "abc"},
		{"bare control characters", "a\x00\x07\x7f\x0bb", "ab"},
		{"reordering", "a\u202eb\u2066c\u2069", "abc"},
		{"separators and hidden", "a\u2028b\ufeffc\U000e0041d", "abcd"},
		{"carriage return", "progress 10%\rprogress 9%", "progress 9%"},
		{"windows line ends", "a\r\nb\r\n", "a\nb"},
		{"backspace", "abc\b\bd", "ad"},
		{"tabs", "a\tb\tc", "a   b   c"},
		{"letters of the world", "日本語 é 👩‍💻", "日本語 é 👩‍💻"},
		{"not a character", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"blank lines stay", "a\n\nb", "a\n\nb"},
	} {
		if got := view.Text(c.in); got != c.want {
			t.Errorf("%s: Text(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestLineShowsAllOfAName(t *testing.T) {
	if got, want := view.Line("evil\rgood\nnext\b"), "evil good next"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := view.Line(strings.Repeat("é", 5000)); utf8.RuneCountInString(got) > 300 || !strings.HasSuffix(got, "…") {
		t.Errorf("a long name has %d characters and ends %q", utf8.RuneCountInString(got), got[len(got)-6:])
	}
}

// Output comes in pieces that end anywhere, inside a sequence or a character too.
func TestLiveIsTheSameHoweverItIsCut(t *testing.T) {
	whole := "one\n" + viewtest.Nasty + "\n日本 \x1b]0;t\x1b\\x\x1b[38;5;1my\r\nlast"
	want := lines([]byte(whole))
	for size := 1; size < len(whole); size++ {
		m := view.NewModel()
		for rest := []byte(whole); len(rest) > 0; {
			n := min(size, len(rest))
			m.Live(rest[:n])
			rest = rest[n:]
		}
		if got := texts(m); got != want {
			t.Fatalf("in pieces of %d bytes: %q, want %q", size, got, want)
		}
	}
}

func lines(p []byte) string {
	m := view.NewModel()
	m.Live(p)
	return texts(m)
}

// FuzzText also compares what is plain, and is not examined character by character, with the same text
// after a sequence that says nothing.
func FuzzText(f *testing.F) {
	f.Add(viewtest.Nasty)
	f.Add("  a plain text  ")
	for _, n := range []int{299, 300, 301, 498, 499, 500, 501} {
		f.Add(strings.Repeat("x", n))
		f.Add(strings.Repeat("x", n-1) + " ")
	}
	f.Add("a\x1b[31")
	f.Add("\xe6\x97")
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{view.Text(s), view.Line(s), lines([]byte(s))} {
			if bad := unsafe(got); bad != "" {
				t.Errorf("%q lets %s through: %q", s, bad, got)
			}
		}
		if got, want := view.Text(s), view.Text("\x1b[m"+s); got != want {
			t.Errorf("Text(%q) = %q, want %q", s, got, want)
		}
		if got, want := view.Line(s), view.Line("\x1b[m"+s); got != want {
			t.Errorf("Line(%q) = %q, want %q", s, got, want)
		}
	})
}

// unsafe names the first thing in s that a terminal must not be given.
func unsafe(s string) string {
	for _, r := range s {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control)) {
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}
