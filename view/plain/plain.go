// Package plain shows a session as lines of text: for logs, pipes and people who like
// lines.
package plain

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

const (
	clockWidth    = 7
	evidenceLines = 12
	maxStepName   = 20
	quotedWidth   = 160
	toldWidth     = 90 // of a verdict, whose evidence follows
)

// Plain writes a session's events as lines, each with the time since the session began.
type Plain struct {
	w         io.Writer
	opt       Options
	model     *view.Model
	snap      view.Snapshot // after the last event
	announced bool          // the attempt under way has been announced
	work      liveWork
	agent     string // of the last turn
}

// New returns a Plain that writes to w.
func New(w io.Writer, opt Options) *Plain {
	return &Plain{w: w, opt: opt, model: view.NewModel()}
}

// Past takes an event that an earlier process has shown already: it writes nothing, and later events are
// written with what it brought.
func (p *Plain) Past(e mulligan.Event) { p.model.Apply(e) }

// Event writes an event, if it is worth a line. For a session's last event it writes what Outcome does.
func (p *Plain) Event(e mulligan.Event) {
	before := p.snap
	p.model.Apply(e)
	if before.Over() && !p.model.Snapshot(e.Time).Over() {
		_, _ = io.WriteString(p.w, "\n")
	}
	p.snap = p.model.Snapshot(p.opt.inZone(e.Time))
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		p.writeOpening("session")
	case mulligan.SessionResumed:
		p.writeResumption(b)
		p.writeWait()
	case mulligan.SessionInterrupted:
		p.writeLine(warn.say("interrupted"), say("by %s", b.By))
	case mulligan.SessionEnded:
		_, _ = io.WriteString(p.w, "\n")
		p.opt.writeOutcome(p.w, p.snap, false)
	case mulligan.Noted:
		p.writeLine(warn.say("note"), say("%s", b.Text))
	case mulligan.Waited:
		p.writeWait()
	case mulligan.AttemptStarted:
		p.announced = false
	case mulligan.TurnStarted:
		p.work, p.agent = liveWork{turn: b.Turn}, b.Agent
		p.writeTurn(b)
		if !before.Waits() {
			p.writeWait()
		}
	case mulligan.TurnEnded:
		p.endWork()
		p.writeTurnEnd(b)
	case mulligan.GateStarted:
		if b.Try > 1 {
			p.writeStep(say(`check "%s" once more`, b.Gate))
		}
	case mulligan.GateEnded:
		p.writeVerdict(b)
	case mulligan.BaselineStarted:
		p.writeStep(say("baseline"), dim.say("the checks run once before the first attempt"))
	case mulligan.BaselineChecked:
		p.writeBaseline(b.Verdict)
	case mulligan.AttemptEnded:
		p.writeAttemptEnd(b)
	case mulligan.Decided:
		p.writeDecision(b)
	case mulligan.StepVerified:
		p.writeVerified(b)
	case mulligan.StepFailed:
		if step := p.snap.Step(); step != nil {
			p.writeStep(bad.say("failed"), say("after %s", text.Count(step.Attempt, "attempt")))
		}
	case mulligan.RoundEnded:
		if p.opt.Verbose { // its checks and hooks have said it
			p.writeRemarks(b)
		}
	default:
		p.writeRemarks(b)
	}
}

// writeOpening writes what the session is about, when it starts or is run again.
func (p *Plain) writeOpening(word string) {
	s := p.snap
	if s.Loop == nil {
		p.writeLine(bold.say("%s %s", word, s.Session), say("task %s", s.Task), say("%s", s.InFolder), say("pipeline %s", s.Pipeline))
	} else {
		p.writeLine(bold.say("%s %s", word, s.Session), say("loop %s", s.Name()), say("spec %s", s.Task))
	}
	if s.Place.Branch != "" {
		p.writeLine(dim.say("branch %s", s.Place.Branch))
	}
	if s.Place.Dir != "" {
		p.writeLine(dim.say("workspace %s", s.Place.Dir))
	}
	for _, a := range s.Agents {
		p.writeLine(dim.say("agent %s", a))
	}
}

// writeResumption writes that another process has resumed the session, or runs its task again.
func (p *Plain) writeResumption(b mulligan.SessionResumed) {
	if b.Again {
		p.writeOpening("again")
		return
	}
	p.writeLine(bold.say("resumed %s", p.snap.Session), dim.say("process %d", b.PID))
}

// writeTurn announces a turn. The first of an attempt is announced with the attempt.
func (p *Plain) writeTurn(b mulligan.TurnStarted) {
	step := p.snap.Step()
	if step == nil {
		return
	}
	strategy := ""
	if step.Strategy != "" && step.Strategy != "retry" {
		strategy = "strategy " + step.Strategy
	}
	switch {
	case b.Purpose != mulligan.ForAttempt:
		p.writeSpecialTurn(b)
		return
	case b.Again:
		p.writeStep(bold.say("%s", p.snap.Try()), say("agent %s", b.Agent), dim.say("the interrupted turn again"))
	case !p.announced:
		p.writeStep(bold.say("%s", p.snap.Try()), say("agent %s", b.Agent), dim.say("%s", strategy))
	case p.opt.Verbose:
		p.writeStep(say("turn %d", b.Turn), say("agent %s", b.Agent))
	}
	p.announced = true
}

// writeWait writes how long the session waits, if it does. A session that is resumed may wait for the
// rest of a rate limit that an earlier process met.
func (p *Plain) writeWait() {
	if a := p.snap.Running; p.snap.Waits() {
		p.writeStep(warn.say("waiting %s", view.Duration(a.Left)), say("%s", a.UntilWords()), say("%s", a.Name))
	}
}

// writeTurnEnd writes how a turn ended, if it did not end well or everything is wanted.
func (p *Plain) writeTurnEnd(b mulligan.TurnEnded) {
	if b.Result.Ending != mulligan.Finished {
		p.writeStep(warn.say("agent %s", strings.ReplaceAll(string(b.Result.Ending), "_", " ")),
			formatTook(b.Duration), say("%s", b.Result.Reason))
	} else if p.opt.Verbose {
		p.writeStep(say("agent finished"), formatTook(b.Duration), dim.say("%s", view.Spent(b.Result.Usage)))
	}
	p.opt.writeDenials(b.Result, p.agent, p.writeStep)
	if p.opt.Verbose && b.Result.Message != "" {
		p.writeQuote(strings.Split(view.Text(b.Result.Message), "\n"))
	}
}

// writeVerdict writes a check's verdict, with an excerpt of the evidence if it did not pass.
func (p *Plain) writeVerdict(b mulligan.GateEnded) {
	v, where := b.Verdict, ""
	if b.Fresh {
		where = "in a fresh proof"
	}
	word := bad.say("failed")
	switch v.Status {
	case mulligan.Pass:
		word = good.say("passed")
	case mulligan.Broken:
		word = warn.say("could not tell")
	default:
	}
	p.writeStep(say(`check "%s"`, v.Gate), word.afterOneSpace(), say("%s", where).afterOneSpace(), formatTook(v.Duration), say("%s", ansi.Truncate(view.Summary(v), toldWidth, "…")))
	if v.Status != mulligan.Pass {
		p.writeQuote(excerptEvidence(v))
	}
}

// writeBaseline writes what a check found before the first attempt.
func (p *Plain) writeBaseline(v mulligan.Verdict) {
	word := good.say("passed")
	if v.Status != mulligan.Pass {
		word = warn.say("failed")
	}
	p.writeStep(say("baseline"), say(`check "%s"`, v.Gate), word.afterOneSpace(), formatTook(v.Duration), say("%s", ansi.Truncate(view.Summary(v), toldWidth, "…")))
}

// formatTook returns a duration, or an empty part if there is none.
func formatTook(d time.Duration) part {
	if d == 0 {
		return part{}
	}
	return dim.say("%s", view.Duration(d))
}

// writeAttemptEnd writes how an attempt ended, unless its evidence has told it.
func (p *Plain) writeAttemptEnd(b mulligan.AttemptEnded) {
	switch {
	case !b.Counted && p.snap.Loop != nil:
		p.writeStep(bad.say("iteration failed"), say("%s", b.Reason))
	case !b.Counted:
		p.writeStep(warn.say("not counted"), say("attempt %d: the agent failed: %s", b.Attempt, b.Reason))
	case b.Status != mulligan.Pass && p.snap.Evidence == nil:
		p.writeStep(bad.say("attempt failed"), say("%s", b.Reason))
	}
}

// writeDecision writes whether another attempt follows.
func (p *Plain) writeDecision(b mulligan.Decided) {
	switch {
	case b.Retry && b.Strategy != mulligan.StrategyRetry && b.Strategy != "":
		p.writeStep(warn.say("trying again with %s", b.Strategy), say("%s", b.Reason), say("%s", view.Chooser(b.By)), say("%s", view.RuledWords(b.Ruled)))
	case b.Retry:
		what, why := "trying again", ""
		if p.snap.Evidence != nil {
			what = "feeding the evidence back"
		}
		if p.opt.Verbose { // why the policy decided so
			why = b.Reason
		}
		p.writeStep(say("%s", what), dim.say("%s", why))
	case b.Reason != "" && b.By != mulligan.ByLimit: // the step's end names a limit
		p.writeStep(say("stopping"), say("%s", b.Reason))
	}
}

// writeVerified writes that a step is done, and what was committed.
func (p *Plain) writeVerified(b mulligan.StepVerified) {
	step := p.snap.Step()
	if step == nil {
		return
	}
	kept := say("nothing to commit")
	switch {
	case b.Commit != "":
		kept = say("commit %s", view.Commit(step.Commit))
	case !p.snap.Commits:
		kept = part{}
	}
	if step.Status == view.Accepted {
		p.writeStep(warn.say("accepted"), say("%s", step.AcceptedWords()), kept)
		return
	}
	p.writeStep(good.say("%s", step.Status), kept)
}

// writeLine writes a line about the session.
func (p *Plain) writeLine(parts ...part) {
	clock := fmt.Sprintf("%*s", clockWidth, view.Clock(p.snap.Elapsed))
	p.opt.writeLine(p.w, "", append([]part{dim.say("%s", clock)}, parts...)...)
}

// writeStep writes a line about the step under way.
func (p *Plain) writeStep(parts ...part) {
	name := ""
	if step := p.snap.Step(); step != nil {
		name = step.Name
	}
	p.writeLine(append([]part{say("%s", pad(name, nameWidth(p.snap.Steps)))}, parts...)...)
}

// nameWidth returns how wide the column with the names of steps is.
func nameWidth(steps []view.Step) int {
	return min(columnWidth(steps, func(s view.Step) string { return s.Name }), maxStepName)
}

// columnWidth returns how wide the widest text of a list's items is.
func columnWidth[T any](list []T, text func(T) string) int {
	width := 0
	for _, item := range list {
		width = max(width, ansi.StringWidth(text(item)))
	}
	return width
}

// writeQuote writes lines from outside under the last one.
func (p *Plain) writeQuote(lines []string) {
	p.opt.writeQuote(p.w, strings.Repeat(" ", clockWidth+2+nameWidth(p.snap.Steps)+2), lines)
}

// writeQuote writes lines from outside, each behind a bar.
func (o Options) writeQuote(w io.Writer, indent string, lines []string) {
	for _, l := range lines {
		o.writeLine(w, indent, dim.say("│ %s", ansi.Truncate(l, quotedWidth, "…")))
	}
}

// excerptEvidence returns the first lines of a finding, and where the rest is.
func excerptEvidence(v mulligan.Verdict) []string {
	lines, more := view.Excerpt(v, evidenceLines)
	if v.Finding == nil || (more == 0 && !v.Finding.Cut) {
		return lines
	}
	rest := "… the output is longer"
	if more > 0 {
		rest = "… " + text.Count(more, "more line")
	}
	if v.Finding.Whole != "" {
		rest += "; all of it: " + view.Line(v.Finding.Whole)
	}
	return append(lines, rest)
}
