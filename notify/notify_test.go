package notify

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
)

func TestBell(t *testing.T) {
	question := mulligan.Notice{Moment: mulligan.NoticeQuestion, Text: "red; or\x1b]0;evil\a blue?"}
	tests := []struct {
		term        string
		multiplexed bool
		want        string
	}{
		{"xterm-256color", false, "\x1b]9;mulligan: t.md has a question: red; or blue?\x1b\\\a"},
		{"foot", false, "\x1b]777;notify;mulligan: t.md has a question;red, or blue?\x1b\\\a"},
		{"rxvt-unicode", false, "\x1b]777;notify;mulligan: t.md has a question;red, or blue?\x1b\\\a"},
		{"xterm-256color", true, "\a"},
		{"tmux-256color", false, "\a"},
		{"linux", false, "\a"},
		{"", false, "\a"},
	}
	for _, test := range tests {
		if got := Bell(question, "t.md", test.term, test.multiplexed); got != test.want {
			t.Errorf("TERM=%s, multiplexed %v: got %q, want %q", test.term, test.multiplexed, got, test.want)
		}
	}
}

// What is shown on a desktop comes as arguments, after the end of the options, and has no markup.
func TestDesktopCommand(t *testing.T) {
	m := message{Title: "--help is verified", Text: `<b>"; do shell script "x`, NeedsYou: true}
	if got := desktopCommand("linux", m); !slices.Equal(got[3:], []string{"--", "mulligan: --help is verified", `&lt;b&gt;"; do shell script "x`}) || got[2] != "--urgency=critical" {
		t.Errorf("linux: %q", got)
	}
	got := desktopCommand("darwin", m)
	if got[len(got)-1] != m.Text || strings.Contains(strings.Join(got[:len(got)-2], " "), "shell script") {
		t.Errorf("darwin: %q", got)
	}
}

// Every moment has a title of its own, needs a person or not, and a message without controls and secrets.
func TestMessages(t *testing.T) {
	titles := map[string]mulligan.NoticeMoment{}
	redact := func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }
	for _, moment := range append(mulligan.NoticeMoments(), mulligan.NoticeTest) {
		d := mulligan.Delivery{NotifyStarted: mulligan.NotifyStarted{ID: "s-1", Notice: mulligan.Notice{
			Moment: moment, Ended: mulligan.GaveUp, Reason: "hunter2\x1b[31m\nwas printed", Folder: "tasks",
		}}}
		d.Summary.Task, d.Summary.ID = "t.md", "s"
		m := newMessage(d, time.Unix(0, 0), redact)
		if other, twice := titles[m.Title]; twice {
			t.Errorf("%s and %s have the title %q", moment, other, m.Title)
		}
		titles[m.Title] = moment
		for _, format := range []string{"json", "slack"} {
			data, err := encode(m, format)
			if err != nil || !json.Valid(data) || strings.Contains(string(data), "hunter2") || strings.Contains(string(data), `\u001b`) {
				t.Errorf("%s as %s: %s, %v", moment, format, data, err)
			}
		}
		if m.NeedsYou != moment.NeedsPerson() || m.Next == "" {
			t.Errorf("%s: %+v", moment, m)
		}
	}
}

func TestIsHeaderName(t *testing.T) {
	for name, want := range map[string]bool{
		"Authorization": true, "X-Api_Key": true, "": false, "A B": false, "A:": false, "Host": false, "content-length": false, "Idempotency-Key": false, "Ä": false,
	} {
		if isHeaderName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
