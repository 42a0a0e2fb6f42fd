package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mulligan/view"
)

// Tones that the screen alone has. They are written out here and not with lipgloss, since a program that
// imports lipgloss runs `tmux info` at the start of every command inside tmux. Only the sixteen colours
// of the terminal's own theme are used, so that the screen fits the theme.
const (
	accentStyle  view.Tone = "36"
	titleStyle   view.Tone = "1;36"
	failureStyle view.Tone = "1;31"
	warningStyle view.Tone = "1;33"
)

// paint returns a text in a tone, or as it is if colour is not wanted.
func (c canvas) paint(t view.Tone, text string) string {
	if !c.Color || t == view.Usual || text == "" {
		return text
	}
	return "\x1b[" + string(t) + "m" + text + "\x1b[m"
}

// width returns how many columns a text takes.
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

// justify puts one text at the left edge and one at the right; the right one stays whole as long as it
// fits at all.
func justify(left, right string, w int) string {
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
