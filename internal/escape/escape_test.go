package escape_test

import (
	"strings"
	"testing"

	"mulligan/internal/escape"
)

func TestParserTellsSequencesFromText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"private sequence", "a\x1b[?25lb", "ab"},
		{"title with bell", "a\x1b]0;“owned”\x07b", "ab"},
		{"title with terminator", "a\x1b]0;owned\x1b\\b", "ab"},
		{"string broken off by another sequence", "a\x1b]0;x\x1b[31mb", "ab"},
		{"string never ended", "a\x1b]0;swallows\nb", "a\nb"},
		{"control sequence never ended", "a\x1b[3\nb", "a\nb"},
		{"character set", "a\x1b(Bb", "ab"},
		{"two characters", "a\x1b7b", "ab"},
		{"controls beyond ASCII", "a\u009b31mb\u009d0;x\u009cc\u0090q\u009cd", "abcd"},
		{"control characters in a sequence", "a\x1b[3\r\x7f1mb", "ab"},
		{"control character after ESC", "a\x1b\tb", "a\tb"},
		{"letter beyond ASCII in a sequence", "a\x1b[3éb", "aéb"},
		{"letter beyond ASCII after an intermediate", "a\x1b(éb", "aéb"},
	} {
		var p escape.Parser
		var got strings.Builder
		for _, r := range c.in {
			if p.Next(r) == escape.Text {
				got.WriteRune(r)
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: text of %q is %q, want %q", c.name, c.in, got.String(), c.want)
		}
		if p.Inside() {
			t.Errorf("%s: a sequence of %q is open at its end", c.name, c.in)
		}
	}
}

func TestParserKeepsTheFirstParameters(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[K": "", "\x1b[2K": "2", "\x1b[31m\x1b[0K": "0",
		"\x1b[38;2;255;100;50;48;2;255;100;50m":   "38;2;255;100;50;48;2;255;100;50",
		"\x1b[" + strings.Repeat("1;", 500) + "m": strings.Repeat("1;", 20),
	} {
		var p escape.Parser
		var last escape.Kind
		for _, r := range in {
			last = p.Next(r)
		}
		if got := string(p.Params()); last != escape.Final || got != want {
			t.Errorf("%q ends as kind %d with parameters %q, want %q", in, last, got, want)
		}
	}
}
