package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Colours are written here and not with lipgloss: whoever imports that runs `tmux info`
// at the start of every command, where it is started inside tmux.
//
// Only the sixteen colours of the terminal's own theme are used, so that the screen
// looks at home wherever it is shown.
type tone string

const (
	usual  tone = ""
	bold   tone = "1"
	dim    tone = "2"
	good   tone = "32"
	bad    tone = "31"
	warn   tone = "33"
	accent tone = "36"
	loud   tone = "1;36"
	goodly tone = "1;32"
	badly  tone = "1;31"
	warned tone = "1;33"
)

// A brush paints text, or leaves it as it is where colour is not wanted.
type brush struct{ color bool }

func (b brush) paint(t tone, text string) string {
	if !b.color || t == usual || text == "" {
		return text
	}
	return "\x1b[" + string(t) + "m" + text + "\x1b[m"
}

func width(s string) int { return ansi.StringWidth(s) }

// fit cuts a text to a width.
func fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return ansi.Truncate(s, w, "…")
}

// fill cuts or pads a text to exactly a width.
func fill(s string, w int) string {
	s = fit(s, w)
	return s + strings.Repeat(" ", max(0, w-width(s)))
}

// apart puts one text at the left edge and one at the right; the right one stays whole
// as long as it fits at all.
func apart(left, right string, w int) string {
	room := w - width(right) - 1
	if right == "" || room < 1 {
		return fit(left+" "+right, w)
	}
	left = fit(left, room)
	return left + strings.Repeat(" ", w-width(left)-width(right)) + right
}

// wrap breaks plain text at a width.
func wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(s, w, ""), "\n")
}
