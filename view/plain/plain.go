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
	w     io.Writer
	opt   Options
	model *view.Model
	snap  view.Snapshot // after the last event
	begun bool          // the attempt under way has been announced
}

// New writes to w.
func New(w io.Writer, opt Options) *Plain {
	return &Plain{w: w, opt: opt, model: view.NewModel()}
}

// Past takes an event that was shown already, by an earlier process: what follows is told
// with what it said, and nothing is written.
func (p *Plain) Past(e mulligan.Event) { p.model.Apply(e) }

// Event writes what the event is worth saying. The last event writes what Outcome does.
func (p *Plain) Event(e mulligan.Event) {
	before := p.snap
	p.model.Apply(e)
	if before.Over() && !p.model.Snapshot(e.Time).Over() {
		_, _ = io.WriteString(p.w, "\n")
	}
	p.snap = p.model.Snapshot(p.opt.local(e.Time))
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		p.opening("session")
	case mulligan.SessionResumed:
		p.resumed(b)
		p.waiting()
	case mulligan.SessionInterrupted:
		p.line(warn.say("interrupted"), say("by %s", b.By))
	case mulligan.SessionEnded:
		_, _ = io.WriteString(p.w, "\n")
		p.opt.outcome(p.w, p.snap, false)
	case mulligan.Noted:
		p.line(warn.say("note"), say("%s", b.Text))
	case mulligan.Waited:
		p.waiting()
	case mulligan.AttemptStarted:
		p.begun = false
	case mulligan.TurnStarted:
		p.turn(b)
		if !before.Waits() {
			p.waiting()
		}
	case mulligan.TurnEnded:
		p.turnEnded(b)
	case mulligan.GateStarted:
		if b.Try > 1 {
			p.step(say(`check "%s" once more`, b.Gate))
		}
	case mulligan.GateEnded:
		p.gate(b.Verdict)
	case mulligan.AttemptEnded:
		p.attemptEnded(b)
	case mulligan.Decided:
		p.decided(b)
	case mulligan.StepVerified:
		p.verified(b)
	case mulligan.StepFailed:
		if step := p.snap.Step(); step != nil {
			p.step(bad.say("failed"), say("after %s", text.Count(step.Attempt, "attempt")))
		}
	case mulligan.RoundEnded:
		if p.opt.Verbose { // its checks and hooks have said it
			p.remark(b)
		}
	default:
		p.remark(b)
	}
}

func (p *Plain) opening(word string) {
	s := p.snap
	if s.Loop == nil {
		p.line(bold.say("%s %s", word, s.Session), say("task %s", s.Task), say("pipeline %s", s.Pipeline))
	} else {
		p.line(bold.say("%s %s", word, s.Session), say("loop %s", s.Name()), say("spec %s", s.Task))
	}
	if s.Place.Branch != "" {
		p.line(dim.say("branch %s", s.Place.Branch))
	}
	if s.Place.Worktree {
		p.line(dim.say("worktree %s", s.Place.Dir))
	}
	for _, a := range s.Agents {
		p.line(dim.say("agent %s", a))
	}
}

func (p *Plain) resumed(b mulligan.SessionResumed) {
	if b.Again {
		p.opening("again")
		return
	}
	p.line(bold.say("resumed %s", p.snap.Session), dim.say("process %d", b.PID))
}

func (p *Plain) turn(b mulligan.TurnStarted) {
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
		p.purpose(b)
		return
	case b.Again:
		p.step(bold.say("%s", p.snap.Try()), say("agent %s", b.Agent), dim.say("the interrupted turn again"))
	case !p.begun:
		p.step(bold.say("%s", p.snap.Try()), say("agent %s", b.Agent), dim.say("%s", strategy))
	case p.opt.Verbose:
		p.step(say("turn %d", b.Turn), say("agent %s", b.Agent))
	}
	p.begun = true
}

// waiting says that the session waits, where it does. One that is resumed may wait for the rest of
// a rate limit that an earlier process met.
func (p *Plain) waiting() {
	if a := p.snap.Running; p.snap.Waits() {
		p.step(warn.say("waiting %s", view.Duration(a.Left)), say("%s", a.UntilWords()), say("%s", a.Name))
	}
}

func (p *Plain) turnEnded(b mulligan.TurnEnded) {
	if b.Result.Ending != mulligan.Finished {
		p.step(warn.say("agent %s", strings.ReplaceAll(string(b.Result.Ending), "_", " ")),
			took(b.Duration), say("%s", b.Result.Reason))
	} else if p.opt.Verbose {
		p.step(say("agent finished"), took(b.Duration), dim.say("%s", view.Spent(b.Result.Usage)))
	}
	if len(b.Result.Denied) > 0 {
		p.step(warn.say("denied"), say("%s", strings.Join(b.Result.Denied, ", ")))
	}
	if p.opt.Verbose && b.Result.Message != "" {
		p.quote(strings.Split(view.Text(b.Result.Message), "\n"))
	}
}

func (p *Plain) gate(v mulligan.Verdict) {
	word := bad.say("failed")
	switch v.Status {
	case mulligan.Pass:
		word = good.say("passed")
	case mulligan.Broken:
		word = warn.say("could not tell")
	}
	p.step(say(`check "%s"`, v.Gate), word.close(), took(v.Duration), say("%s", ansi.Truncate(view.Summary(v), toldWidth, "…")))
	if v.Status != mulligan.Pass {
		p.quote(evidence(v))
	}
}

// took is nothing where no time was told.
func took(d time.Duration) part {
	if d == 0 {
		return part{}
	}
	return dim.say("%s", view.Duration(d))
}

func (p *Plain) attemptEnded(b mulligan.AttemptEnded) {
	switch {
	case !b.Counted && p.snap.Loop != nil:
		p.step(bad.say("iteration failed"), say("%s", b.Reason))
	case !b.Counted:
		p.step(warn.say("not counted"), say("attempt %d: the agent failed: %s", b.Attempt, b.Reason))
	case b.Status != mulligan.Pass && p.snap.Evidence == nil:
		p.step(bad.say("attempt failed"), say("%s", b.Reason))
	}
}

func (p *Plain) decided(b mulligan.Decided) {
	switch {
	case b.Retry && p.snap.Evidence != nil:
		p.step(say("feeding the evidence back"), p.why(b))
	case b.Retry:
		p.step(say("trying again"), p.why(b))
	case b.Reason != "" && b.By != "limit": // of a limit the step's end tells
		p.step(say("stopping"), say("%s", b.Reason))
	}
}

func (p *Plain) why(b mulligan.Decided) part {
	if !p.opt.Verbose {
		return part{}
	}
	return dim.say("%s", b.Reason)
}

func (p *Plain) verified(b mulligan.StepVerified) {
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
		p.step(warn.say("accepted"), say("%s", step.Accepted()), kept)
		return
	}
	p.step(good.say("%s", step.Status), kept)
}

// line writes a line about the session, step one about the step under way.
func (p *Plain) line(parts ...part) {
	clock := fmt.Sprintf("%*s", clockWidth, view.Clock(p.snap.Elapsed))
	p.opt.line(p.w, "", append([]part{dim.say("%s", clock)}, parts...)...)
}

func (p *Plain) step(parts ...part) {
	name := ""
	if step := p.snap.Step(); step != nil {
		name = step.Name
	}
	p.line(append([]part{say("%s", pad(name, nameWidth(p.snap.Steps)))}, parts...)...)
}

// nameWidth returns how wide the column with the names of steps is.
func nameWidth(steps []view.Step) int {
	width := 0
	for _, s := range steps {
		width = max(width, ansi.StringWidth(s.Name))
	}
	return min(width, maxStepName)
}

func (p *Plain) quote(lines []string) {
	p.opt.quote(p.w, strings.Repeat(" ", clockWidth+2+nameWidth(p.snap.Steps)+2), lines)
}

func (o Options) quote(w io.Writer, indent string, lines []string) {
	for _, l := range lines {
		o.line(w, indent, dim.say("│ %s", ansi.Truncate(l, quotedWidth, "…")))
	}
}

// evidence is the part of a finding that is shown, and says where the rest is.
func evidence(v mulligan.Verdict) []string {
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
