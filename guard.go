package mulligan

import (
	"slices"
	"time"
)

// A Guard is what an agent's claim that a task is done has to pass.
type Guard struct {
	MaxAttempts int            `json:"max_attempts"`        // claims of an item that are considered
	DenyFirst   bool           `json:"deny_first"`          // the first claim is always denied
	Validate    *GuardValidate `json:"validate,omitempty"`  // nil: the session's checks decide
	Ignore      []string       `json:"ignore,omitempty"`    // globs of items that are not guarded
	FailOpen    bool           `json:"fail_open,omitempty"` // on_failure: allow
}

// A GuardValidate is the second agent that looks at claims.
type GuardValidate struct {
	Agent   string        `json:"agent"` // a key of Plan.Agents
	Timeout time.Duration `json:"timeout"`
}

// GuardStatus is how an item stands with the guard.
type GuardStatus string

const (
	ItemOpen       GuardStatus = "open"       // not claimed since it was opened, reopened or released
	ItemDenied     GuardStatus = "denied"     // claimed, and not believed yet
	ItemValidating GuardStatus = "validating" // claimed, and being looked at
	ItemPassed     GuardStatus = "passed"     // its completion counts
	ItemOver       GuardStatus = "over"       // claimed too often: it waits for a person
	ItemApproved   GuardStatus = "approved"   // a person said that the next claim passes
)

// A GuardItem is a piece of work that an agent may claim to be done. Key identifies it: its content
// without regard to case and white space.
type GuardItem struct {
	Key      string      `json:"key"`
	Content  string      `json:"content"`
	Status   GuardStatus `json:"status"`
	Attempts int         `json:"attempts"` // claims since it was opened, reopened or released
	Task     int         `json:"task,omitempty"`
	// Instead is the content of an item that had been claimed and was not there any more when this
	// one appeared.
	Instead string `json:"instead,omitempty"`
	// Commit is the one that was checked out when the item was opened.
	Commit string `json:"commit,omitempty"`
	// Gone is set where the agent does not list the item any more.
	Gone    bool      `json:"gone,omitempty"`
	Opened  time.Time `json:"opened,omitzero"`
	Updated time.Time `json:"updated,omitzero"`
	// Reason is what the last ruling said, By who gave it.
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

// Who rules on a claim, where it is not the agent that validates.
const (
	ByGuard  = "guard"  // the rules alone
	ByChecks = "checks" // the checks of the session
	ByNobody = "nobody" // no agent is configured, and there is no session
)

// A GuardClaim is one call of an agent that claims items to be done, and what the guard made of it.
// The same claim told again, by another hook or another try, gets the same answer.
type GuardClaim struct {
	ID    string        `json:"id"`
	Tool  string        `json:"tool,omitempty"`
	Max   int           `json:"max"` // the limit in force
	Items []ClaimedItem `json:"items"`
}

// A ClaimedItem is one of the items that a claim is about. Status is how the item stands after it.
type ClaimedItem struct {
	Key     string      `json:"key"`
	Content string      `json:"content"`
	Attempt int         `json:"attempt"`
	Status  GuardStatus `json:"status"`
	Reason  string      `json:"reason,omitempty"`
	By      string      `json:"by,omitempty"`
	// Broken is set if no decision could be made.
	Broken bool `json:"broken,omitempty"`
}

// Pending reports whether items of the claim are still to be validated.
func (c GuardClaim) Pending() bool {
	return slices.ContainsFunc(c.Items, func(i ClaimedItem) bool { return i.Status == ItemValidating })
}

// GuardOpened is the first event of the guard of an agent that no session of mulligan's runs.
type GuardOpened struct {
	Version      string `json:"version"`
	Dir          string `json:"dir"`   // the repository
	Agent        string `json:"agent"` // claude, …
	Conversation string `json:"conversation"`
}

// GuardSeen is what a call of the agent's tells besides claims.
type GuardSeen struct {
	Items    []GuardItem       `json:"items,omitempty"`    // new ones
	Reopened []string          `json:"reopened,omitempty"` // keys of claimed items that are open again
	Gone     []string          `json:"gone,omitempty"`     // keys of items that the agent does not list any more
	Back     []string          `json:"back,omitempty"`     // keys of items that it lists again
	Subjects map[string]string `json:"subjects,omitempty"` // of the agent's own tasks, by their ids
}

// GuardClaimed counts a claim: it is written before anything is decided about it.
type GuardClaimed struct {
	GuardClaim
}

// GuardRuled is what validation made of the items of a claim.
type GuardRuled struct {
	Claim string        `json:"claim"`
	Items []ClaimedItem `json:"items"`
	// Judges are the turns that agents took for it.
	Judges []Usage `json:"judges,omitempty"`
}

// GuardDecided is a person's word about an item.
type GuardDecided struct {
	Key     string      `json:"key"`
	Content string      `json:"content,omitempty"`
	Status  GuardStatus `json:"status"` // open: released; approved
	By      string      `json:"by"`
}

func (GuardOpened) Kind() string  { return "guard.opened" }
func (GuardSeen) Kind() string    { return "guard.seen" }
func (GuardClaimed) Kind() string { return "guard.claimed" }
func (GuardRuled) Kind() string   { return "guard.ruled" }
func (GuardDecided) Kind() string { return "guard.decided" }
