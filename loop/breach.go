package loop

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// describeRole returns a role in a sentence: "the check's script".
func describeRole(r mulligan.FileRole) string {
	switch r {
	case mulligan.RoleConfig:
		return "mulligan's config"
	case mulligan.RoleHooks:
		return "a file that hooks are read from"
	case mulligan.RolePrompt:
		return "a prompt of the config"
	case mulligan.RoleTask:
		return "the task itself"
	case mulligan.RoleScript:
		return "a script that a check or hook runs"
	}
	return string(r)
}

// describeViolation returns what was done, which rule forbids it, and what to do instead, in a line for an agent.
func describeViolation(v mulligan.Violation, a mulligan.WriteRules) string {
	line := fmt.Sprintf("%s was %s: ", text.QuotePath(v.Path), v.Kind)
	switch {
	case v.Role != "":
		line += "it is " + describeRole(v.Role) + ", which is not part of the work. Leave it as it is, and do the work in other files"
	case v.Glob != "":
		line += fmt.Sprintf("it is protected (%s). Leave it as it is, and do the work in other files", v.Glob)
	case len(a.AllowWrite) == 0:
		line += "this step may write no file. Answer without writing any"
	default:
		line += fmt.Sprintf("it is outside of what this step may write (%s). Write only there", strings.Join(a.AllowWrite, ", "))
	}
	return line
}

// maxViolations is how many violations of a turn are recorded and told.
const maxViolations = 50

// newBreach returns the violations of a turn, or nil if there are none.
func newBreach(found []mulligan.Violation, label string) *mulligan.Breach {
	if len(found) == 0 {
		return nil
	}
	n := min(len(found), maxViolations)
	return &mulligan.Breach{Violations: found[:n:n], More: len(found) - n, Snapshot: label}
}

// summarizeBreach returns a breach in a line.
func summarizeBreach(b *mulligan.Breach) string {
	if b.Unread != "" {
		return b.Unread
	}
	first := b.Violations[0]
	line := fmt.Sprintf("%s was %s", text.QuotePath(first.Path), first.Kind)
	if more := len(b.Violations) - 1 + b.More; more > 0 {
		line += " and " + text.Count(more, "other path")
	}
	return line + " against the write rules"
}

// listViolations returns the paths of violations, with what was done to them.
func listViolations(found []mulligan.Violation) []string {
	var lines []string
	for _, v := range found {
		lines = append(lines, fmt.Sprintf("%s (%s)", text.QuotePath(v.Path), v.Kind))
	}
	return clipList(lines)
}

// writeRulesGate is the name under which a breach fails an attempt.
const writeRulesGate = "the write rules"

// workspaceGate is the name under which a workspace that cannot be read fails an attempt.
const workspaceGate = "the workspace"

// breachVerdict returns a breach as the verdict that fails an attempt.
func breachVerdict(b *mulligan.Breach, session string, a mulligan.WriteRules) mulligan.Verdict {
	if b.Unread != "" {
		body := b.Unread + ".\n\nA commit of the work could not be made, so no check was run, and all that the turn wrote was put back, but for what git ignores."
		return mulligan.Verdict{Status: mulligan.Fail, Gate: workspaceGate, Summary: b.Unread, Finding: &mulligan.Finding{Command: workspaceGate, Text: body, Bytes: int64(len(body))}}
	}
	lines := make([]string, 0, len(b.Violations)+1)
	for _, v := range b.Violations {
		lines = append(lines, describeViolation(v, a))
	}
	lines = addMore(lines, b.More)
	body := "Files were written that this step may not write. They were put back to what they were before:\n- " + strings.Join(lines, "\n- ")
	if n, ok := strings.CutSuffix(b.Snapshot, "-after"); ok {
		body += fmt.Sprintf("\n\nWhat was there is kept; `mulligan diff %s %s` shows it.", session, n)
	} else if b.Snapshot != "" {
		body += fmt.Sprintf("\n\nWhat was there is kept; `mulligan take %s %s` makes a branch of it.", session, b.Snapshot)
	}
	return mulligan.Verdict{Status: mulligan.Fail, Gate: writeRulesGate, Summary: summarizeBreach(b), Finding: &mulligan.Finding{Command: writeRulesGate, Text: body, Bytes: int64(len(body))}}
}
