package plain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

const labelWidth = 11

// Outcome writes what a session came to: the evidence, where the work is, how to look
// at it, and what to do next. A session that has not ended has no outcome to write.
func Outcome(w io.Writer, s view.Snapshot, opt Options) { opt.writeOutcome(w, s, true) }

// writeOutcome writes an outcome; without the evidence where that has just been written.
func (o Options) writeOutcome(w io.Writer, s view.Snapshot, withEvidence bool) {
	if s.Outcome == nil {
		return
	}
	out := *s.Outcome
	o.writeHeadline(w, s, out)
	if len(out.Steps) > 1 {
		width := min(columnWidth(out.Steps, func(step mulligan.StepOutcome) string { return step.Step }), maxStepName)
		for _, step := range out.Steps {
			o.writeStepOutcome(w, step, width)
		}
	}
	o.writeGates(w, out, withEvidence)
	if v := out.Evidence; v != nil {
		o.writeVerdict(w, s, *v, usual)
		if withEvidence {
			o.writeQuote(w, strings.Repeat(" ", labelWidth+2), excerptEvidence(*v))
		}
		if v.Finding != nil {
			o.writeFilled(w, "output", say("%s", v.Finding.Whole))
		}
	}
	o.writeTouched(w, out.Touched)
	o.writeNotes(w, out)
	o.writeHandover(w, s, out)
	o.writeFilled(w, "used", say("%s", view.Ledger(out.Turns, out.Judged, out.Worked, out.Usage)))
	o.writeSuggestions(w, view.SuggestNext(s, out))
}

// writeHeadline writes how the session ended, in figures, and why.
func (o Options) writeHeadline(w io.Writer, s view.Snapshot, out mulligan.Outcome) {
	attempts, figures := 0, view.Duration(max(s.Elapsed, out.Worked).Round(time.Millisecond)) // a snapshot without events has no time of its own
	for _, step := range out.Steps {
		attempts += step.Attempts
	}
	if s.Loop != nil {
		figures = loopFigures(s, out) + figures
	} else if n := len(out.Steps); n > 0 {
		figures = fmt.Sprintf("%s, %s, %s", text.Count(n, "step"), text.Count(attempts, "attempt"), figures)
	}
	word, _, t := view.EndingWords(out.Ended, s.Paused())
	by := ""
	gates := view.Distinct(out.Steps, namePassedGates)
	if len(gates) > 0 && out.Good() {
		by = "by " + strings.Join(gates, ", ")
	}
	o.writeLine(w, "", tone(t).say("%s", pad(word, labelWidth)), say("%s", figures), say("%s", by))
	why := usual
	if len(out.Notes) > 0 && strings.Contains(out.Reason, out.Notes[0]) {
		why = warn // it rests on a waiver
	}
	o.writeFilled(w, "why", why.say("%s", out.Reason))
}

// namePassedGates returns the gates that a step has passed; those that are flaky are marked.
func namePassedGates(step mulligan.StepOutcome) []string {
	names := slices.Clone(step.By)
	for _, e := range step.Gates {
		if i := slices.Index(names, e.Gate); i >= 0 && e.Flaky > 0 {
			names[i] += " (flaky)"
		}
	}
	return names
}

// writeGates writes what the gates found that the work has passed, and with whole also on which tree, and
// where each one's output is.
func (o Options) writeGates(w io.Writer, out mulligan.Outcome, whole bool) {
	if !out.Good() {
		return
	}
	for _, step := range out.Steps {
		for _, e := range step.Gates {
			said := view.Summary(mulligan.Verdict{Summary: e.Summary})
			if said == "" && !whole {
				continue // a Stop hook: the headline has it
			}
			t := good
			if len(e.Caveats()) > 0 {
				t = warn
			}
			o.writeField(w, "checked", say("%s", ansi.Truncate(view.Line(e.Gate), toldWidth, "…")), t.say("%s", ansi.Truncate(said, toldWidth, "…")), formatTook(e.Duration))
			if whole && e.Output != "" {
				o.writeField(w, "", dim.say("%s", e.Output))
			}
		}
		if whole && step.Tree.ID != "" && len(step.Gates) > 0 {
			o.writeField(w, "tree", say("%s", view.Commit(step.Tree.ID)), dim.say("what the checks of %s saw", step.Step))
		}
	}
}

// writeVerdict names what did not pass, with the reason.
func (o Options) writeVerdict(w io.Writer, s view.Snapshot, v mulligan.Verdict, t tone) {
	if hooks := s.StopHooks(v); hooks != "" {
		o.writeField(w, "hook", say("%s", hooks), say("Stop"), t.say("blocks: %s", ansi.Truncate(view.Summary(v), toldWidth, "…")))
		return
	}
	o.writeField(w, "check", say("%s", v.Gate), t.say("%s", view.Summary(v)))
}

// loopFigures returns how many iterations a loop had, and how many tasks are done.
func loopFigures(s view.Snapshot, out mulligan.Outcome) string {
	figures := text.Count(out.Iterations, "iteration") + ", "
	switch {
	case out.Tasks.All == 0:
	case s.Tasks.All == out.Tasks.All && s.Tasks.Open == out.Tasks.Open:
		figures += s.Tasks.String() + ", "
	default:
		figures += fmt.Sprintf("%d of %s done, ", out.Tasks.All-out.Tasks.Open, text.Count(out.Tasks.All, "task"))
	}
	return figures
}

// writeNotes writes what a person should know of how it ended: what the work rests on, and what never
// reached the agent.
func (o Options) writeNotes(w io.Writer, out mulligan.Outcome) {
	for _, n := range out.Notes {
		if !strings.Contains(out.Reason, n) { // a waiver is why
			o.writeField(w, "note", warn.say("%s", n))
		}
	}
	if n := out.KeepersLost; n > 0 {
		o.writeField(w, "note", warn.say("%s of what the session ran was killed or stopped from outside; `mulligan log` has the rest", text.Count(n, "keeper")))
	}
	for _, q := range out.Questions {
		o.writeSettled(w, q)
	}
	for _, what := range out.Undelivered {
		o.writeField(w, "not given", say("%s", what))
	}
}

// writeTouched writes what a session touched: figures, the tests, and the files that steer the checks.
func (o Options) writeTouched(w io.Writer, t *mulligan.Touched) {
	if t == nil {
		return
	}
	var top []string
	for _, f := range t.Top {
		top = append(top, fmt.Sprintf("%s (%s)", f.Path, f.Change))
	}
	if more := t.Files - len(top); more > 0 {
		top = append(top, fmt.Sprintf("and %d more", more))
	}
	o.writeField(w, "touched", say("%s", t.Figures()), dim.say("%s", strings.Join(top, ", ")))
	o.writeFilled(w, "tests", warn.say("%s", t.TestWords()))
	if words := t.SteeringWords(); words != "" {
		o.writeField(w, "steering", warn.say("files that steer the checks: %s", words))
	}
}

// writeSettled writes a question and its answer.
func (o Options) writeSettled(w io.Writer, q mulligan.Question) {
	switch {
	case q.By == "":
		o.writeField(w, "question", say("%s", q.Text), warn.say("waits for an answer"))
	case q.Assumed():
		o.writeField(w, "assumed", say("%s", q.Text), warn.say("nobody answered, %s", view.TakenWords(q)))
	default:
		o.writeField(w, "answered", say("%s", q.Text), say("%s", q.Answer))
	}
}

// writeStepOutcome writes what a step came to.
func (o Options) writeStepOutcome(w io.Writer, s mulligan.StepOutcome, width int) {
	mark, t := view.StepMark(view.StepStatus(s.Status))
	attempts := ""
	if s.Attempts > 0 {
		attempts = text.Count(s.Attempts, "attempt")
	}
	o.writeLine(w, "", tone(t).say("  %s", mark), say("%s", pad(s.Step, width)).afterOneSpace(), tone(t).say("%s", s.Status),
		say("%s", attempts), dim.say("%s", view.Commit(s.Commit)), dim.say("%s", view.Spent(s.Usage)))
}

// writeFilled writes a line of the block unless there is nothing behind its label.
func (o Options) writeFilled(w io.Writer, label string, p part) {
	if p.text != "" {
		o.writeField(w, label, p)
	}
}

// writeField writes a line of the block, behind its label.
func (o Options) writeField(w io.Writer, label string, parts ...part) {
	line := append([]part{dim.say("%s", pad("  "+label, labelWidth))}, parts...)
	if o.Width <= 2*labelWidth || slices.Contains(copiedFields, label) {
		o.writeLine(w, "", line...)
		return
	}
	var b strings.Builder
	o.writeLine(&b, "", line...)
	indent := labelWidth + 2
	head, text := ansi.Cut(b.String(), 0, indent), strings.TrimSuffix(ansi.TruncateLeft(b.String(), indent, ""), "\n")
	for i, l := range strings.Split(ansi.Wrap(text, o.Width-indent, ""), "\n") {
		if i > 0 {
			head = strings.Repeat(" ", indent)
		}
		_, _ = io.WriteString(w, head+l+"\n")
	}
}

// copiedFields are the labels of lines that people copy, such as commands and paths: they never break.
var copiedFields = []string{"", "branch", "commit", "discard", "folder", "look", "next", "output", "tree", "workspace"}
