package mulligan

// A Handover is how a session's work reached the person's repository. Their checkout stays as it was, unless they wanted
// their branch to be forwarded.
type Handover struct {
	// Uncommitted are paths of the session's work that no commit of its branch has, as "M path": the ref Left has them.
	Uncommitted []string `json:"uncommitted,omitempty"`
	Left        string   `json:"left,omitempty"`
	// Onto is the branch that the person is on, and Conflicts the files in which the session's branch and that conflict.
	// Merges is set where there are none.
	Onto      string   `json:"onto,omitempty"`
	Merges    bool     `json:"merges,omitempty"`
	Conflicts []string `json:"conflicts,omitempty"`
	// Forwarded is set where Onto was fast-forwarded to the session's branch, Stays why it was not although the person
	// wanted that.
	Forwarded bool   `json:"forwarded,omitempty"`
	Stays     string `json:"stays,omitempty"`
	// Fetch is the command that brings the session's branch, under the name Brings, where the person's repository did not
	// take it.
	Fetch  string `json:"fetch,omitempty"`
	Brings string `json:"brings,omitempty"`
	// Notes are what else a person should know: what could not be brought, and the command that brings it.
	Notes []string `json:"notes,omitempty"`
}
