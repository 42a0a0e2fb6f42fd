// Package sessions names new sessions, finds sessions in the list that the journal has of them, and
// decides what may be done with a session as it stands.
package sessions

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// A Lister lists the sessions of a journal, the oldest first. An error that jetstream.Damaged
// recognises comes with the sessions that can be read.
type Lister interface {
	Sessions(ctx context.Context) ([]mulligan.Summary, error)
}

// NewID makes a session's id. It begins with the time, so that ids sort by it and the journal
// can tell the month.
func NewID(now time.Time) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	b := make([]byte, 4)
	rand.Read(b)
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return now.UTC().Format("20060102-150405") + "-" + string(b)
}

// FindByName returns the session that a person named: by its id, the beginning or the end of the
// id, or the name of a loop, which is its newest session.
func FindByName(all []mulligan.Summary, name string) (mulligan.Summary, error) {
	var found []mulligan.Summary
	for _, s := range all {
		if s.ID == name {
			return s, nil
		}
		if strings.HasPrefix(s.ID, name) || strings.HasSuffix(s.ID, "-"+name) {
			found = append(found, s)
		}
	}
	for i := len(all) - 1; i >= 0 && len(found) == 0; i-- {
		if all[i].Name == name {
			return all[i], nil
		}
	}
	switch len(found) {
	case 0:
		return mulligan.Summary{}, fmt.Errorf("%w: %s", mulligan.ErrNoSession, name)
	case 1:
		return found[0], nil
	}
	return mulligan.Summary{}, usererror.Usage(fmt.Sprintf("%d sessions begin with %q", len(found), name), "give more of the id")
}

// ReadSummary returns the newest summary of one session. Damage to other sessions does not matter.
func ReadSummary(ctx context.Context, journal Lister, id string) (mulligan.Summary, error) {
	all, err := journal.Sessions(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return mulligan.Summary{}, err
	}
	s, missing := FindByName(all, id)
	if missing != nil {
		return s, cmp.Or(err, missing)
	}
	return s, nil
}

// CanResume reports whether `mulligan resume` resumes the session.
func CanResume(s mulligan.Summary) bool {
	switch s.Ended {
	case "", mulligan.Interrupted, mulligan.Waiting, mulligan.GateBroken, mulligan.AgentUnavailable:
		return true
	default:
		return false
	}
}

// EndedWell reports whether the session ended with its work verified or accepted.
func EndedWell(s mulligan.Summary) bool {
	return s.Ended == mulligan.Verified || s.Ended == mulligan.Accepted
}

// OverError returns the refusal to resume or change a session that is over, with what the person can
// do instead.
func OverError(s mulligan.Summary) error {
	command := "run"
	if s.Name != "" {
		command = "loop"
	}
	hint := fmt.Sprintf("`mulligan %s %s` takes it up again", command, s.Task)
	if EndedWell(s) {
		hint = fmt.Sprintf("`mulligan %s %s --restart` does it again", command, s.Task)
	}
	return usererror.Usage(fmt.Sprintf("session %s is over: %s", s.ID, strings.ReplaceAll(string(s.Ended), "_", " ")), hint)
}
