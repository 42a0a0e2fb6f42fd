package tui

import "mulligan/view"

// Render draws the session on a screen of the given size: exactly height lines, none
// wider than width.
func Render(s view.Snapshot, width, height int, look Look) string {
	content, _ := drawScreen(s, width, height, look)
	return content
}
