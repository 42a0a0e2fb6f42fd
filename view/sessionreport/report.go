package sessionreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
	"mulligan/view/timeline"
)

// A Report is a session as it is told to a person. Every text in it is one line, fit to be shown, unless its name
// says otherwise.
type Report struct {
	Session  string
	Title    string // the task, in a few words
	Verdict  Verdict
	Warnings []string // what a reader has to know first: a journal that is damaged, an event that is not known
	Facts    []Fact
	Gates    []Gate // what verified it
	Asked    string // the task's text, in Markdown
	Attempts []Attempt
	Earlier  int // attempts that are in the timeline alone
	Patch    string
	Note     string   // what the patch is, or why there is none
	Again    []string // commands that check it again
	Good     bool     // it is verified or accepted
	Versions []Fact
	Made     string

	line *timeline.Timeline
	now  time.Time
}

// A Verdict is what the session came to, in one sentence.
type Verdict struct {
	Sign, Word string
	Tone       string // verified, failed, waiting, limit, running: the name of its colour
	Sentence   string
	Next       []view.Suggestion
}

// A Fact is a line under the verdict.
type Fact struct{ Label, Text string }

// A Gate is what a check or a hook found that the work has passed.
type Gate struct {
	Step, Name, Found, Took string
	Caveats                 []string
}

// An Attempt is one row of the timeline, with what was said and found in it.
type Attempt struct {
	timeline.Row
	Name     string
	Duration string
	Evidence []Evidence
	Turns    []TurnWords
	Patch    string
}

// Evidence is what a gate found that did not pass. Text has several lines.
type Evidence struct {
	Gate, Summary string
	Verdict       timeline.Verdict
	Text          string
	Cut           bool
}

// TurnWords are the prompt of a turn and the agent's last words in it, both of several lines.
type TurnWords struct {
	Number          int
	Why             string
	Prompt, Message string
	Cut             bool
}

// Report returns the report of the events so far.
func (c *Collector) Report(a Around) *Report {
	clean := a.Clean
	if clean == nil {
		clean = func(s string) string { return s }
	}
	snap := c.model.Snapshot(a.Now)
	state := c.model.State()
	r := &Report{
		Session: view.Line(snap.Session), line: &c.line, now: a.Now, Patch: clean(a.Patch), Note: view.Line(clean(a.Note)),
		Made: fmt.Sprintf("made by mulligan %s on %s", a.Version, a.Now.UTC().Format("2 Jan 2006 15:04 UTC")),
	}
	if !a.Running && snap.Outcome == nil {
		r.now = c.line.Last() // nothing has gone on since
	}
	r.Verdict = describeVerdict(snap, a.Running)
	r.Warnings = c.listWarnings(a)
	r.Facts = listFacts(snap, c.line.Last())
	if snap.Outcome != nil {
		r.Gates, r.Good = listGates(*snap.Outcome), snap.Outcome.Good()
	}
	if plan := state.Plan; plan != nil {
		r.Asked = clean(plan.Task.Text)
		r.Title = describeTask(snap, plan)
		r.Again = listCommands(snap, plan)
		r.Versions = listVersions(plan, c.versions)
	}
	c.addAttempts(r, a, clean)
	return r
}

// describeTask returns the task in a few words: its heading, or its first line.
func describeTask(snap view.Snapshot, plan *mulligan.Plan) string {
	for line := range strings.Lines(plan.Task.Text) {
		if line = strings.Trim(line, "# \t\r\n"); line != "" {
			return text.Clip(view.Line(line), 120)
		}
	}
	return cmp.Or(view.Line(snap.Task), snap.Session)
}

// describeVerdict returns what a session came to in one sentence.
func describeVerdict(s view.Snapshot, running bool) Verdict {
	out := s.Outcome
	switch {
	case out == nil && running:
		now := ""
		if s.Running != nil {
			now = s.Running.String()
		}
		return Verdict{"…", "Still running", "running", view.Join(", ", place(s), now) + ". This report shows how it stood when it was made.", nil}
	case out == nil:
		return Verdict{
			"!", "Not ended", "waiting", view.Join(", ", place(s), "its process is gone: it was killed, or the machine went down.") + " Nothing after its last event is known.",
			[]view.Suggestion{{Command: "mulligan resume " + view.QuoteForShell(s.Session), Why: "continues where it was"}},
		}
	}
	word, title, _ := view.EndingWords(out.Ended, s.Paused())
	sign, rest, ok := strings.Cut(title, " ")
	if !ok || sign != "✓" && sign != "✗" {
		sign, rest = "!", title
	}
	v := Verdict{Sign: sign, Word: rest, Tone: "waiting", Sentence: out.Reason, Next: view.SuggestNext(s, *out)}
	switch out.Ended {
	case mulligan.Verified:
		v.Tone, v.Sentence = "verified", verifiedWords(s, *out)
	case mulligan.Accepted:
		v.Sign, v.Word = "○", "accepted, not verified"
	case mulligan.GaveUp, mulligan.GateBroken, mulligan.AgentUnavailable:
		v.Tone = "failed"
	case mulligan.LimitReached:
		v.Tone = "limit"
	case mulligan.Waiting, mulligan.Interrupted:
	}
	v.Word, v.Sentence = capitalize(cmp.Or(v.Word, word)), capitalize(endSentence(view.Line(v.Sentence)))
	return v
}

// place returns where a session is: its step and attempt.
func place(s view.Snapshot) string {
	step := s.Step()
	if step == nil {
		return ""
	}
	return capitalize(view.Join(", ", step.Name, s.Try()))
}

// verifiedWords returns what verified the work, and where it is.
func verifiedWords(s view.Snapshot, out mulligan.Outcome) string {
	by := view.Distinct(out.Steps, func(step mulligan.StepOutcome) []string { return step.By })
	sentence := "every gate passed: " + strings.Join(by, ", ")
	if out.Commit != "" {
		sentence += "; on commit " + view.Commit(out.Commit)
	}
	if out.Commit != "" && s.Place.Branch != "" {
		sentence += " of branch " + s.Place.Branch
	}
	return sentence
}

func capitalize(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func endSentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// listWarnings returns what makes the report less than the whole.
func (c *Collector) listWarnings(a Around) []string {
	var list []string
	if a.Damage != "" {
		list = append(list, "Not all of the session's journal could be read: "+view.Line(a.Damage)+". The report ends where it does.")
	}
	if c.unknown > 0 {
		list = append(list, fmt.Sprintf("A newer mulligan has written %s that this one does not know: what they tell is missing here.", text.Count(c.unknown, "event")))
	}
	return list
}

// listFacts returns the lines under the verdict.
func listFacts(s view.Snapshot, last time.Time) []Fact {
	var list []Fact
	add := func(label, value string) {
		if value = view.Line(value); value != "" {
			list = append(list, Fact{label, value})
		}
	}
	var out mulligan.Outcome
	if s.Outcome != nil {
		out = *s.Outcome
	}
	add("Task", s.Task)
	add("Waived", strings.Join(s.Waived(), "; "))
	add("Branch", s.Place.Branch)
	if out.Commit != "" {
		add("Commit", out.Commit)
	}
	touched := out.Touched
	if touched == nil {
		touched = s.Touched
	}
	if touched != nil {
		add("Changed", touched.Figures())
		add("Tests", touched.TestWords())
		add("Steering the checks", touched.SteeringWords())
	}
	for _, n := range out.Notes {
		if !strings.Contains(out.Reason, n) {
			add("Note", n)
		}
	}
	for _, q := range slices.Concat(out.Questions, openQuestions(s)) {
		add("Question", describeQuestion(q))
	}
	add("Used", view.Ledger(max(out.Turns, s.Turn), max(out.Judged, s.Judged), max(out.Worked, s.Elapsed), s.Usage))
	add("When", formatSpan(s.Started, last))
	return list
}

// openQuestions returns the questions that wait for a person.
func openQuestions(s view.Snapshot) []mulligan.Question {
	var list []mulligan.Question
	for _, q := range s.Questions {
		if q.By == "" {
			list = append(list, q.Question)
		}
	}
	return list
}

func describeQuestion(q mulligan.Question) string {
	switch {
	case q.By == "":
		return q.Text + " (waits for an answer)"
	case q.Assumed():
		return q.Text + " (nobody answered: " + view.TakenWords(q) + ")"
	}
	return q.Text + " (answered: " + q.Answer + ")"
}

// formatSpan returns when a session began and when its last event was.
func formatSpan(from, to time.Time) string {
	if from.IsZero() {
		return ""
	}
	words := from.UTC().Format("2 Jan 2006 15:04")
	if to.UTC().Format(time.DateOnly) == from.UTC().Format(time.DateOnly) {
		return words + to.UTC().Format(" to 15:04 UTC")
	}
	return words + to.UTC().Format(" to 2 Jan 15:04 UTC")
}

// listGates returns what the gates found that the work has passed.
func listGates(out mulligan.Outcome) []Gate {
	var list []Gate
	for _, step := range out.Steps {
		for _, e := range step.Gates {
			g := Gate{Step: view.Line(step.Step), Name: view.Line(e.Gate), Found: cmp.Or(view.Line(e.Summary), view.Line(e.Exit), "passed"), Took: view.Duration(e.Duration)}
			for _, caveat := range e.Caveats() {
				g.Caveats = append(g.Caveats, view.Line(caveat))
			}
			list = append(list, g)
		}
	}
	return list
}

// AgainTitle returns what the commands of Again are for.
func (r *Report) AgainTitle() string {
	if r.Good {
		return "Verify it again"
	}
	return "Check it yourself"
}
