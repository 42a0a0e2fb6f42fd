package cli

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/changes"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

// maxThinnedNames is how many snapshots that were thinned out are named.
const maxThinnedNames = 8

// describeThinned returns a line about the snapshots that were thinned out, "" if none were.
func describeThinned(t workspace.Thinned) string {
	if len(t.Names) == 0 {
		return ""
	}
	names := strings.Join(t.Names[:min(len(t.Names), maxThinnedNames)], ", ")
	if more := len(t.Names) - maxThinnedNames; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s of attempts and turns thinned out on %s, two weeks after the session: %s",
		text.Count(len(t.Names), "snapshot"), changes.FormatDay(t), names)
}

// missingSnapshot returns the error about a snapshot that a session does not have.
func missingSnapshot(s mulligan.Summary, name string, t workspace.Thinned) error {
	if !slices.Contains(t.Names, name) {
		return usererror.Usage(fmt.Sprintf("session %s has no snapshot %q", s.ID, name), "`mulligan restore` lists them")
	}
	return usererror.Usage(fmt.Sprintf("snapshot %q of session %s was thinned out on %s: %s", name, s.ID, changes.FormatDay(t), changes.ThinnedRule), changes.ThinnedHint(s))
}
