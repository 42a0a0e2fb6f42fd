package tui

import (
	"mulligan/internal/text"
	"mulligan/view"
)

// An outputArea is what the last drawing knows of the output: what scrolling and searching need.
type outputArea struct {
	rows []string // all of them
	room int      // how many are in sight

	hidden int // lines of the question that the screen has no room for
}

// back returns how far the output can be scrolled back.
func (a outputArea) back() int { return max(0, len(a.rows)-a.room) }

// drawOutput draws the last rows, or those that the person has scrolled back to.
func (c canvas) drawOutput(rows int) []string {
	all := c.layOutOutput()
	c.area.room, c.area.rows = max(1, rows-c.frameRows()), all
	end := len(all) - min(c.Scroll, c.area.back())
	shown := all[max(0, end-c.area.room):end]
	if rows <= c.frameRows() && len(shown) > 0 {
		return []string{" " + shown[len(shown)-1]}
	}
	if len(c.s.Lines) == 0 {
		shown = []string{c.paint(view.Quiet, "no output yet")}
	}
	return c.drawPane("output", c.describeOutput(), c.highlightRows(shown), rows)
}

// describeOutput returns what the person has done to the output, for the frame's right end.
func (c canvas) describeOutput() string {
	var folded, found string
	if c.Fold {
		folded = "folded"
	}
	if c.Search != "" {
		found = c.countMatches()
	}
	return c.paint(view.Quiet, view.Join("  ", folded, found))
}

// layOutOutput returns the rows of the output as wide as the pane.
func (c canvas) layOutOutput() []string {
	var rows []string
	first := c.s.LinesEver - int64(len(c.s.Lines))
	unfolded := c.lastHeading()
	folded, at := 0, -1 // lines under the heading at that row
	closeFold := func() {
		if folded > 0 && at < 0 {
			rows = append(rows, c.paint(view.Quiet, "… "+text.Count(folded, "line")))
		} else if folded > 0 {
			rows[at] += c.paint(view.Quiet, "  "+text.Count(folded, "line"))
		}
		folded = 0
	}
	for i, l := range c.s.Lines {
		switch {
		case l.Heading:
			closeFold()
			at = len(rows)
			rows = append(rows, c.paint(accentStyle, "› "+l.Text))
		case l.Remark:
			rows = append(rows, c.paint(view.Quiet, "• ")+l.Text)
		case c.Fold && i < unfolded:
			folded++
		default:
			rows = append(rows, c.wraps.wrapLine(first+int64(i), l.Text, c.innerWidth())...)
		}
	}
	closeFold()
	return rows
}

// lastHeading returns the index of the last heading: what follows it is never folded.
func (c canvas) lastHeading() int {
	for i := len(c.s.Lines) - 1; i >= 0; i-- {
		if c.s.Lines[i].Heading {
			return i
		}
	}
	return 0
}

// A wrapCache remembers how lines were wrapped: most of them are the same in the next frame. A nil one
// remembers nothing.
type wrapCache struct {
	width int
	lines map[int64]wrappedLine
}

type wrappedLine struct {
	text string
	rows []string
}

// cachedLines is how many lines are remembered before all are forgotten.
const cachedLines = 10_000

// wrapLine returns the rows of the line with this number.
func (w *wrapCache) wrapLine(number int64, text string, width int) []string {
	if w == nil {
		return wrap(text, width)
	}
	if w.width != width || len(w.lines) > cachedLines {
		*w = wrapCache{width: width, lines: map[int64]wrappedLine{}}
	}
	if line, ok := w.lines[number]; ok && line.text == text {
		return line.rows
	}
	rows := wrap(text, width)
	w.lines[number] = wrappedLine{text, rows}
	return rows
}

// foldOutput folds what was printed under earlier headings, or unfolds it.
func (s *screen) foldOutput() {
	s.look.Fold, s.look.Scroll = !s.look.Fold, 0
}
