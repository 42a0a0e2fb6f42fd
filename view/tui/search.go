package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mulligan/view"
)

// matchStyle is that of the text that was searched for.
const matchStyle view.Tone = "7"

// matches returns the rows in which a text occurs.
func (a outputArea) matches(part string) []int {
	if part == "" {
		return nil
	}
	part = strings.ToLower(part)
	var found []int
	for i, row := range a.rows {
		if strings.Contains(strings.ToLower(ansi.Strip(row)), part) {
			found = append(found, i)
		}
	}
	return found
}

// countMatches returns "2 of 7 found", where the second is the last in sight.
func (c canvas) countMatches() string {
	found := c.area.matches(c.Search)
	if len(found) == 0 {
		return "not found: " + fit(c.Search, 20)
	}
	end := len(c.area.rows) - min(c.Scroll, c.area.back())
	last := 0
	for _, row := range found {
		if row < end {
			last++
		}
	}
	return fmt.Sprintf("%d of %d found", last, len(found))
}

// highlightRows paints what was searched for.
func (c canvas) highlightRows(rows []string) []string {
	if c.Search == "" || !c.Color {
		return rows
	}
	part := strings.ToLower(c.Search)
	out := make([]string, len(rows))
	for i, row := range rows {
		lower := strings.ToLower(row)
		at := strings.Index(lower, part)
		if at < 0 || len(lower) != len(row) || strings.Contains(row, "\x1b") {
			out[i] = row // its letters have no lower case of the same length, or it has colours of its own
			continue
		}
		out[i] = row[:at] + c.paint(matchStyle, row[at:at+len(part)]) + row[at+len(part):]
	}
	return out
}

// findNext scrolls to the next match before what is in sight, or after it.
func (s *screen) findNext(older bool) {
	found := s.area.matches(s.look.Search)
	if len(found) == 0 {
		return
	}
	end := len(s.area.rows) - min(s.look.Scroll, s.area.back())
	begin := max(0, end-s.area.room)
	next := -1
	for _, row := range found {
		if older && row < begin {
			next = row
		}
		if !older && row >= end && next < 0 {
			next = row
		}
	}
	if next < 0 {
		return
	}
	s.look.Scroll = min(max(0, len(s.area.rows)-next-1-s.area.room/2), s.area.back())
}

// searchFor looks for a text in the output: in what is in sight, and then before it.
func (s *screen) searchFor(part string) {
	s.look.Search = part
	found := s.area.matches(s.look.Search)
	end := len(s.area.rows) - min(s.look.Scroll, s.area.back())
	for _, row := range found {
		if row < end && row >= end-s.area.room {
			return
		}
	}
	s.findNext(true)
}
