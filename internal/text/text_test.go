package text_test

import (
	"testing"

	"mulligan/internal/text"
)

func TestCount(t *testing.T) {
	tests := []struct {
		n    int
		noun string
		want string
	}{
		{0, "turn", "0 turns"},
		{1, "retry", "1 retry"},
		{2, "retry", "2 retries"},
		{2, "day", "2 days"},
		{-1, "step", "-1 steps"},
		{2, "y", "2 ys"},
	}
	for _, test := range tests {
		if got := text.Count(test.n, test.noun); got != test.want {
			t.Errorf("Count(%d, %q) = %q, want %q", test.n, test.noun, got, test.want)
		}
	}
}

func TestTimes(t *testing.T) {
	if got := text.Times(1); got != "once" {
		t.Errorf("Times(1) = %q", got)
	}
	if got := text.Times(3); got != "3 times" {
		t.Errorf("Times(3) = %q", got)
	}
}

func TestClip(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"äöü", 3, "äöü"},
		{"äöüß", 3, "äö…"},
		{"a\xffbcd", 3, "a\xff…"},
		{"abc", 0, "…"},
	}
	for _, test := range tests {
		if got := text.Clip(test.text, test.n); got != test.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := text.OneLine("  a\n\tb  c\r\n"); got != "a b c" {
		t.Errorf("OneLine = %q", got)
	}
}
