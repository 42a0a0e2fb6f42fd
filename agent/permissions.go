package agent

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/task"
)

// cleanShown is the length in characters of a cleaned text.
const cleanShown = 500

// Permit asks a person whether the agent of a turn may do something. same is what they can allow for the rest
// of the session. It returns false where no person answers, and where anything goes wrong on the way.
func (d Deps) Permit(ctx context.Context, t mulligan.Turn, what, same string) bool {
	if d.Tools == nil {
		return false
	}
	reply, err := d.Tools(ctx, t, task.ToolPermit, task.PermitArgs{What: what, Same: same})
	var answer task.Answer
	return err == nil && json.Unmarshal(reply, &answer) == nil && answer.Allows()
}

// AllowBy returns the line of config that gives an agent these permissions.
func AllowBy(name, permissions string) string {
	return "agents: {" + name + ": {permissions: " + permissions + "}}"
}

// Clean returns a text in one line, clipped and without secrets. It is for what does not come
// through a Stream: a vendor's own words for what went wrong.
func (d Deps) Clean(words string) string {
	var b strings.Builder
	w := d.Stream(&b)
	io.WriteString(w, words)
	w.Close()
	return text.Clip(text.OneLine(plain([]byte(b.String()))), cleanShown)
}
