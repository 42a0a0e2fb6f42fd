package plain

import (
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

const hookLines = 6 // of what a failed hook printed

// writeRemarks writes an event that happens beside the turns and the gates.
func (p *Plain) writeRemarks(body mulligan.Body) {
	if p.opt.Verbose {
		p.writeHookStart(body)
	}
	for _, r := range view.Remarks(body, p.snap) {
		parts := []part{tone(r.Tone).say("%s", r.What)}
		for _, text := range r.Text {
			parts = append(parts, say("%s", text))
		}
		p.writeStep(parts...)
		p.writeQuote(r.Under)
	}
	switch b := body.(type) {
	case mulligan.HookEnded:
		p.writeHookOutput(b.Result)
	case mulligan.AgentHookEnded:
		if b.Reply.Decision == mulligan.Block {
			p.writeQuote(excerptEvidence(*view.BlockOf(b.Reply)))
		}
	case mulligan.Asked:
		p.writeQuote(append([]string{view.AnswerCommand(b.Question)}, explainOptions(p.snap, b.Question)...))
	}
}

// writeHookStart writes that hooks begin.
func (p *Plain) writeHookStart(body mulligan.Body) {
	switch b := body.(type) {
	case mulligan.HookStarted:
		p.writeStep(say(`hook "%s"`, b.Name), say("%s", b.Moment))
	case mulligan.AgentHookStarted:
		if b.Try == 1 {
			p.writeStep(say("%s hooks", b.Event), say("%s", strings.Join(b.Hooks, ", ")))
		}
	}
}

// explainOptions returns the options of a session's own question, each with what it does.
func explainOptions(s view.Snapshot, q mulligan.Question) []string {
	var lines []string
	for _, o := range q.Options {
		if what := s.Meaning(q, o); what != "" {
			lines = append(lines, view.Line(o)+": "+what)
		}
	}
	return lines
}

// writeHookOutput quotes what a hook printed before it failed, as far as that was kept, and the path of
// the whole.
func (p *Plain) writeHookOutput(r mulligan.HookResult) {
	if r.OK {
		return
	}
	printed := strings.Trim(view.Text(r.Text), "\n")
	var lines []string
	if printed != "" {
		lines = strings.Split(printed, "\n")
	}
	rest := ""
	if more := len(lines) - hookLines; more > 0 {
		lines, rest = lines[:hookLines:hookLines], "… "+text.Count(more, "more line")+"; "
	}
	if r.Whole != "" && r.Bytes > 0 && (rest != "" || r.Cut || printed == "") {
		lines = append(lines, rest+"all of it: "+view.Line(r.Whole))
	}
	p.writeQuote(lines)
}

// writeSpecialTurn announces a turn that belongs to no attempt.
func (p *Plain) writeSpecialTurn(b mulligan.TurnStarted) {
	parts := []part{bold.say("%s", view.PurposeWords(b.Purpose)), say("agent %s", b.Agent)}
	if back := view.SentBackBy(b); back != nil {
		parts = []part{warn.say("[Hook retry %d/%d: %s]", back.Retry, back.Of, back.Reason), say("%s", view.PurposeWords(back.Base))}
	}
	if b.Again {
		parts = append(parts, dim.say("the interrupted turn again"))
	}
	if b.Purpose == mulligan.ForDelivery {
		once := "an interrupt"
		if p.snap.Interrupted != "" {
			once = "another interrupt"
		}
		parts = append(parts, say("%s", text.Count(len(b.Drains), "text")))
		if b.Within > 0 {
			parts = append(parts, say("at most %s", view.Duration(b.Within)))
		}
		parts = append(parts, warn.say("%s stops it", once))
	}
	p.writeStep(parts...)
}

// patienceWords returns how long a question waits, and what is taken then.
func patienceWords(q view.Question) string {
	if q.Forever || q.Left == 0 {
		return ""
	}
	return view.Join(", else: ", "within "+view.Duration(q.Left), view.DefaultWords(q.Question))
}
