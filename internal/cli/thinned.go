package cli

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

// maxThinnedNames is how many snapshots that were thinned out are named.
const maxThinnedNames = 8

// thinnedRule is what is kept of a session's snapshots.
const thinnedRule = "two weeks after a session only what it left and what was put aside is kept"

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
		text.Count(len(t.Names), "snapshot"), formatDay(t), names)
}

// missingSnapshot returns the error about a snapshot that a session does not have.
func missingSnapshot(s mulligan.Summary, name string, t workspace.Thinned) error {
	if !slices.Contains(t.Names, name) {
		return usererror.Usage(fmt.Sprintf("session %s has no snapshot %q", s.ID, name), "`mulligan restore` lists them")
	}
	return usererror.Usage(fmt.Sprintf("snapshot %q of session %s was thinned out on %s: %s", name, s.ID, formatDay(t), thinnedRule), thinnedHint(s))
}

// thinnedHint returns what a person can look at instead of a snapshot that was thinned out.
func thinnedHint(s mulligan.Summary) string {
	if s.Branch == "" {
		return fmt.Sprintf("`mulligan restore %s` lists what is kept", s.ID)
	}
	return fmt.Sprintf("what it committed is on the branch %s; `mulligan restore %s` lists what is kept", s.Branch, s.ID)
}

func formatDay(t workspace.Thinned) string { return t.Time.Local().Format("2006-01-02") }
