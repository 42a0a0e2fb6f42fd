package plain

import (
	"fmt"
	"io"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

// maxPaths is how many paths of a list an outcome shows.
const maxPaths = 6

// Handover writes how the work of a session reached the person's repository.
func Handover(w io.Writer, session string, place mulligan.Place, out mulligan.Outcome) {
	Options{}.writeHandover(w, view.Snapshot{Session: session, Place: place}, out)
}

// writeHandover writes how the work reached the person's repository: its commits, whether they merge, what is not
// committed, and how to look at all of it and throw it away.
func (o Options) writeHandover(w io.Writer, s view.Snapshot, out mulligan.Outcome) {
	var h mulligan.Handover
	if out.Handover != nil {
		h = *out.Handover
	}
	branch := s.Place.Branch
	switch {
	case out.Commit == "":
		branch = "" // it is made with the first commit
	case h.Fetch != "":
		branch = ""
		o.writeField(w, "commit", say("%s", view.Commit(out.Commit)), warn.say("not in your repository yet"))
	default:
		o.writeCommit(w, s, out)
	}
	o.writeMerge(w, h)
	o.writeLeft(w, h, branch)
	o.writeDiscard(w, h, branch)
	for _, note := range h.Notes {
		o.writeField(w, "note", warn.say("%s", note))
	}
	if out.Warm {
		o.writeField(w, "note", warn.say("checked in a warm proof; `mulligan verify %s` checks it in one made anew", view.QuoteForShell(s.Session)))
	}
}

// writeCommit writes the last commit of the session, and the command that shows all of them.
func (o Options) writeCommit(w io.Writer, s view.Snapshot, out mulligan.Outcome) {
	on, to := part{}, out.Commit
	if branch := s.Place.Branch; branch != "" {
		on, to = say("on %s", branch), view.BranchRef(branch)
	}
	o.writeField(w, "commit", say("%s", view.Commit(out.Commit)), on)
	o.writeField(w, "look", say("git log -p %s..%s", view.Commit(s.Place.Base), view.QuoteForShell(to)))
}

// writeMerge writes what became of the person's branch, or with what it conflicts.
func (o Options) writeMerge(w io.Writer, h mulligan.Handover) {
	onto := h.Onto
	if onto == "" {
		onto = "HEAD"
	}
	switch {
	case h.Forwarded:
		o.writeField(w, "merge", good.say("%s was forwarded to it", onto))
	case h.Stays != "":
		o.writeField(w, "merge", warn.say("%s stays where it is: %s", onto, h.Stays))
	}
	if !h.Merges && len(h.Conflicts) > 0 {
		o.writeField(w, "merge", warn.say("conflicts with %s in %s", onto, clipPaths(h.Conflicts)))
	}
}

// writeLeft writes which work no commit has, and the command that shows it.
func (o Options) writeLeft(w io.Writer, h mulligan.Handover, branch string) {
	if len(h.Uncommitted) > 0 {
		o.writeField(w, "left", say("%s, not committed: %s", countPaths(h.Uncommitted), clipPaths(h.Uncommitted)))
	}
	switch {
	case h.Left == "":
	case branch != "":
		o.writeField(w, "look", say("git diff %s %s", view.QuoteForShell(view.BranchRef(branch)), view.QuoteForShell(h.Left)), dim.say("what is not committed"))
	default:
		o.writeField(w, "look", say("git show %s", view.QuoteForShell(h.Left)), dim.say("what is not committed"))
	}
}

// writeDiscard writes the commands that throw the work away, where the person's branch does not have it.
func (o Options) writeDiscard(w io.Writer, h mulligan.Handover, branch string) {
	var commands []string
	if branch != "" && !h.Forwarded {
		commands = append(commands, "git branch -D "+view.QuoteForShell(branch))
	}
	if h.Left != "" {
		commands = append(commands, "git update-ref -d "+view.QuoteForShell(h.Left))
	}
	o.writeFilled(w, "discard", say("%s", strings.Join(commands, " && ")))
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
	if len(paths) > maxPaths {
		return strings.Join(paths[:maxPaths], ", ") + " …"
	}
	return strings.Join(paths, ", ")
}
