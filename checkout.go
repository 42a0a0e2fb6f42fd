package mulligan

// A Return is the intent to check out again what a person was on when the session began. It is
// journaled before the checkout is switched, so that the next process can complete it.
type Return struct {
	From   string `json:"from"`             // the session's branch
	To     string `json:"to,omitempty"`     // the person's branch; "" if HEAD was detached
	Commit string `json:"commit,omitempty"` // the commit that a detached HEAD was at
	Left   Tree   `json:"left"`             // what the session leaves, which is kept as the snapshot "left"
	// Theirs are uncommitted files of the person's, which they get back; or nil.
	Theirs *PersonFiles `json:"theirs,omitempty"`
}

// PersonFiles are uncommitted files of a person's in a checkout that a session has entered.
type PersonFiles struct {
	Tree  Tree     `json:"tree"` // snapshot that has them, and the commit that HEAD was at
	Paths []string `json:"paths"`
}

// A Standing is how the orderly end of a session left the checkout and its refs. What differs from
// it later is a person's doing.
type Standing struct {
	Returned bool   `json:"returned,omitempty"` // what the person was on is checked out again
	Branch   string `json:"branch,omitempty"`   // that HEAD names; "" if HEAD is detached
	Head     string `json:"head,omitempty"`     // HEAD's commit
	Tree     string `json:"tree,omitempty"`     // snapshot of the files
	// SessionHead is the commit of the session's branch, "" if it has none.
	SessionHead string `json:"session_head,omitempty"`
	// Uncommitted are paths of the session's work that no commit has, as "M path". They are in the
	// snapshot "left".
	Uncommitted []string `json:"uncommitted,omitempty"`
	// Hidden are paths that only the ignore rules of the session's branch hide. They stay.
	Hidden []string `json:"hidden,omitempty"`
	// Stays is why the checkout is not what the person was on, "" if it is, or if nobody wants that.
	Stays string `json:"stays,omitempty"`
	// Notes are what else a person should know: modules that stay where they are, files put aside.
	Notes []string `json:"notes,omitempty"`
}

// CheckoutReturning is the intent to give the person's checkout back, the last thing that a session
// does.
type CheckoutReturning struct {
	Return
}

func (CheckoutReturning) Kind() string { return "checkout.returning" }
