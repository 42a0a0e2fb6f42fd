package plain

import (
	"fmt"
	"io"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

// Checkout writes what became of the person's checkout when a session ended, and of work that is not
// committed.
func Checkout(w io.Writer, session, branch string, out mulligan.Outcome) {
	Options{}.writeCheckout(w, session, mulligan.Place{Branch: branch}, out)
}

// maxLeft is how many uncommitted paths an outcome shows.
const maxLeft = 6

// writeCheckout writes where HEAD is, what is not committed and how to see it and bring it back.
func (o Options) writeCheckout(w io.Writer, session string, place mulligan.Place, out mulligan.Outcome) {
	s := out.Standing
	if s == nil || place.Worktree {
		return
	}
	here := s.Branch
	if here == "" {
		here = fmt.Sprintf("%.10s", s.Head)
	}
	switch {
	case s.Returned:
		o.writeField(w, "checkout", say("on %s again", here))
	case s.Stays != "":
		back := part{}
		if place.Origin != "" && s.Branch == place.Branch {
			back = dim.say("git switch %s", view.QuoteForShell(place.Origin))
		}
		o.writeField(w, "checkout", say("stays on %s: %s", here, s.Stays), back)
	}
	if s.Returned && len(s.Uncommitted) > 0 {
		o.writeField(w, "left", say("%s, not committed: %s", countPaths(s.Uncommitted), clipPaths(s.Uncommitted)))
		o.writeField(w, "", say("mulligan diff %s", view.QuoteForShell(session)), dim.say("shows it"))
		o.writeField(w, "", say("git switch %s && mulligan restore %s left", view.QuoteForShell(place.Branch), view.QuoteForShell(session)), dim.say("brings it back"))
		o.writeField(w, "", say("mulligan prune"), dim.say("throws it away, when it is old; a run with --restart begins without it"))
	}
	if len(s.Hidden) > 0 {
		o.writeField(w, "note", warn.say("only the session's branch ignores %s; left as it is", clipPaths(s.Hidden)))
	}
	for _, note := range s.Notes {
		o.writeField(w, "note", warn.say("%s", note))
	}
}

// countPaths returns how many paths a list has, whose last line may tell of more.
func countPaths(lines []string) string {
	n := len(lines)
	var more int
	if _, err := fmt.Sscanf(lines[n-1], "and %d more", &more); err == nil {
		n += more - 1
	}
	return text.Count(n, "file")
}

// clipPaths returns the first of some paths on one line.
func clipPaths(paths []string) string {
	if len(paths) > maxLeft {
		return strings.Join(paths[:maxLeft], ", ") + " …"
	}
	return strings.Join(paths, ", ")
}
