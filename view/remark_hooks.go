package view

import (
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

const saidLines = 6 // of what a hook has to say to the person

// remarkAgentHooks returns a remark for each hook that did more than allow, and one for the rest; none
// for those inside an agent that allow, since they may run at every tool that it uses.
func remarkAgentHooks(b mulligan.AgentHookEnded) []Remark {
	var list []Remark
	var quiet []string
	var took time.Duration
	left := slices.Clone(b.Reply.Messages)
	for _, run := range b.Reply.Runs {
		said := takeMessages(&left, run)
		if len(said) == 0 && run.Decision == mulligan.Allow && isUsualExit(run.Exit) {
			quiet = append(quiet, run.Name)
			took = max(took, run.Duration)
			continue
		}
		list = append(list, remarkRun(b.Event, run, said))
	}
	if len(quiet) > 0 && !b.Inside {
		what := nameHooks(b.Event, quiet) + " " + decisionWord(b.Event, mulligan.Allow)
		if len(quiet) > 1 {
			what = strings.TrimSuffix(what, "s")
		}
		list = slices.Insert(list, 0, newRemark(Quiet, what, Duration(took))...)
	}
	for _, message := range left {
		list = append(list, newRemark(Warn, Line(b.Event)+" hooks say", message)...)
	}
	return list
}

// remarkRun returns a remark about one hook's run, with its messages to the person.
func remarkRun(event string, run mulligan.AgentHookRun, said []string) Remark {
	r := Remark{
		Tone: Bad, What: nameHooks(event, []string{run.Name}) + " " + decisionWord(event, run.Decision),
		Text: []string{"", Line(trimHookName(run.Reason, run))}, Under: said,
	}
	if run.Duration > 0 { // it began
		r.Text[0] = Duration(run.Duration)
	}
	if run.Decision == mulligan.Allow {
		r.Tone, r.Text[1] = Usual, ""
	}
	if r.Text[1] == "" && !isUsualExit(run.Exit) {
		r.Text[1] = Line(run.Exit)
	}
	return r
}

// nameHooks returns hooks of a moment by name: `Stop hooks "a", "b"`.
func nameHooks(event string, names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, `"`+Line(n)+`"`)
	}
	noun := " hook "
	if len(names) > 1 {
		noun = " hooks "
	}
	return Line(event) + noun + strings.Join(quoted, ", ")
}

// decisionWord returns what a hook's decision comes to at a moment; at the start and the end of a
// session there is nothing to allow.
func decisionWord(event, decision string) string {
	gate := event != mulligan.EventSessionStart && event != mulligan.EventSessionEnd
	switch {
	case decision == mulligan.Halt && event != mulligan.EventSessionEnd:
		return "ends the session"
	case decision == mulligan.HookBroken && gate:
		return "could not tell"
	case decision == mulligan.Block && gate:
		return "blocks"
	case decision == mulligan.Block, decision == mulligan.HookBroken:
		return "failed"
	case gate:
		return "allows"
	}
	return "ok"
}

// isUsualExit reports whether an exit needs no mention.
func isUsualExit(exit string) bool {
	return exit == "" || exit == "exit status 0" || exit == "answered" || strings.HasPrefix(exit, "HTTP 2")
}

// takeMessages takes one hook's messages to the person out of left, and returns them in lines and
// without its name. Its reason is not among them, since the remark has it anyhow.
func takeMessages(left *[]string, run mulligan.AgentHookRun) []string {
	var lines []string
	*left = slices.DeleteFunc(*left, func(text string) bool {
		if run.Decision != mulligan.Allow && text == run.Reason {
			return true
		}
		if !strings.HasPrefix(text, run.Name+": ") {
			return false
		}
		if text = strings.TrimSpace(Text(trimHookName(text, run))); text != "" {
			lines = append(lines, strings.Split(text, "\n")...)
		}
		return true
	})
	if more := len(lines) - saidLines; more > 0 {
		lines = append(lines[:saidLines:saidLines], "… "+text.Count(more, "more line"))
		if run.Whole != "" {
			lines[saidLines] += "; all of it: " + Line(run.Whole)
		}
	}
	return lines
}

// trimHookName returns a text without the hook's name that it begins with; that of a hook that allows
// also without its exit, which the remark has.
func trimHookName(text string, run mulligan.AgentHookRun) string {
	text = strings.TrimPrefix(text, run.Name+": ")
	if run.Decision != mulligan.Allow || isUsualExit(run.Exit) {
		return text
	}
	if text == run.Exit {
		return ""
	}
	return strings.TrimPrefix(text, run.Exit+": ")
}

// remarkStop returns what is done about Stop hooks that block at their limit.
func remarkStop(b mulligan.StopDecided, s Snapshot) []Remark {
	failed := "the attempt has failed"
	if s.Ending != nil {
		failed = "the final delivery has failed"
	}
	switch {
	case b.Choice == mulligan.LimitContinue:
		return newRemark(Usual, "hook limit raised", text.Count(max(1, s.HookRetries), "more turn"), "by a person")
	case b.Choice == mulligan.LimitAbort:
		return newRemark(Bad, "aborted at the hook limit", "by a person")
	case b.Choice == mulligan.LimitIgnore:
		return newRemark(Warn, "hook ignored", strings.Join(b.Hooks, ", "), "by a person, for the rest of the attempt")
	case b.Choice == mulligan.LimitAccept:
		return newRemark(Warn, Line(b.Note))
	case b.By == "hook":
		return newRemark(Bad, "the hook wants no retry", failed)
	}
	return newRemark(Bad, "hook limit reached", failed)
}
