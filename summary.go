package mulligan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Summary is a session in a few words, for lists.
type Summary struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Updated  time.Time `json:"updated"`
	PID      int       `json:"pid"`
	Dir      string    `json:"dir"`
	Root     string    `json:"root"`
	Branch   string    `json:"branch,omitempty"`
	Task     string    `json:"task"`
	TaskHash string    `json:"task_hash"`
	Folder   string    `json:"folder,omitempty"`
	Pipeline string    `json:"pipeline"`
	Name     string    `json:"name,omitempty"` // of a loop
	Step     string    `json:"step,omitempty"`
	StepNo   int       `json:"step_no"`
	Steps    int       `json:"steps"`
	Attempt  int       `json:"attempt"`
	// Iteration is the last one that began.
	Iteration int `json:"iteration,omitempty"`
	// Phase is where the session is, and while it ends where a resumed session continues.
	Phase  Phase  `json:"phase"`
	Ended  Ended  `json:"ended,omitempty"`
	Reason string `json:"reason,omitempty"`
	Commit string `json:"commit,omitempty"`
	Events int64  `json:"events"`
	// Asks is set while the session waits for a person's answer, and LimitedUntil is when the rate limit that
	// its agent has met is over.
	Asks         bool      `json:"asks,omitempty"`
	LimitedUntil time.Time `json:"limited_until,omitzero"`
	// OverLimit is set where the session has ended and waits for a person's word about what was claimed too
	// often.
	OverLimit bool `json:"over_limit,omitempty"`
	// Guard is set where this is no session, but the guard of an agent that a person runs.
	Guard bool `json:"guard_only,omitempty"`
}

// TaskHash tells a changed task from the same one.
func TaskHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// GapError is a journal that lacks an event, or has one that does not belong there.
type GapError struct {
	Session   string
	Want, Got int64
}

func (e *GapError) Error() string {
	return fmt.Sprintf("session %s: event %d is missing (the next one there is %d)", e.Session, e.Want, e.Got)
}
