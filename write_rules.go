package mulligan

// WriteRules are what an agent may write in a step. Paths are relative to the workspace's root, with slashes.
type WriteRules struct {
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

// A WriteCase is the write rules as they hold for an agent, or for a check or hook.
type WriteCase struct {
	Rules WriteRules
	Files []ProtectedFile
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

// A Breach is what an agent's turn did against the write rules, or that it left more than a look at it may read. It was put
// back.
type Breach struct {
	Unread     string      `json:"unread,omitempty"`     // why the workspace could not be read
	Violations []Violation `json:"violations,omitempty"` // the first of them
	More       int         `json:"more,omitempty"`       // how many others there are
	Snapshot   string      `json:"snapshot,omitempty"`   // the label of what was there before
}
