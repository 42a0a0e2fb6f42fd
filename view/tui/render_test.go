package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"mulligan"
	"mulligan/view"
	"mulligan/view/tui"
	"mulligan/view/viewtest"
)

func snapshot(s viewtest.Stream) view.Snapshot {
	m := view.NewModel()
	s.Play(m.Apply, m.Live)
	return m.Snapshot(s.Now)
}

func TestRender(t *testing.T) {
	for _, s := range viewtest.Streams() {
		sizes := [][2]int{{80, 24}}
		switch s.Name {
		case "second-attempt", "several-steps", "hostile", "loop-asking", "stop-asking", "stop-retrying", "guard-working", "guard-waiting", "gauged":
			sizes = [][2]int{{80, 24}, {40, 12}, {120, 40}, {24, 3}}
		}
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", s.Name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				viewtest.Golden(t, name, tui.Render(snapshot(s), size[0], size[1], tui.Look{Frame: 2})+"\n")
			})
		}
	}
}

// touchedSoFar is what a session has touched after its first turns.
var touchedSoFar = mulligan.Touched{
	Files: 14, Added: 120, Deleted: 7,
	Top: []mulligan.TouchedFile{
		{Path: "calc.go", Change: mulligan.FileAdded, Added: 100},
		{Path: "calc_test.go", Change: mulligan.FileChanged, Added: 3, Deleted: 6},
		{Path: "README.md", Change: mulligan.FileChanged, Added: 2, Deleted: 1},
		{Path: "old.go", Change: mulligan.FileDeleted},
	},
	Tests: []mulligan.TouchedFile{{Path: "calc_test.go", Change: mulligan.FileChanged, Added: 3, Deleted: 6}},
}

func TestRenderOfTheViewersOwnState(t *testing.T) {
	s := snapshot(viewtest.Streams()[2])
	s.Touched = &touchedSoFar
	for name, look := range map[string]tui.Look{
		"folded": {Fold: true}, "searched": {Search: "CALC"}, "not-found": {Search: "nowhere"}, "changes": {Changes: true},
		"message-typed": {Tell: true, Typing: tui.Typing{For: tui.TypingMessage, Text: "mind the gap"}},
		"message-begun": {Tell: true, Typing: tui.Typing{For: tui.TypingMessage}},
		"search-typed":  {Typing: tui.Typing{For: tui.TypingSearch, Text: "cal"}},
		"help":          {Help: true}, "stopping": {Stops: 1}, "stopping-at-once": {Stops: 2},
		"message": {Message: "cannot stop the session: no such process"}, "scrolled": {Scroll: 3},
	} {
		t.Run(name, func(t *testing.T) {
			viewtest.Golden(t, "look-"+name, tui.Render(s, 80, 24, look)+"\n")
		})
	}
}

// asked is a viewer who is about to answer.
var asked = tui.Look{Pause: true, Asking: tui.Asking{Can: true, For: 2, Input: "zero, 零 and nothing else"}}

func TestRenderOfAWordAboutAnItem(t *testing.T) {
	s := snapshot(stream(t, "guard-waiting"))
	for _, size := range [][2]int{{80, 24}, {40, 12}} {
		viewtest.Golden(t, fmt.Sprintf("item-%dx%d", size[0], size[1]), tui.Render(s, size[0], size[1], tui.Look{Decide: true, Typing: tui.Typing{For: tui.TypingWord}})+"\n")
	}
}

func TestRenderOfAnAnswer(t *testing.T) {
	s := snapshot(viewtest.LoopAsking())
	for name, look := range map[string]tui.Look{
		"typing": asked, "asked": {Asking: tui.Asking{Can: true}}, "hidden": {Asking: tui.Asking{Can: true, Hidden: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			viewtest.Golden(t, "answer-"+name, tui.Render(s, 80, 24, look)+"\n")
		})
	}
}

func check(t *testing.T, what string, s view.Snapshot, w, h int, look tui.Look) {
	t.Helper()
	plain := tui.Render(s, w, h, look)
	lines := strings.Split(plain, "\n")
	if len(lines) != h {
		t.Fatalf("%s: %d lines", what, len(lines))
	}
	for _, l := range lines {
		if ansi.StringWidth(l) > w {
			t.Fatalf("%s: a line is %d wide: %q", what, ansi.StringWidth(l), l)
		}
	}
	for _, r := range plain {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control)) {
			t.Fatalf("%s: %U in %q", what, r, plain)
		}
	}
	look.Color = true
	if painted := tui.Render(s, w, h, look); trimmed(ansi.Strip(painted)) != trimmed(plain) {
		t.Fatalf("%s: colour changes the text:\n%s\n---\n%s", what, ansi.Strip(painted), plain)
	}
}

// trimmed is without the spaces at line ends, which colour may keep.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func BenchmarkRender(b *testing.B) {
	s := snapshot(viewtest.Streams()[2])
	for b.Loop() {
		tui.Render(s, 120, 40, tui.Look{Color: true})
	}
}
