package claudecode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/text"
)

const (
	shownToPeople = 1_000 // characters of an output in a message
	reasonLength  = 1_000 // characters of a reason
)

const blockedSilently = "Hook returned blocking error (exit code 2)"

// A result is what one hook came to.
type result struct {
	run      mulligan.AgentHookRun
	feedback string // of a block: the text for the agent
	context  string
	messages []string
	// permission is allow or ask, for a tool that the agent wants to use.
	permission string
	retry      mulligan.HookSteer // of a block
}

func (s *result) addMessage(message string) { s.messages = append(s.messages, message) }

// showText adds a text of a hook to the messages for the person, as far as that fits.
func (s *result) showText(t hookTask, words string) {
	if words = text.Clip(strings.TrimSpace(words), shownToPeople); words != "" {
		s.addMessage(t.hook.Name + ": " + words)
	}
}

// withOutput returns the result with where the whole output is.
func (s result) withOutput(out *output) result {
	s.run.Whole, s.run.Bytes = out.path, out.stdout.raw.Size()+out.stderr.raw.Size()
	if out.lost != nil {
		s.addMessage(fmt.Sprintf("the output could not be kept whole: %v", out.lost))
	}
	return s
}

// brokenResult returns the result of a hook that could not tell. That is never an allow, unless the
// user configured it so.
func (t hookTask) brokenResult(exit, why string) result {
	reason := t.hook.Name + ": " + exit
	if why != "" {
		reason += ": " + why
	}
	reason = text.Clip(strings.TrimSpace(reason), reasonLength)
	s := result{run: mulligan.AgentHookRun{Decision: mulligan.HookBroken, Exit: exit, Reason: reason}}
	if t.hook.FailOpen {
		s.run.Decision = mulligan.Allow
		s.addMessage(reason + " (allowed: its on_failure says so)")
	}
	return s
}

// resultOfExit returns the result of a hook that ran to its end, by its exit code.
func (t hookTask) resultOfExit(exit process.Exit, out *output, limit int) result {
	switch {
	case exit.Code == 0:
		return t.answeredResult(out, exit.String(), limit)
	case exit.Code == blocking:
		return t.blockedResult(exit, out, limit)
	case exit.Code >= cannotExecute:
		s := t.brokenResult(exit.String(), explainExit(exit.Code))
		s.showText(t, out.agentText(shownToPeople))
		return s
	}
	s := result{run: mulligan.AgentHookRun{Decision: mulligan.Allow, Exit: exit.String()}}
	printed := out.agentText(limit)
	s.addMessage(strings.TrimSuffix(t.hook.Name+": "+exit.String()+": "+text.Clip(strings.TrimSpace(printed), shownToPeople), ": "))
	if printed != "" {
		s.context = "[" + t.call.Event + " hook " + text.Clip(t.hook.Name, nameLength) + ": " + exit.String() + "]\n" + printed
	}
	return s
}

// explainExit returns what the exit code of a hook means that could not tell.
func explainExit(code int) string {
	switch code {
	case cannotExecute:
		return "a command in it could not be executed"
	case notFound:
		return "a command in it was not found"
	}
	return "it crashed or was killed"
}

// blockedResult returns the result of a hook that exited with 2. JSON cannot take that back; it may
// steer the retry.
func (t hookTask) blockedResult(exit process.Exit, out *output, limit int) result {
	s := result{run: mulligan.AgentHookRun{Decision: mulligan.Block, Exit: exit.String(), Reason: blockedSilently}}
	if reason := text.Clip(strings.TrimSpace(out.stderr.distilled.Text), reasonLength); reason != "" {
		s.run.Reason = reason
	}
	s.feedback = out.agentText(limit)
	if strings.TrimSpace(out.stderr.distilled.Text) == "" {
		s.feedback = distilText(blockedSilently+"\n\n"+s.feedback, limit, out.path)
	}
	a, err := out.readAnswer()
	if err != nil {
		return s // what it printed is fed back all the same
	}
	s.retry = a.retry
	s.showText(t, a.message)
	for _, remark := range a.retryRemarks {
		s.addMessage(t.hook.Name + ": " + remark)
	}
	return s
}

// answeredResult returns the result of a hook that succeeded. It is broken if its answer cannot be
// read.
func (t hookTask) answeredResult(out *output, exit string, limit int) result {
	a, err := out.readAnswer()
	if err != nil {
		return t.brokenResult("its answer cannot be read", err.Error())
	}
	if a.wrong != "" && !a.blocks && !a.halts {
		if isGate(t.call.Event) {
			return t.brokenResult("its answer cannot be read", a.wrong)
		}
		a = answer{rest: string(out.stdout.keptBytes()), remarks: append(a.remarks, a.wrong+"; what it printed is taken as text")}
	}
	s := result{run: mulligan.AgentHookRun{Decision: mulligan.Allow, Exit: exit}, permission: a.permission}
	s.showText(t, a.message)
	for _, remark := range slices.Concat(a.remarks, a.retryRemarks) {
		s.addMessage(t.hook.Name + ": " + remark)
	}
	if a.context != "" {
		s.context = distilText(a.context, limit, out.path)
	}
	switch {
	case a.halts:
		s.run.Decision = mulligan.Halt
		s.run.Reason = text.Clip(cmp.Or(a.stopReason, a.reason, t.hook.Name+" ends the session"), reasonLength)
		return s
	case a.blocks:
		reason := cmp.Or(a.reason, noReason)
		s.run.Decision, s.run.Reason = mulligan.Block, text.Clip(reason, reasonLength)
		s.feedback = distilText(strings.TrimSpace(reason+"\n\n"+a.rest), limit, out.path)
		s.retry = a.retry
		return s
	}
	s.run.OK = true
	if a.found || printsContext(t.call.Event) {
		s.context = joinParagraphs(distilText(a.rest, limit, out.path), s.context)
	}
	return s
}

// isGate reports whether something waits for what a hook at the event decides: the beginning and the
// end of a session do not.
func isGate(event string) bool {
	return event != mulligan.EventSessionStart && event != mulligan.EventSessionEnd
}

// joinParagraphs joins the texts that are not empty, with a blank line between them.
func joinParagraphs(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(one string) bool { return one == "" })
	return strings.Join(texts, "\n\n")
}
