//go:build !race

package tui_test

import (
	"fmt"
	"testing"

	"mulligan/view"
	"mulligan/view/tui"
	"mulligan/view/viewtest"
)

// Whatever the size, the screen is exactly that large, and nothing on it is obeyed by
// the terminal but the colours.
func TestEverySizeFits(t *testing.T) {
	snaps := []view.Snapshot{{}, {Current: -1}}
	for _, s := range viewtest.Streams() {
		snaps = append(snaps, snapshot(s))
	}
	for _, events := range viewtest.NastyEvents() {
		m := view.NewModel()
		for _, e := range events {
			m.Apply(e)
		}
		m.Live([]byte(viewtest.Nasty))
		snaps = append(snaps, m.Snapshot(viewtest.Begun))
	}
	looks := []tui.Look{
		{},
		{Help: true, Stops: 2, Scroll: 1000},
		asked,
		{Asking: tui.Asking{Can: true, Hidden: 1}},
		{Fold: true, Search: "e", Scroll: 3},
		{Changes: true},
		{Typing: tui.Typing{For: tui.TypingMessage, Text: "零 and nothing else"}},
		{Typing: tui.Typing{For: tui.TypingSearch, Text: "零 and nothing else"}},
	}
	for i, s := range snaps {
		s.Touched = &touchedSoFar
		for j, w := range []int{1, 2, 3, 5, 9, 20, 40, 55, 56, 80, 131} {
			for k, h := range []int{1, 2, 3, 4, 5, 7, 10, 13, 14, 18, 24, 50} {
				// Every look at every width and at every height; not at every pair of them.
				check(t, fmt.Sprintf("snapshot %d at %dx%d", i, w, h), s, w, h, looks[(i+j+k)%len(looks)])
			}
		}
	}
	if got := tui.Render(view.Snapshot{}, 0, 10, tui.Look{}); got != "" {
		t.Errorf("a screen of no width shows %q", got)
	}
}
