package plain

import (
	"io"

	"mulligan/view"
)

// writeSuggestions writes commands, one to a line.
func (o Options) writeSuggestions(w io.Writer, list []view.Suggestion) {
	width := columnWidth(list, func(n view.Suggestion) string { return n.Command })
	label := "next"
	for _, n := range list {
		command := n.Command
		if n.Why != "" {
			command = pad(command, width)
		}
		o.writeField(w, label, bold.say("%s", command), dim.say("%s", n.Why))
		label = ""
	}
}
