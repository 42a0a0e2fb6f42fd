package web

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
	"mulligan/view/markup"
	"mulligan/view/timeline"
)

const (
	shownRows     = 40 // attempts that a page shows at first
	shownExcerpt  = 14 // lines of a gate's evidence on the session's page
	shownEvidence = 80 // lines of it on the attempt's page
	shownItems    = 10 // failing items of a gate
	shownLines    = 5  // lines of a text before it is unfolded
	maxText       = 100_000
)

// A Timeline is a session's attempts, one to a row, all on one scale.
type Timeline struct {
	Rows  []AttemptRow
	Older int    // rows before these
	Link  string // the address that has them
	Scale time.Duration
	Kinds []SegmentKind // that there are, for the key
}

// A SegmentKind is what a part of an attempt's time was spent on: the class that it has in the style, and its name.
type SegmentKind struct{ Class, Name string }

// An AttemptRow is an attempt: its time by what it was spent on, and the loop as a conversation.
type AttemptRow struct {
	Number   int    // over the session; 0 if it is no attempt
	Anchor   string // "attempt-3", or by its event
	Link     string
	Name     string
	Sign     Sign
	Strategy string
	Agent    string
	Took     time.Duration
	Began    time.Time
	Segments []Segment
	Said     []Line
	LeftOut  int
	Reason   string
}

// A Segment is a part of an attempt's time. X and Width are thousandths of the scale.
type Segment struct {
	X, Width float64
	Class    string
	Title    string
}

// A Line is a line of the conversation, with what is behind it.
type Line struct {
	Event  int64
	Label  string // asked, did, saw, sent back …
	Class  string
	Sign   *Sign
	Who    string
	Text   string
	Took   time.Duration
	Spent  string
	Whole  Text // of a prompt or a message; zero if there is no more than Text
	Saw    *Finding
	Output string // the address of what it printed
}

// A Text is a long text with the lines that are shown before it is unfolded.
type Text struct {
	Head  string
	Lines int
	Whole string
	HTML  template.HTML // the whole, as Markdown; "" if it is plain
}

// A Finding is what a gate said.
type Finding struct {
	Items []mulligan.Item
	More  int           // items that are not listed
	Lines template.HTML // of the evidence, from the first failing item on
	Left  int           // lines that are not shown
	Whole string        // the address of the whole output
	Bytes int64
}

// A TimelineSource is what a timeline is drawn from.
type TimelineSource struct {
	Session string
	Line    *timeline.Timeline
	Event   func(number int64) mulligan.Body // nil if it is not at hand
	Output  func(path string) string         // the address of an output, by its path; "" if it is elsewhere
	Now     time.Time
	All     bool // show every row
}

// NewTimeline draws a session's timeline.
func NewTimeline(src TimelineSource) Timeline {
	rows := src.Line.Rows()
	t := Timeline{Older: src.Line.Earlier(), Scale: src.Line.Longest(src.Now), Link: "/s/" + src.Session + "?all=1"}
	if !src.All && len(rows) > shownRows {
		t.Older += len(rows) - shownRows
		rows = rows[len(rows)-shownRows:]
	}
	for _, r := range rows {
		if r.Iteration == 0 && len(r.Segments) == 0 && len(r.Said) == 0 {
			continue // nothing happened before the first attempt
		}
		t.Rows = append(t.Rows, src.newRow(r, t.Scale, false))
		for _, s := range r.Segments {
			if kind := (SegmentKind{segmentClass(s.Kind), string(s.Kind)}); !slices.Contains(t.Kinds, kind) {
				t.Kinds = append(t.Kinds, kind)
			}
		}
	}
	return t
}

// NewAttemptRow draws one attempt with all that is at hand of it, or returns nil if there is none.
func NewAttemptRow(src TimelineSource, iteration int) *AttemptRow {
	r := src.Line.Attempt(iteration)
	if r == nil {
		return nil
	}
	row := src.newRow(*r, r.Took(src.Now), true)
	return &row
}

func (src TimelineSource) newRow(r timeline.Row, scale time.Duration, whole bool) AttemptRow {
	row := AttemptRow{
		Number: r.Iteration, Anchor: fmt.Sprintf("event-%d", r.Event), Name: cmp.Or(r.Title, attemptName(r)), Sign: rowSign(r),
		Strategy: r.Strategy, Agent: r.Agent, Took: r.Took(src.Now), Began: r.Start, LeftOut: r.LeftOut, Reason: r.Reason,
	}
	if r.Iteration > 0 {
		row.Anchor = fmt.Sprintf("attempt-%d", r.Iteration)
		row.Link = fmt.Sprintf("/s/%s/a/%d", src.Session, r.Iteration)
	}
	for _, s := range r.Segments {
		row.Segments = append(row.Segments, src.newSegment(r, s, scale))
	}
	slices.SortStableFunc(row.Segments, func(a, b Segment) int { return cmp.Compare(b.Width, a.Width) }) // a wait lies in a turn
	for _, e := range r.Said {
		row.Said = append(row.Said, src.newLine(e, whole))
	}
	return row
}

// attemptName returns what people call an attempt.
func attemptName(r timeline.Row) string {
	return view.Join(", ", r.Step, fmt.Sprintf("attempt %d", r.Attempt))
}

func rowSign(r timeline.Row) Sign {
	if r.Iteration == 0 {
		return Sign{"·", string(r.Verdict), "open"}
	}
	return verdictSign(r.Verdict)
}

// verdictSign returns a verdict of a row or a segment.
func verdictSign(v timeline.Verdict) Sign {
	tone := "open"
	switch v {
	case timeline.Running:
		tone = "running"
	case timeline.Passed:
		tone = "verified"
	case timeline.Accepted:
		tone = "accepted"
	case timeline.Failed, timeline.Broken:
		tone = "failed"
	case timeline.Cut:
		tone = "limit"
	case timeline.Done:
	}
	return Sign{v.Sign(), string(v), tone}
}

// segmentClass returns the class of a kind of segment.
func segmentClass(k timeline.Kind) string { return "s-" + strings.ReplaceAll(string(k), " ", "-") }

// leastWidth is the width of a segment that took next to no time: it is seen all the same.
const leastWidth = 4

func (src TimelineSource) newSegment(r timeline.Row, s timeline.Segment, scale time.Duration) Segment {
	took := s.Took(src.Now)
	thousandths := func(d time.Duration) float64 {
		return float64(int64(10_000*d.Seconds()/max(scale.Seconds(), 0.001))) / 10
	}
	title := view.Join(" ", string(s.Kind), s.Name)
	class := segmentClass(s.Kind)
	if s.Verdict == timeline.Failed || s.Verdict == timeline.Broken {
		class += " failed"
	}
	x := min(max(0, thousandths(s.Start.Sub(r.Start))), 1000-leastWidth)
	return Segment{
		X: x, Width: min(max(leastWidth, thousandths(took)), 1000-x), Class: class,
		Title: view.Join(", ", title, string(s.Verdict), Duration(took), s.Words),
	}
}

// entryLabels are the words for who says what.
var entryLabels = map[timeline.EntryKind]string{
	timeline.Prompted: "asked", timeline.Worked: "did", timeline.Saw: "saw", timeline.SentBack: "sent back", timeline.Asked: "question",
	timeline.Answered: "answer", timeline.Told: "told", timeline.Decided: "then", timeline.Noted: "note", timeline.Claimed: "claimed",
}

// newLine returns a line of the conversation. With whole it has the whole of its prompt or evidence.
func (src TimelineSource) newLine(e timeline.Entry, whole bool) Line {
	l := Line{
		Event: e.Event, Label: cmp.Or(entryLabels[e.Kind], string(e.Kind)), Class: "e-" + strings.ReplaceAll(string(e.Kind), " ", "-"),
		Who: e.Who, Text: e.Text, Took: e.Took, Spent: Money(e.Usage),
	}
	if e.Verdict != "" && e.Verdict != timeline.Done {
		sign := verdictSign(e.Verdict)
		l.Sign = &sign
	}
	if l.Text == string(mulligan.Finished) {
		l.Text = ""
	}
	src.fillLine(&l, whole)
	return l
}

// fillLine adds what the event of a line has.
func (src TimelineSource) fillLine(l *Line, whole bool) {
	switch b := src.Event(l.Event).(type) {
	case mulligan.TurnStarted:
		l.Whole = foldText(b.Prompt, whole)
	case mulligan.TurnEnded:
		if l.Whole = foldText(b.Result.Message, whole); whole && b.Result.Message != "" {
			l.Whole.HTML = markup.Markdown(b.Result.Message)
		}
	case mulligan.GateEnded:
		l.Saw = src.newFinding(b.Verdict, whole)
	case mulligan.AgentHookEnded:
		if b.Reply.Decision == mulligan.Block {
			l.Saw = src.newFinding(*view.BlockOf(b.Reply), whole)
		}
	}
}

// newFinding returns the evidence of a gate, or nil if there is nothing to show.
func (src TimelineSource) newFinding(v mulligan.Verdict, whole bool) *Finding {
	f := v.Finding
	if f == nil {
		return nil
	}
	found := &Finding{Whole: src.Output(f.Whole), Bytes: f.Bytes}
	if v.Status == mulligan.Pass {
		return found
	}
	found.Items = f.Failing[:min(len(f.Failing), shownItems)]
	found.More = len(f.Failing) - len(found.Items)
	n := shownExcerpt
	if whole {
		n = shownEvidence
	}
	lines, left := view.Excerpt(v, n)
	found.Lines, found.Left = markup.ANSI(strings.Join(lines, "\n")), left
	return found
}

// foldText folds a text: its first lines are shown. Without whole the rest is left to the attempt's page.
func foldText(s string, whole bool) Text {
	if s == "" {
		return Text{}
	}
	t := Text{Whole: view.Document(text.Clip(s, maxText)), Lines: strings.Count(s, "\n") + 1}
	t.Head = firstLines(t.Whole, shownLines)
	if !whole && len(t.Whole) > 4000 {
		t.Whole = t.Head
	}
	return t
}

// firstLines returns the first lines of a text, and not much of a long one.
func firstLines(s string, n int) string {
	at := 0
	for i, r := range s {
		if r == '\n' {
			if at++; at == n {
				return s[:i]
			}
		}
		if i > 600 {
			return s[:i] + "…"
		}
	}
	return s
}

// Folded reports whether more is there than the first lines.
func (t Text) Folded() bool { return t.Head != t.Whole }
