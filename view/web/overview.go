package web

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

// An Overview is the first page: what waits for a person, what runs, and what ended.
type Overview struct {
	Frame
	Waiting []Card
	Running []Row
	New     []Row // that have ended since the last visit
	Ended   []Row
	More    int // that have ended and are not listed
	Filter  Filter
	Damage  string // what of the journal cannot be read
	Any     bool   // there are sessions, listed or not
}

// A Filter is which sessions an overview lists.
type Filter struct {
	Text         string
	Repository   string
	State        string    // "", waiting, running, ended
	All          bool      // also those that ended long ago
	LastVisit    time.Time // when the person's last visit ended; zero if there was none
	Repositories []string
	States       []string
}

// Active reports whether the filter leaves sessions out.
func (f Filter) Active() bool { return f.Text != "" || f.Repository != "" || f.State != "" }

// shownEnded is how many sessions that have ended are listed at first.
const shownEnded = 30

// A Listed is a session as an overview gets it. Snap is nil for one that has ended and was not read.
type Listed struct {
	mulligan.Summary
	Title   string // the first line of a task that is a file; "" if it is not known
	Running bool
	Snap    *view.Snapshot
	Worked  time.Duration
}

// A Row is a session in a list.
type Row struct {
	Sign       Sign
	Link       string
	Task       string
	File       string // that the task is in, if Task is its title
	Repository string
	Place      string // the step and the try
	Doing      string // what runs now
	Why        string // it ended so
	Started    time.Time
	Updated    time.Time
	Took       time.Duration
	Commit     string
	Bars       []Bar
}

// A Bar is something that was spent of a limit.
type Bar struct {
	Label string
	Text  string
	Part  float64 // from 0 to 1
	High  bool    // nearly all of it
}

// A Card is a session that waits for a person.
type Card struct {
	Row
	ID        string
	Questions []AskedQuestion
	Items     []view.GuardItem // that were claimed too often
	Resumable bool
	Commands  []view.Suggestion
}

// An AskedQuestion is one that can be answered in place.
type AskedQuestion struct {
	view.Question
	Asker    string
	Default  string // what is taken if no person answers
	Choices  []Choice
	Document string // the text, with its line breaks
}

// A Choice is an answer that a question offers.
type Choice struct{ Text, Meaning string }

// NewOverview returns the page of a list of sessions, the newest first.
func NewOverview(f Frame, list []Listed, filter Filter) Overview {
	o := Overview{Frame: f, Filter: filter, Any: len(list) > 0}
	o.Filter.States = []string{"waiting", "running", "ended"}
	for _, s := range list {
		if root := RepositoryName(s.Root); !slices.Contains(o.Filter.Repositories, root) {
			o.Filter.Repositories = append(o.Filter.Repositories, root)
		}
		if !filter.fits(s) {
			continue
		}
		switch o.part(s) {
		case "waiting":
			o.Waiting = append(o.Waiting, newCard(s))
		case "running":
			o.Running = append(o.Running, newRow(s))
		case "new":
			o.New = append(o.New, newRow(s))
		default:
			o.Ended = append(o.Ended, newRow(s))
		}
	}
	slices.Sort(o.Filter.Repositories)
	if !filter.All && len(o.Ended) > shownEnded {
		o.More = len(o.Ended) - shownEnded
		o.Ended = o.Ended[:shownEnded]
	}
	return o
}

// RepositoryName returns the name of a repository, by its folder.
func RepositoryName(root string) string { return view.Line(filepath.Base(root)) }

// NeedsPerson reports whether a session that is not running waits for a person.
func NeedsPerson(s mulligan.Summary) bool {
	return s.Asks || s.Ended == mulligan.Waiting || s.Ended == mulligan.GateBroken
}

// part returns the part of the overview that a session is in.
func (o *Overview) part(s Listed) string {
	state, last := s.state(), o.Filter.LastVisit
	if state == "ended" && !last.IsZero() && s.Updated.After(last) && len(o.New) < shownEnded {
		return "new"
	}
	return state
}

// state returns whether a session waits for a person, runs, or has ended.
func (s Listed) state() string {
	switch {
	case NeedsPerson(s.Summary), s.Snap != nil && s.Running && len(s.Snap.Questions) > 0:
		return "waiting"
	case s.Running:
		return "running"
	}
	return "ended"
}

func (f Filter) fits(s Listed) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(f.Text)) }
	return (f.Text == "" || has(s.Task) || has(s.Title) || has(s.ID) || has(s.Root) || has(s.Branch) || has(s.Name) || has(s.Step)) &&
		(f.Repository == "" || RepositoryName(s.Root) == f.Repository) && (f.State == "" || s.state() == f.State)
}

// newRow returns the line of a session.
func newRow(s Listed) Row {
	r := Row{
		Link: "/s/" + view.Line(s.ID), Task: view.Line(cmp.Or(s.Name, s.Task)), Repository: RepositoryName(s.Root),
		Place: placeWords(s.Summary), Why: view.Line(s.Reason), Started: s.Started, Updated: s.Updated,
		Took: s.Updated.Sub(s.Started), Commit: view.Line(s.Commit),
	}
	if title := view.Line(s.Title); s.Name == "" && title != "" && title != r.Task {
		r.Task, r.File = title, r.Task
	}
	switch {
	case s.Running:
		r.Sign = Sign{"●", "running", "running"}
	case s.Ended == "":
		r.Sign, r.Why = Sign{"‖", "stopped", "limit"}, view.Join(": ", r.Place, "its process is gone")
	default:
		r.Sign = EndingSign(s.Ended, view.Paused(s.Ended, s.OverLimit, s.Phase))
	}
	if s.Ended != mulligan.Verified && s.Ended != mulligan.Accepted {
		r.Commit = ""
	}
	if s.Snap != nil {
		r.Doing, r.Bars, r.Took = doingWords(*s.Snap), newBars(*s.Snap), s.Snap.Elapsed
	}
	return r
}

// placeWords returns where a session is: "step implement 2 of 3, attempt 2".
func placeWords(s mulligan.Summary) string {
	if s.Name != "" {
		return text.Count(s.Iteration, "iteration")
	}
	step, attempt := view.Line(s.Step), ""
	if s.Steps > 1 && s.StepNo > 0 {
		step += fmt.Sprintf(" %d/%d", s.StepNo, s.Steps)
	}
	if s.Attempt > 0 {
		attempt = fmt.Sprintf("attempt %d", s.Attempt)
	}
	return view.Join(", ", strings.TrimSpace(step), attempt)
}

// doingWords returns what a session does now.
func doingWords(s view.Snapshot) string {
	switch {
	case s.Over():
		return ""
	case s.Stopping:
		return "stopping"
	case s.Running == nil:
		return ""
	case s.Waits():
		return s.Running.WaitWords() + ": " + s.Running.Name
	}
	return view.Join(", ", s.Running.String(), s.Running.Why())
}

// newBars returns how far a session is, and what it has spent of its limits.
func newBars(s view.Snapshot) []Bar {
	var bars []Bar
	if n := len(s.Steps); n > 1 {
		done := 0
		for _, step := range s.Steps {
			if step.Status.Done() {
				done++
			}
		}
		bars = append(bars, Bar{Label: "steps", Text: fmt.Sprintf("%d of %d steps", done, n), Part: float64(done) / float64(n)})
	}
	for _, g := range s.Gauges {
		words := g.Words
		if g.Name == "tokens" || g.Name == "turns" {
			words += " " + g.Name
		}
		bars = append(bars, Bar{Label: g.Name, Text: words, Part: g.Part, High: g.Part >= view.NearLimit})
	}
	return bars
}

// newCard returns what a session that waits for a person wants.
func newCard(s Listed) Card {
	c := Card{Row: newRow(s), ID: view.Line(s.ID), Resumable: s.Ended == mulligan.Waiting || s.Ended == mulligan.GateBroken}
	if s.Running {
		c.Sign = Sign{"?", "asks you", "waiting"}
	}
	if s.Snap == nil {
		return c
	}
	c.Questions, c.Items = newQuestions(*s.Snap), s.Snap.Guard.Waiting()
	if s.Snap.Outcome != nil && len(c.Questions) == 0 {
		c.Commands = view.SuggestNext(*s.Snap, *s.Snap.Outcome)
	}
	return c
}

// newQuestions returns the open questions of a session.
func newQuestions(s view.Snapshot) []AskedQuestion {
	var list []AskedQuestion
	for _, q := range s.Questions {
		a := AskedQuestion{Question: q, Asker: view.AskerWords(q.Question), Default: view.DefaultWords(q.Question), Document: view.Document(q.Text)}
		for _, option := range q.Options {
			a.Choices = append(a.Choices, Choice{option, s.Meaning(q.Question, option)})
		}
		list = append(list, a)
	}
	return list
}
