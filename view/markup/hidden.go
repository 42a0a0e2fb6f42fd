package markup

import (
	"fmt"
	"strings"

	"mulligan/view"
)

// showHidden returns a text in which characters that hide, reorder or control text can be seen: a person who reads
// a patch has to see them.
func showHidden(s string) string {
	plain := func(r rune) bool { return r == '\t' || r != '\r' && r != '\b' && view.IsShown(r) }
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case plain(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune('␀' + r)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}
