package plain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mulligan"
	"mulligan/view"
)

// Status writes how far a session is.
func Status(w io.Writer, s view.Snapshot, opt Options) {
	opt.writeField(w, "session", bold.say("%s", s.Session), describeState(s))
	if s.Loop == nil {
		opt.writeField(w, "task", say("%s", s.Task), say("%s", s.InFolder), say("pipeline %s", s.Pipeline))
	} else {
		opt.writeField(w, "loop", say("%s", s.Name()), say("%s", s.Try()))
		opt.writeField(w, "spec", say("%s", s.Task))
	}
	opt.writeFilled(w, "branch", say("%s", s.Place.Branch))
	opt.writeField(w, "folder", say("%s", s.Place.Dir))
	for _, a := range s.Agents {
		opt.writeField(w, "agent", say("%s", a))
	}
	opt.writeSteps(w, s)
	opt.writeTasks(w, s)
	opt.writeGuard(w, s)
	opt.writeHooks(w, s)
	for _, what := range s.Waived() {
		if s.Over() && (strings.Contains(s.Outcome.Reason, what) || slices.Contains(s.Outcome.Notes, what)) {
			continue // the outcome has it
		}
		opt.writeField(w, "waived", warn.say("%s", what))
	}
	for _, n := range s.Notes {
		if s.Over() && slices.Contains(s.Outcome.Notes, n) {
			continue // the outcome has it
		}
		opt.writeField(w, "note", say("%s", n))
	}
	for _, a := range s.Aside {
		opt.writeField(w, "aside", warn.say("%s", a.What))
		opt.writeField(w, "", bold.say("%s", a.Command))
	}
	if s.Over() {
		fmt.Fprintln(w)
		Outcome(w, s, opt)
		return
	}
	opt.writeTouched(w, s.Touched)
	opt.writeUnderWay(w, s)
}

// describeState returns the session's state in a word or a few.
func describeState(s view.Snapshot) part {
	switch {
	case s.Over():
		word, _, t := view.EndingWords(s.Outcome.Ended, s.Paused())
		return tone(t).say("%s", word)
	case s.Gone:
		return warn.say("stopped without an end: process %d is gone", s.PID)
	case s.Started.IsZero():
		return dim.say("has not begun")
	case s.Ending != nil:
		return warn.say("ending, process %d", s.PID)
	case s.Stopping:
		return warn.say("stopping, process %d", s.PID)
	case s.Pausing != "":
		return warn.say("pausing when the running turn's checks are through, process %d", s.PID)
	}
	if len(s.Questions) > 0 {
		return warn.say("waiting for your answer, process %d", s.PID)
	}
	return good.say("running for %s, process %d", view.Duration(s.Elapsed), s.PID)
}

// writeSteps writes a line for each step.
func (o Options) writeSteps(w io.Writer, s view.Snapshot) {
	for _, step := range s.Steps {
		if (s.Gone || s.Over()) && step.Status == view.Running {
			step.Status = "stopped"
		}
		o.writeStep(w, step, s.Loop != nil, nameWidth(s.Steps))
	}
}

// writeStep writes how far a step is.
func (o Options) writeStep(w io.Writer, step view.Step, loop bool, width int) {
	mark, t := view.StepMark(step.Status)
	parts := []part{tone(t).say("  %s", mark), say("%s", pad(step.Name, width)).afterOneSpace()}
	if step.Attempt == 0 {
		o.writeLine(w, "", append(parts, dim.say("open"))...)
		return
	}
	tries := step.AttemptOf()
	if loop {
		tries = "" // the loop's own line has it
	}
	o.writeLine(w, "", append(parts, tone(t).say("%s", step.Status), say("%s", tries), dim.say("%s", view.Duration(step.Elapsed)),
		dim.say("%s", view.Commit(step.Commit)), say("%s", summarizeChecks(step.Checks)), dim.say("%s", step.Budget()))...)
}

// summarizeChecks returns how the last attempt's checks went: "go vet ✓, go test ✗".
func summarizeChecks(list []view.Check) string {
	var said []string
	for _, c := range list {
		switch {
		case c.Running:
			said = append(said, c.Name+" …")
		case c.Flaky:
			said = append(said, c.Name+" ✓ flaky")
		case c.Status == mulligan.Pass:
			said = append(said, c.Name+" ✓")
		case c.Status != "":
			said = append(said, c.Name+" ✗")
		}
	}
	return strings.Join(said, ", ")
}

// writeUnderWay writes what runs now, what waits for a person, and the evidence.
func (o Options) writeUnderWay(w io.Writer, s view.Snapshot) {
	switch {
	case s.Running == nil, s.Gone:
	case s.Waits():
		o.writeField(w, "now", warn.say("%s", s.Running.WaitWords()), say("%s", s.Running.Name))
	default:
		o.writeField(w, "now", say("%s", s.Running), say("%s", s.Running.Why()), dim.say("for %s", view.Duration(s.Running.Elapsed)))
	}
	o.writeQuestions(w, s)
	if v := s.Evidence; v != nil {
		o.writeVerdict(w, s, *v, bad)
		o.writeQuote(w, strings.Repeat(" ", labelWidth+2), excerptEvidence(*v))
	}
	o.writeFilled(w, "used", say("%s", view.Ledger(s.Turn, s.Judged, 0, s.Usage)))
	if s.Gone {
		o.writeField(w, "next", bold.say("mulligan resume %s", view.QuoteForShell(s.Session)), dim.say("goes on where it was"))
	}
}
