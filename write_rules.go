package mulligan

import (
	"fmt"
	"strings"

	"mulligan/internal/text"
)

// Access is what an agent may write in a step. Paths are relative to the workspace's root, with slashes.
type Access struct {
	// Limited is set where the config gives allow_write: nothing else may be written then.
	Limited    bool     `json:"limited,omitempty"`
	AllowWrite []string `json:"allow_write,omitempty"` // globs
	Protect    []string `json:"protect,omitempty"`     // globs; these win over AllowWrite
}

// A ProtectedFile is a file of the workspace that the plan is made of, which no agent may change.
type ProtectedFile struct {
	Path string   `json:"path"`
	Role FileRole `json:"role"`
}

// A FileRole is what a plan has a file for.
type FileRole string

const (
	RoleConfig FileRole = "config" // of mulligan
	RoleHooks  FileRole = "hooks"  // another program's file that hooks were read from
	RolePrompt FileRole = "prompt" // a prompt, a text of feedback, a slash command
	RoleTask   FileRole = "task"   // the task, or a loop's spec
	RoleScript FileRole = "script" // a check, a hook or the setup runs it
)

// describe returns the role in a sentence: "the check's script".
func (r FileRole) describe() string {
	switch r {
	case RoleConfig:
		return "mulligan's config"
	case RoleHooks:
		return "a file that hooks are read from"
	case RolePrompt:
		return "a prompt of the config"
	case RoleTask:
		return "the task itself"
	case RoleScript:
		return "a script that a check or hook runs"
	}
	return string(r)
}

// A Change is a path that differs between two states of the workspace.
type Change struct {
	Path string     `json:"path"`
	Kind ChangeKind `json:"kind"`
}

// A ChangeKind is what was done to a path.
type ChangeKind string

const (
	Created        ChangeKind = "created"
	Edited         ChangeKind = "changed"
	Deleted        ChangeKind = "deleted"
	MadeExecutable ChangeKind = "made executable"
	MadePlain      ChangeKind = "made not executable"
	BecameLink     ChangeKind = "replaced by a link"
	BecameOther    ChangeKind = "replaced by something else"
)

// WriteRules are what holds for the writes of an agent, or of a check or hook.
type WriteRules struct {
	Access Access
	Files  []ProtectedFile
	// ProtectedOnly leaves allow_write out: what a check creates beside the work is no fault.
	ProtectedOnly bool
}

// A Violation is a change that the rules forbid.
type Violation struct {
	Change
	// Role is set where the path is one that the plan is made of, Glob where protect lists it. With
	// neither it is outside of allow_write.
	Role FileRole `json:"role,omitempty"`
	Glob string   `json:"glob,omitempty"`
}

// describe returns what was done, which rule forbids it, and what to do instead, in a line for an agent.
func (v Violation) describe(a Access) string {
	line := fmt.Sprintf("%s was %s: ", text.QuotePath(v.Path), v.Kind)
	switch {
	case v.Role != "":
		line += "it is " + v.Role.describe() + ", which is not part of the work. Leave it as it is, and do the work in other files"
	case v.Glob != "":
		line += fmt.Sprintf("it is protected (%s). Leave it as it is, and do the work in other files", v.Glob)
	case len(a.AllowWrite) == 0:
		line += "this step may write no file. Answer without writing any"
	default:
		line += fmt.Sprintf("it is outside of what this step may write (%s). Write only there", strings.Join(a.AllowWrite, ", "))
	}
	return line
}

// A Breach is what an agent's turn did against the write rules, or that it left more than a look at it may read. It was put
// back.
type Breach struct {
	Unread     string      `json:"unread,omitempty"`     // why the workspace could not be read
	Violations []Violation `json:"violations,omitempty"` // the first of them
	More       int         `json:"more,omitempty"`       // how many others there are
	Snapshot   string      `json:"snapshot,omitempty"`   // the label of what was there before
}

// maxViolations is how many violations of a turn are recorded and told.
const maxViolations = 50

// newBreach returns the violations of a turn, or nil if there are none.
func newBreach(found []Violation, label string) *Breach {
	if len(found) == 0 {
		return nil
	}
	n := min(len(found), maxViolations)
	return &Breach{Violations: found[:n:n], More: len(found) - n, Snapshot: label}
}

// summarize returns a breach in a line.
func (b *Breach) summarize() string {
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
func listViolations(found []Violation) []string {
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

// verdict returns a breach as the verdict that fails an attempt.
func (b *Breach) verdict(session string, a Access) Verdict {
	if b.Unread != "" {
		body := b.Unread + ".\n\nA commit of the work could not be made, so no check was run, and all that the turn wrote was put back, but for what git ignores."
		return Verdict{Status: Fail, Gate: workspaceGate, Summary: b.Unread, Finding: &Finding{Command: workspaceGate, Text: body, Bytes: int64(len(body))}}
	}
	lines := make([]string, 0, len(b.Violations)+1)
	for _, v := range b.Violations {
		lines = append(lines, v.describe(a))
	}
	lines = addMore(lines, b.More)
	body := "Files were written that this step may not write. They were put back to what they were before:\n- " + strings.Join(lines, "\n- ")
	if n, ok := strings.CutSuffix(b.Snapshot, "-after"); ok {
		body += fmt.Sprintf("\n\nWhat was there is kept; `mulligan diff %s %s` shows it.", session, n)
	} else if b.Snapshot != "" {
		body += fmt.Sprintf("\n\nWhat was there is kept; `mulligan take %s %s` makes a branch of it.", session, b.Snapshot)
	}
	return Verdict{Status: Fail, Gate: writeRulesGate, Summary: b.summarize(), Finding: &Finding{Command: writeRulesGate, Text: body, Bytes: int64(len(body))}}
}
