package command

import (
	"strings"

	"mulligan"
	"mulligan/feedback"
	"mulligan/internal/capture"
	"mulligan/internal/process"
)

const (
	unexpectedPass = "expected to fail, but passed"
	shownOfPass    = 2_000 // characters: what passed needs no reading
)

// newVerdict returns the verdict of a command that ran.
func (g *Gate) newVerdict(status mulligan.Status, why string, exit process.Exit, e capture.Evidence) mulligan.Verdict {
	f := e.Finding(g.opt.Command, exit.String(), e.Whole)
	f.CutShort = exit.Signal != "" || exit.TimedOut || exit.IdledOut || exit.Cancelled
	if exit.OK() && f.Counts.Failed == 0 {
		f.Failing = nil // lines that only look like errors, of a command that had none
	}
	summary := feedback.Summary(f)
	switch {
	case status == mulligan.Pass:
		f.Text, f.Cut = lastLines(f.Text, f.Cut)
		if g.opt.Expect == expectFail {
			summary = "failed as expected: " + summary
		}
	case status == mulligan.Broken:
		summary = exit.String() + ": " + why
	case g.opt.Expect == expectFail:
		f.Text = strings.TrimSuffix(unexpectedPass+"\n"+f.Text, "\n")
		summary = unexpectedPass
	}
	if e.Note != "" {
		f.Text, f.Cut = capture.Noted(f.Text, e.Note, capture.Limit(g.deps.Limit)), true
	}
	return mulligan.Verdict{Status: status, Summary: summary, Finding: f}
}

// lastLines returns the last lines of what a passing check printed, and whether the text is cut.
func lastLines(text string, cut bool) (string, bool) {
	runes := []rune(text)
	if len(runes) <= shownOfPass {
		return text, cut
	}
	text = string(runes[len(runes)-shownOfPass:])
	return text[strings.IndexByte(text, '\n')+1:], true
}
