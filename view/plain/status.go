package plain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mulligan"
	"mulligan/view"
)

// Status writes where a session stands.
func Status(w io.Writer, s view.Snapshot, opt Options) {
	opt.field(w, "session", bold.say("%s", s.Session), standing(s))
	if s.Loop == nil {
		opt.field(w, "task", say("%s", s.Task), say("pipeline %s", s.Pipeline))
	} else {
		opt.field(w, "loop", say("%s", s.Name()), say("%s", s.Try()))
		opt.field(w, "spec", say("%s", s.Task))
	}
	if s.Place.Branch != "" {
		opt.field(w, "branch", say("%s", s.Place.Branch))
	}
	opt.field(w, "folder", say("%s", s.Place.Dir))
	for _, a := range s.Agents {
		opt.field(w, "agent", say("%s", a))
	}
	opt.steps(w, s)
	opt.board(w, s)
	opt.hooks(w, s)
	for _, what := range s.Waived() {
		if !s.Over() || !told(*s.Outcome, what) {
			opt.field(w, "waived", warn.say("%s", what))
		}
	}
	for _, n := range s.Notes {
		if s.Over() && slices.Contains(s.Outcome.Notes, n) {
			continue // the outcome says it
		}
		opt.field(w, "note", say("%s", n))
	}
	if s.Over() {
		fmt.Fprintln(w)
		Outcome(w, s, opt)
		return
	}
	opt.underWay(w, s)
}

func standing(s view.Snapshot) part {
	switch {
	case s.Over():
		word, t := ending(s.Outcome.Ended, s.Phase)
		return t.say("%s", word)
	case s.Gone:
		return warn.say("stopped without an end: process %d is gone", s.PID)
	case s.Started.IsZero():
		return dim.say("has not begun")
	case s.Ending != nil:
		return warn.say("ending, process %d", s.PID)
	case s.Pausing != "":
		return warn.say("pausing when the running turn's checks are through, process %d", s.PID)
	}
	return good.say("running for %s, process %d", view.Duration(s.Elapsed), s.PID)
}

func (o Options) steps(w io.Writer, s view.Snapshot) {
	for _, step := range s.Steps {
		if (s.Gone || s.Over()) && step.Status == view.Running {
			step.Status = "stopped"
		}
		o.statusStep(w, step, s.Loop != nil, nameWidth(s.Steps))
	}
}

func (o Options) statusStep(w io.Writer, step view.Step, loop bool, width int) {
	mark, t := stepMark(step.Status)
	parts := []part{t.say("  %s", mark), say("%s", pad(step.Name, width)).close()}
	if step.Attempt == 0 {
		o.line(w, "", append(parts, dim.say("open"))...)
		return
	}
	tries := step.AttemptOf()
	if loop {
		tries = "" // the loop's own line says it
	}
	parts = append(parts, t.say("%s", step.Status), say("%s", tries), dim.say("%s", view.Duration(step.Elapsed)))
	if step.Commit != "" {
		parts = append(parts, dim.say("%s", view.Commit(step.Commit)))
	}
	o.line(w, "", append(parts, say("%s", checks(step.Checks)), dim.say("%s", step.Budget()))...)
}

// checks is how the last attempt's checks stand: "go vet ✓, go test ✗".
func checks(list []view.Check) string {
	var said []string
	for _, c := range list {
		switch {
		case c.Running:
			said = append(said, c.Name+" …")
		case c.Status == mulligan.Pass:
			said = append(said, c.Name+" ✓")
		case c.Status != "":
			said = append(said, c.Name+" ✗")
		}
	}
	return strings.Join(said, ", ")
}

func (o Options) underWay(w io.Writer, s view.Snapshot) {
	switch {
	case s.Running == nil, s.Gone:
	case s.Waits():
		o.field(w, "now", warn.say("%s", s.Running.WaitWords()), say("%s", s.Running.Name))
	default:
		o.field(w, "now", say("%s", s.Running), say("%s", s.Running.Why()), dim.say("for %s", view.Duration(s.Running.Elapsed)))
	}
	o.people(w, s)
	if v := s.Evidence; v != nil {
		o.gate(w, s, *v, bad)
		o.quote(w, strings.Repeat(" ", labelWidth+2), evidence(*v))
	}
	if spent := view.Ledger(s.Turn, s.Judged, 0, s.Usage); spent != "" {
		o.field(w, "used", say("%s", spent))
	}
	if s.Gone {
		o.field(w, "next", bold.say("mulligan resume %s", quoted(s.Session)), dim.say("goes on where it was"))
	}
}
