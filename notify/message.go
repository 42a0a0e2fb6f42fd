package notify

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

// maxText is how many characters of a text from outside a message has.
const maxText = 500

// A message is a notice as a webhook and a command get it. docs/notifications.md describes it.
type message struct {
	Version    int       `json:"v"`
	ID         string    `json:"id"`
	Event      string    `json:"event"`
	Time       time.Time `json:"time"`
	Title      string    `json:"title"`
	Text       string    `json:"text,omitempty"`
	Next       string    `json:"next,omitempty"` // a command that a person may give
	NeedsYou   bool      `json:"needs_you"`
	Session    string    `json:"session,omitempty"`
	Task       string    `json:"task,omitempty"`
	Repository string    `json:"repository,omitempty"` // the folder's name
	Branch     string    `json:"branch,omitempty"`
	Step       string    `json:"step,omitempty"`
	Outcome    string    `json:"outcome,omitempty"`
	ExitCode   *int      `json:"exit_code,omitempty"`
	Question   int       `json:"question,omitempty"`
	Options    []string  `json:"options,omitempty"`
	Folder     string    `json:"folder,omitempty"`
	Done       int       `json:"done,omitempty"`
	Turns      int       `json:"turns"`
	Tokens     int64     `json:"tokens"`
	CostUSD    float64   `json:"cost_usd"`
}

// newMessage returns a delivery in words. What comes from outside is one clean line without secrets.
func newMessage(d mulligan.Delivery, now time.Time, redact func(string) string) message {
	clean := func(s string) string { return text.Clip(view.Line(redact(s)), maxText) }
	n, s := d.Notice, d.Summary
	m := message{
		Version: 1, ID: d.ID, Event: string(n.Moment), Time: now.UTC().Truncate(time.Second), NeedsYou: n.Moment.NeedsPerson(),
		Session: s.ID, Task: clean(s.Task), Repository: clean(filepath.Base(s.Root)), Branch: clean(s.Branch), Step: clean(s.Step),
		Outcome: string(n.Ended), Question: n.Question, Folder: clean(n.Folder), Done: n.Done,
		Turns: d.Turns, Tokens: d.Usage.InputTokens + d.Usage.OutputTokens, CostUSD: d.Usage.CostUSD,
	}
	if s.Root == "" {
		m.Repository = ""
	}
	if n.Ended != "" {
		code := mulligan.Outcome{Ended: n.Ended}.ExitCode()
		m.ExitCode = &code
	}
	for _, o := range n.Options {
		m.Options = append(m.Options, clean(o))
	}
	m.Title, m.Text, m.Next = clean(titleOf(n, m)), clean(textOf(n)), nextCommand(n, s.ID)
	return m
}

// Words returns what a notice says in a few words, and text what it says besides, for a terminal.
func Words(n mulligan.Notice, task string) (title, text string) {
	return view.Line(titleOf(n, message{Task: task, Folder: n.Folder})), view.Line(textOf(n))
}

func titleOf(n mulligan.Notice, m message) string {
	switch n.Moment {
	case mulligan.NoticeVerified:
		return fmt.Sprintf("%s is %s", m.Task, n.Ended)
	case mulligan.NoticeWaiting:
		return m.Task + " waits for you"
	case mulligan.NoticeBroken:
		return m.Task + " has stopped: a check is broken"
	case mulligan.NoticeUnavailable:
		return m.Task + " has stopped: the agent is unavailable"
	case mulligan.NoticeInterrupted:
		return m.Task + " was interrupted"
	case mulligan.NoticeQuestion:
		return m.Task + " has a question"
	case mulligan.NoticeGuard:
		return m.Task + " needs your decision"
	case mulligan.NoticeFolder:
		if (mulligan.Outcome{Ended: n.Ended}).Good() {
			return fmt.Sprintf("%s is done: %s", m.Folder, text.Count(n.Done, "task"))
		}
		return fmt.Sprintf("%s has stopped after %s", m.Folder, text.Count(n.Done, "task"))
	case mulligan.NoticeTest:
		return "a test of mulligan's notifications"
	case mulligan.NoticeFailed:
		if n.Ended == mulligan.LimitReached {
			return m.Task + " has reached a limit"
		}
	}
	return m.Task + " is not verified"
}

func textOf(n mulligan.Notice) string {
	if n.Moment == mulligan.NoticeGuard {
		return "claimed too often to be done: " + n.Text
	}
	if n.Text == "" {
		return n.Reason
	}
	if len(n.Options) > 0 {
		return fmt.Sprintf("%s (%s)", n.Text, strings.Join(n.Options, ", "))
	}
	return n.Text
}

// nextCommand returns what a person may want to give, "" if there is nothing to do.
func nextCommand(n mulligan.Notice, session string) string {
	switch n.Moment {
	case mulligan.NoticeQuestion:
		return fmt.Sprintf("mulligan answer --session %s %d TEXT", session, n.Question)
	case mulligan.NoticeGuard:
		return "mulligan guard status"
	case mulligan.NoticeVerified:
		return "mulligan diff " + session
	case mulligan.NoticeFailed, mulligan.NoticeFolder, mulligan.NoticeTest:
		return "mulligan status " + session
	default:
		return "mulligan resume " + session
	}
}
