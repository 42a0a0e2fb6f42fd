package plain

import (
	"io"

	"github.com/charmbracelet/x/ansi"

	"mulligan/internal/text"
	"mulligan/view"
)

const listedItems = 10 // items of the guard in a status

// writeGuard lists the items of the guard that neither passed nor are merely open, and counts the rest.
func (o Options) writeGuard(w io.Writer, s view.Snapshot) {
	list := s.Guard.Items[:min(listedItems, len(s.Guard.Items))]
	for _, item := range list {
		o.writeGuardItem(w, s, item)
	}
	if more := len(s.Guard.Items) - len(list) + s.Guard.More; more > 0 {
		o.writeField(w, "guard", dim.say("… %s", text.Count(more, "more item")), dim.say("mulligan guard status"))
	}
	o.writeFilled(w, "guard", say("%s", s.Guard.Counts()))
}

// writeGuardItem writes how an item stands with the guard and why; if it waits for a person, also what
// that one can do.
func (o Options) writeGuardItem(w io.Writer, s view.Snapshot, item view.GuardItem) {
	t, words, claim := s.DescribeItem(item)
	o.writeField(w, "guard", say("%s", item.Quoted()), tone(t).say("%s", words), dim.say("%s", claim))
	if item.Reason != "" {
		o.writeField(w, "", dim.say("│ %s", ansi.Truncate(item.Reason, quotedWidth, "…")))
	}
	if item.Waits {
		o.writeField(w, "", bold.say("%s", item.ApproveCommand()), dim.say("its next claim passes"))
		o.writeField(w, "", bold.say("%s", item.ReleaseCommand()), dim.say("its claims begin anew"))
	}
}
