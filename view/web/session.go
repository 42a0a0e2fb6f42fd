package web

import (
	"cmp"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
	"mulligan/view"
)

// A Session is the page of one session.
type Session struct {
	Frame
	ID       string
	Task     string
	TaskText string
	Asks     string // the first line of the task
	Sign     Sign
	Sentence []Piece // the verdict
	Why      string
	Facts    []Fact
	Next     []view.Suggestion
	Steps    []StepLine
	Bars     []Bar
	Doing    string
	Asked    []AskedQuestion
	Items    []view.GuardItem // that were claimed too often
	Notes    []string
	Can      Actions
	Timeline Timeline
	Output   *Output // of what runs now
	Runs     bool
}

// A Piece is a part of a sentence: a name is shown as code.
type Piece struct {
	Text string
	Code bool
}

// Actions are what a person can do about a session.
type Actions struct{ Tell, Pause, Stop, Resume bool }

// A Fact is a line about a session.
type Fact struct {
	Label string
	Text  string
	Tone  string
	Code  bool
	Link  string
	Items []string
}

// A StepLine is a step of a pipeline.
type StepLine struct {
	Sign   Sign
	Name   string
	Try    string
	Took   time.Duration
	Commit string
	Budget string
	Checks []CheckLine
}

// A CheckLine is a check of a step.
type CheckLine struct {
	Sign Sign
	Name string
}

// NewSession returns the page of a session, without its timeline.
func NewSession(f Frame, s Listed, st *state.State) Session {
	snap := *s.Snap
	p := Session{
		Frame: f, ID: view.Line(s.ID), Task: view.Line(cmp.Or(s.Name, s.Task)),
		Doing: doingWords(snap), Bars: newBars(snap), Asked: newQuestions(snap), Items: snap.Guard.Waiting(),
		Steps: newSteps(snap), Notes: snap.Notes, Runs: s.Running,
	}
	if st.Plan != nil {
		p.TaskText = view.Document(st.Plan.Task.Text)
		p.Title, p.Asks = firstWords(p.TaskText)+" · mulligan", firstWords(p.TaskText)
	}
	p.Sign, p.Sentence, p.Why = describeVerdict(s)
	p.Facts = newFacts(s)
	if snap.Outcome != nil {
		p.Next = view.SuggestNext(snap, *snap.Outcome)
	} else if snap.Gone {
		p.Next = []view.Suggestion{{Command: "mulligan resume " + view.QuoteForShell(view.Line(s.ID)), Why: "goes on where it was"}}
	}
	if !f.ReadOnly {
		ended := s.Ended
		p.Can = Actions{
			Tell:   ended != mulligan.Verified && ended != mulligan.Accepted,
			Pause:  s.Running && snap.Pausing == "" && !snap.Stopping,
			Stop:   s.Running && !snap.Stopping,
			Resume: !s.Running && canResume(ended),
		}
	}
	return p
}

// firstWords returns the first line of a task that has words.
func firstWords(task string) string {
	for line := range strings.Lines(task) {
		if line = strings.Trim(line, "# \t\r\n"); line != "" {
			return view.Line(text.Clip(line, 120))
		}
	}
	return "session"
}

// canResume reports whether a session that ended so can be resumed.
func canResume(e mulligan.Ended) bool {
	switch e {
	case "", mulligan.Interrupted, mulligan.Waiting, mulligan.GateBroken, mulligan.AgentUnavailable:
		return true
	default:
		return false
	}
}

// describeVerdict returns how a session stands in one sentence: what verified it, and on which commit.
func describeVerdict(s Listed) (Sign, []Piece, string) {
	snap := *s.Snap
	out := snap.Outcome
	switch {
	case out == nil && s.Running && len(snap.Questions) > 0:
		return Sign{"?", "Asks you", "waiting"}, plainPieces("It waits for your answer."), ""
	case out == nil && s.Running:
		return Sign{"●", "Running", "running"}, runningPieces(snap), ""
	case out == nil:
		return Sign{"‖", "Stopped", "limit"}, plainPieces("Its process is gone. Nothing is lost: it can be resumed."), view.Line(snap.Interrupted)
	}
	sign := EndingSign(out.Ended, snap.Paused())
	sign.Word = strings.ToUpper(sign.Word[:1]) + sign.Word[1:]
	var pieces []Piece
	gates := view.Distinct(out.Steps, func(step mulligan.StepOutcome) []string { return step.By })
	switch {
	case out.Good() && len(gates) > 0:
		pieces = append(pieces, Piece{Text: "Checked by "})
		for i, g := range gates {
			pieces = append(pieces, Piece{Text: separator(i, len(gates))}, Piece{Text: view.Line(g), Code: true})
		}
		if out.Commit != "" {
			pieces = append(pieces, Piece{Text: " on commit "}, Piece{Text: view.Commit(view.Line(out.Commit)), Code: true})
		}
		pieces = append(pieces, Piece{Text: "."})
	case out.Good():
		pieces = plainPieces("No gate has checked it: the work was accepted as it is.")
	case out.Evidence != nil:
		pieces = append(pieces, Piece{Text: "The last word was "}, Piece{Text: view.Line(out.Evidence.Gate), Code: true}, Piece{Text: ": " + view.Summary(*out.Evidence) + "."})
	}
	return sign, pieces, view.Line(out.Reason)
}

// separator returns what stands before the item with an index in a list of so many.
func separator(i, n int) string {
	switch {
	case i == 0:
		return ""
	case i == n-1:
		return " and "
	}
	return ", "
}

func plainPieces(text string) []Piece { return []Piece{{Text: text}} }

func runningPieces(s view.Snapshot) []Piece {
	var pieces []Piece
	if step := s.Step(); step != nil && s.Loop == nil {
		pieces = append(pieces, Piece{Text: "Step "}, Piece{Text: step.Name, Code: true}, Piece{Text: ", " + s.Try()})
	} else if s.Loop != nil {
		pieces = append(pieces, Piece{Text: s.Try()})
	}
	if doing := doingWords(s); doing != "" {
		if len(pieces) > 0 {
			pieces = append(pieces, Piece{Text: ": "})
		}
		pieces = append(pieces, Piece{Text: doing})
	}
	if len(pieces) == 0 {
		return plainPieces("It begins.")
	}
	return append(pieces, Piece{Text: "."})
}

// newFacts returns what a person wants to know before trusting a session's work.
func newFacts(s Listed) []Fact {
	snap := *s.Snap
	var facts []Fact
	add := func(f Fact) {
		if f.Text != "" || len(f.Items) > 0 {
			facts = append(facts, f)
		}
	}
	out := snap.Outcome
	add(Fact{Label: "waived", Items: snap.Waived(), Tone: "waiting"})
	if out != nil {
		for _, step := range out.Steps {
			for _, e := range step.Gates {
				add(Fact{Label: "checked", Text: view.Join(" — ", view.Line(e.Gate), view.Line(e.Summary), Duration(e.Duration)), Tone: "verified"})
				for _, caveat := range e.Caveats() {
					add(Fact{Label: "note", Text: view.Line(caveat), Tone: "waiting"})
				}
			}
		}
		for _, n := range out.Notes {
			add(Fact{Label: "note", Text: n, Tone: "waiting"})
		}
	}
	touched := snap.Touched
	if out != nil {
		touched = out.Touched
	}
	if touched != nil {
		add(Fact{Label: "changed", Text: touched.Figures(), Link: "/s/" + s.ID + "/diff"})
		add(Fact{Label: "tests", Text: touched.TestWords(), Tone: "waiting"})
		add(Fact{Label: "steering", Text: touched.SteeringWords(), Tone: "waiting"})
	} else {
		add(Fact{Label: "changed", Text: "see the diff", Link: "/s/" + s.ID + "/diff"})
	}
	if out != nil {
		add(Fact{Label: "commit", Text: view.Line(out.Commit), Code: true})
		for _, q := range out.Questions {
			if q.Assumed() {
				add(Fact{Label: "assumed", Text: view.Line(q.Text) + " — nobody answered, " + view.TakenWords(q), Tone: "waiting"})
			}
		}
	}
	add(Fact{Label: "branch", Text: snap.Place.Branch, Code: true})
	add(Fact{Label: "folder", Text: snap.Place.Dir, Code: true})
	add(Fact{Label: "tasks", Text: snap.Tasks.String(), Link: "/s/" + s.ID + "/tasks"})
	if snap.Pending > 0 {
		add(Fact{Label: "pending", Text: text.Count(snap.Pending, "text") + " for the agent's next turn"})
	}
	used := view.Ledger(snap.Turn, snap.Judged, s.Worked, snap.Usage)
	if out != nil {
		used = view.Ledger(out.Turns, out.Judged, out.Worked, out.Usage)
	}
	add(Fact{Label: "used", Text: used})
	return facts
}

// newSteps returns the steps of a pipeline.
func newSteps(s view.Snapshot) []StepLine {
	var list []StepLine
	for _, step := range s.Steps {
		l := StepLine{Sign: stepSign(step.Status), Name: step.Name, Took: step.Elapsed, Commit: step.Commit, Budget: step.Budget()}
		if step.Attempt > 0 {
			l.Try = step.AttemptOf()
		}
		for _, c := range step.Checks {
			sign := statusSign(c.Status)
			if c.Status == "" && !c.Running {
				sign = Sign{"○", "to do", "open"}
			}
			name := c.Name
			if c.Flaky {
				name += " (flaky)"
			}
			l.Checks = append(l.Checks, CheckLine{sign, name})
		}
		list = append(list, l)
	}
	return list
}

// An Output is a part of what an agent, a check or a hook printed.
type Output struct {
	Name    string
	Lines   []OutputLine
	Earlier string // the address of what came before; "" if nothing did
	Later   string
	Whole   string // the address of all of it
	Bytes   int64
}

// An OutputLine is a line of it.
type OutputLine struct {
	Kind string // words, call, output, thought, remark
	Text string
}
