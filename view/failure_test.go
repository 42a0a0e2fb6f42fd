package view_test

import (
	"strings"
	"testing"

	"mulligan"
	"mulligan/view"
)

// Finding 7: an excerpt begins with the first failing item, with its heading where that is near.
func TestExcerptBeginsWithTheFailure(t *testing.T) {
	const header = "=== starts ===\nplatform x\n\na.py FF.\n\n=== FAILURES ===\n"
	item := mulligan.Item{Name: "a.py::test_one", Place: "a.py:3", Message: "assert 4 == 3\n +  where 4 = f()"}
	for _, tt := range []struct{ name, text, first string }{
		{"heading", header + "___ test_one ___\n\n    def test_one():\n>     assert f() == 3\nE     assert 4 == 3\n", "___ test_one ___"},
		{"no heading", header + strings.Repeat("    body\n", 20) + ">     assert f() == 3\nE     assert 4 == 3\n", ">     assert f() == 3"},
		{"in the line itself", header + "FAILED a.py::test_one - assert 4 == 3\n", "FAILED a.py::test_one - assert 4 == 3"},
		{"not there", header + "something else\n", "=== starts ==="},
	} {
		lines, more := view.Excerpt(mulligan.Verdict{Finding: &mulligan.Finding{Text: tt.text, Failing: []mulligan.Item{{Name: "none"}, item}}}, 12)
		if all := strings.Count(tt.text, "\n"); len(lines) == 0 || lines[0] != tt.first || len(lines)+more != all {
			t.Errorf("%s: %q and %d more of %d, want to begin with %q", tt.name, lines, more, all, tt.first)
		}
	}
}

// Of an output in which nothing is known to have failed, the end tells what stopped it.
func TestExcerptOfAnUnknownOutput(t *testing.T) {
	text := strings.Repeat("setting up\n", 30) + "the disk is full"
	for _, tt := range []struct {
		finding mulligan.Finding
		last    string
	}{
		{mulligan.Finding{Text: text}, "the disk is full"},
		{mulligan.Finding{Text: text, ItemsFirst: true}, "setting up"},
		{mulligan.Finding{Text: text, Counts: mulligan.Counts{Failed: 1}}, "setting up"},
	} {
		lines, more := view.Excerpt(mulligan.Verdict{Finding: &tt.finding}, 12)
		if len(lines) != 12 || lines[11] != tt.last || more != 19 {
			t.Errorf("%q and %d more, want to end with %q", lines, more, tt.last)
		}
	}
}
