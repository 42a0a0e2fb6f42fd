package timeline

import (
	"time"

	"mulligan"
	"mulligan/view"
)

// An EntryKind is who says what in the conversation of a row.
type EntryKind string

const (
	Prompted EntryKind = "prompted"  // what was asked of the agent
	Worked   EntryKind = "worked"    // what the agent did
	Saw      EntryKind = "saw"       // what a check or a hook found
	SentBack EntryKind = "sent back" // what goes back to the agent
	Asked    EntryKind = "asked"     // a question to a person
	Answered EntryKind = "answered"
	Told     EntryKind = "told"    // a person's message
	Decided  EntryKind = "decided" // how the session goes on
	Noted    EntryKind = "noted"   // what a person should know
	Claimed  EntryKind = "claimed" // the agent says that something is done
)

// An Entry is a line of the conversation. The whole of what it tells of is in the event, and in the files of the
// turn.
type Entry struct {
	Kind    EntryKind
	Who     string // the agent, the check, the hook
	Text    string // one line
	Verdict Verdict
	Time    time.Time
	Event   int64
	Turn    int // 0 if it belongs to none
	Index   int // of the check
	Try     int
	Took    time.Duration
	Usage   mulligan.Usage // of a turn
}

// Label returns who says what, in a few words before the entry's text.
func (e Entry) Label() string {
	words := map[EntryKind]string{
		Prompted: "asked", Worked: "it did", Saw: "we saw", SentBack: "sent back", Asked: "it asked a person", Answered: "answered",
		Told: "said", Decided: "then", Noted: "note", Claimed: "it claims",
	}
	switch e.Kind {
	case Worked, Noted, Claimed, Asked:
		return words[e.Kind]
	default:
		return view.Join(" ", words[e.Kind], e.Who)
	}
}

// say adds an entry to the row under way.
func (t *Timeline) say(e mulligan.Event, said Entry) {
	row := t.current(e)
	if len(row.Said) >= maxEntries {
		row.LeftOut++
		return
	}
	said.Who, said.Text = shorten(said.Who), shorten(said.Text)
	said.Time, said.Event = e.Time, e.Number
	row.Said = append(row.Said, said)
}

// maxCleaned is how much of a text is looked at for its first line's words.
const maxCleaned = 4 << 10

// shorten returns the beginning of a text on one line, fit to be shown.
func shorten(s string) string { return view.Line(s[:min(len(s), maxCleaned)]) }
