package runner

import (
	"context"
	"fmt"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/text"
	"mulligan/state"
)

// noteWait is how long the session may take to store a note. It serves requests while a child runs.
const noteWait = 5 * time.Second

// noteLostKeeper tells the session that the keeper of one of its children was killed or stopped from
// outside, and what became of the processes below it.
func (j *job) noteLostKeeper(role process.Role, found, stuck int, err error) {
	whose := "a program of mulligan's own"
	if role != process.RoleNone {
		whose = role.String()
	}
	words := fmt.Sprintf("the keeper of %s was killed or stopped from outside (%v)", whose, err)
	if found > 0 {
		words += fmt.Sprintf("; what it had left was ended: %s", text.Count(found, "process"))
	}
	if stuck > 0 {
		words += fmt.Sprintf("; %d of them cannot be ended", stuck)
	}
	if j.session == nil { // it has not begun: a setup command
		j.warn(words)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), noteWait)
	defer cancel()
	noted := j.session.Do(ctx, func(*state.State) ([]mulligan.Body, error) {
		return []mulligan.Body{mulligan.Noted{Text: words, KeeperLost: true}}, nil
	})
	if noted != nil {
		j.warn(words)
	}
}
