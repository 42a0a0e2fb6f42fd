package agent

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"mulligan"
	"mulligan/task"
)

// The answers to a question of permission.
const (
	allow = "allow"
	deny  = "deny"
)

const (
	permitShown = 2000 // characters that a person is shown of what an agent wants to do
	cleanShown  = 500
)

// Permit asks a person whether the agent of a turn may do something. Nobody there, or
// anything that goes wrong on the way, is a no.
func (d Deps) Permit(ctx context.Context, t mulligan.Turn, what string) bool {
	if d.Tools == nil {
		return false
	}
	if shown := []rune(what); len(shown) > permitShown {
		what = string(shown[:permitShown]) + "…"
	}
	reply, err := d.Tools(ctx, t, task.ToolAsk, task.AskArgs{
		Question: "May the agent do this? " + what, Options: []string{allow, deny}, Default: deny,
	})
	var answer task.Answer
	return err == nil && json.Unmarshal(reply, &answer) == nil && answer.By == mulligan.ByPerson && answer.Answer == allow
}

// Clean is a text in one line and without secrets, for what does not come through a Stream: a
// vendor's own words for what went wrong.
func (d Deps) Clean(text string) string {
	var b strings.Builder
	w := d.Stream(&b)
	io.WriteString(w, text)
	w.Close()
	line := strings.Join(strings.Fields(plain([]byte(b.String()))), " ")
	if runes := []rune(line); len(runes) > cleanShown {
		return string(runes[:cleanShown]) + "…"
	}
	return line
}
