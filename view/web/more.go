package web

import (
	"fmt"
	"html/template"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
	"mulligan/view/markup"
)

// A Message is a page that says one thing.
type Message struct {
	Frame
	Heading string
	Lines   []string
	Home    bool // it leads to the list
}

// An Attempt is the page of one attempt.
type Attempt struct {
	Frame
	Row                 AttemptRow
	Outputs             []Output
	Diff                Patch
	Previous, Following string // addresses
}

// A Diff is the page of what a session changed.
type Diff struct {
	Frame
	Diff Patch
}

// A Patch is a difference by file.
type Patch struct {
	Note  string
	Files []PatchFile
	Cut   string // what is not shown
}

// A PatchFile is what changed in one file.
type PatchFile struct {
	Anchor         string
	Name           string
	Added, Deleted int
	HTML           template.HTML
}

// NewPatch returns a difference as git prints it. note says what it is.
func NewPatch(note string, patch []byte) Patch {
	p := Patch{Note: view.Line(note)}
	files := markup.ReadPatch(string(patch))
	drawn := markup.SplitDiffs(files)
	for i, f := range files {
		p.Files = append(p.Files, PatchFile{
			Anchor: fmt.Sprintf("file-%d", i+1), Name: view.Line(f.Name()), Added: f.Added, Deleted: f.Removed,
			HTML: drawn[i],
		})
	}
	return p
}

// A Tasks is the page of the agent's own tasks.
type Tasks struct {
	Frame
	Counted string
	Tasks   []TaskLine
}

// A TaskLine is one of them.
type TaskLine struct {
	Mark, Tone, Status, Content, Details string
}

// NewTasks returns the page of a session's tasks.
func NewTasks(f Frame, snap view.Snapshot, board *mulligan.Board) Tasks {
	p := Tasks{Frame: f, Counted: snap.Tasks.String()}
	for _, t := range board.Tasks {
		l := TaskLine{Status: view.StatusWords(t.Status), Content: view.Line(t.Content), Details: view.TaskDetails(t), Mark: "○", Tone: "open"}
		switch {
		case !t.Status.Open() && t.Status == mulligan.TaskCancelled:
			l.Mark, l.Tone = "–", "limit"
		case !t.Status.Open():
			l.Mark, l.Tone = "✓", "verified"
		case t.Status == mulligan.InProgress:
			l.Mark, l.Tone = "●", "running"
		case t.Status == mulligan.Blocked || board.Blocks(t):
			l.Mark, l.Tone = "◌", "waiting"
		}
		p.Tasks = append(p.Tasks, l)
	}
	return p
}

// A Notes is the page of what the agent wants later iterations to know.
type Notes struct {
	Frame
	Notes     []NoteLine
	Summaries []NoteLine
}

// A NoteLine is one of them.
type NoteLine struct {
	Type      string
	Iteration int
	HTML      template.HTML
}

// NewNotes returns the page of a session's notes.
func NewNotes(f Frame, board *mulligan.Board) Notes {
	p := Notes{Frame: f}
	for _, n := range board.Notes {
		p.Notes = append(p.Notes, NoteLine{Type: view.Line(n.Type), Iteration: n.Iteration, HTML: markup.Markdown(n.Text)})
	}
	for _, s := range board.Summaries {
		p.Summaries = append(p.Summaries, NoteLine{Iteration: s.Iteration, HTML: markup.Markdown(s.Text)})
	}
	return p
}

// An Events is the page of what the journal has of a session.
type Events struct {
	Frame
	All          int64
	Events       []EventLine
	Older, Newer string // addresses
}

// An EventLine is an event.
type EventLine struct {
	Number int64
	Time   time.Time
	Clock  string
	Kind   string
	Text   string
	Link   string // its moment in the timeline
}

// NewEventLine returns an event in a line. attempt is the one that it belongs to, 0 if it is none's.
func NewEventLine(e mulligan.Event, snap view.Snapshot, attempt int) EventLine {
	l := EventLine{Number: e.Number, Time: e.Time, Clock: e.Time.Local().Format("15:04:05"), Kind: e.Body.Kind(), Text: eventWords(e.Body, snap)}
	if attempt > 0 {
		l.Link = fmt.Sprintf("/s/%s#attempt-%d", view.Line(e.Session), attempt)
	}
	return l
}

// eventWords returns an event in a few words.
func eventWords(body mulligan.Body, snap view.Snapshot) string {
	switch b := body.(type) {
	case mulligan.StepStarted:
		return view.Line(b.Step)
	case mulligan.AttemptStarted:
		return view.Join(", ", view.Line(b.Step), fmt.Sprintf("attempt %d", b.Attempt), view.Line(b.Strategy))
	case mulligan.TurnStarted:
		return view.Join(", ", fmt.Sprintf("turn %d", b.Turn), view.Line(b.Agent), view.Line(view.PurposeWords(b.Purpose)))
	case mulligan.TurnEnded:
		return view.Join(", ", fmt.Sprintf("turn %d", b.Turn), view.Line(string(b.Result.Ending)), Duration(b.Duration), text.Clip(view.Line(b.Result.Message), 120))
	case mulligan.GateStarted:
		return view.Line(b.Gate)
	case mulligan.GateEnded:
		return view.Join(", ", view.Line(b.Verdict.Gate), statusSign(b.Verdict.Status).Word, view.Summary(b.Verdict), Duration(b.Verdict.Duration))
	case mulligan.AttemptEnded:
		return view.Join(", ", statusSign(b.Status).Word, view.Line(b.Reason))
	case mulligan.StepVerified:
		return view.Join(", ", view.Line(b.Step), view.Commit(view.Line(b.Commit)))
	case mulligan.SessionEnded:
		return view.Join(", ", EndingSign(b.Outcome.Ended, false).Word, view.Line(b.Outcome.Reason))
	case mulligan.Noted:
		return view.Line(b.Text)
	case mulligan.Waited:
		return view.Join(", ", Duration(b.For), view.Line(b.Reason))
	}
	said := ""
	for _, r := range view.Remarks(body, snap) {
		said = view.Join("; ", said, r.String())
	}
	return text.Clip(said, 300)
}

// A Printed is the page of an output.
type Printed struct {
	Frame
	Output Output
}

// A Settings is the page of what is in force.
type Settings struct {
	Frame
	Parts  []SettingsPart
	Doctor string // the address that examines more; "" if it was
}

// A SettingsPart is a part of it.
type SettingsPart struct{ Title, Note, Text string }
