package claudecode

import (
	"cmp"
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

// said is what one hook came to.
type said struct {
	run      mulligan.AgentHookRun
	feedback string // of a block: what the agent is told
	context  string
	messages []string
	// permission is allow or ask, of a tool that the agent wants to use.
	permission string
	steer      mulligan.HookSteer // of a block
}

func (s *said) tell(message string) { s.messages = append(s.messages, message) }

// show tells the person what a hook printed, as far as that fits.
func (s *said) show(t task, printed string) {
	if printed = text.Clip(strings.TrimSpace(printed), shownToPeople); printed != "" {
		s.tell(t.hook.Name + ": " + printed)
	}
}

// kept says where the whole output is.
func (s said) kept(out *output) said {
	s.run.Whole, s.run.Bytes = out.path, out.bytes()
	if note := out.note(); note != "" {
		s.tell(note)
	}
	return s
}

// broken is a hook that could not tell. That is never an allow, unless the user said so.
func (t task) broken(exit, why string) said {
	reason := t.hook.Name + ": " + exit
	if why != "" {
		reason += ": " + why
	}
	reason = text.Clip(strings.TrimSpace(reason), reasonLength)
	s := said{run: mulligan.AgentHookRun{Decision: mulligan.HookBroken, Exit: exit, Reason: reason}}
	if t.hook.FailOpen {
		s.run.Decision = mulligan.Allow
		s.tell(reason + " (allowed: its on_failure says so)")
	}
	return s
}

// decide says what the exit code of a hook that ran to its end means.
func (t task) decide(exit process.Exit, out *output, limit int) said {
	switch exit.Code {
	case 0:
		return t.answered(out, exit.String(), limit)
	case blocking:
		return t.blocked(exit, out, limit)
	}
	s := said{run: mulligan.AgentHookRun{Decision: mulligan.Allow, Exit: exit.String()}}
	printed := out.text(limit)
	s.tell(strings.TrimSuffix(t.hook.Name+": "+exit.String()+": "+text.Clip(strings.TrimSpace(printed), shownToPeople), ": "))
	if printed != "" {
		s.context = "[" + t.call.Event + " hook " + text.Clip(t.hook.Name, nameLength) + ": " + exit.String() + "]\n" + printed
	}
	return s
}

// blocked is a hook that exited with 2. JSON cannot take that back; it may steer the retry.
func (t task) blocked(exit process.Exit, out *output, limit int) said {
	s := said{run: mulligan.AgentHookRun{Decision: mulligan.Block, Exit: exit.String(), Reason: blockedSilently}}
	if reason := text.Clip(strings.TrimSpace(out.stderr.distilled.Text), reasonLength); reason != "" {
		s.run.Reason = reason
	}
	s.feedback = out.text(limit)
	if strings.TrimSpace(out.stderr.distilled.Text) == "" {
		s.feedback = distil(blockedSilently+"\n\n"+s.feedback, limit, out.path)
	}
	a, err := out.answer()
	if err != nil {
		return s // what it printed is fed back all the same
	}
	s.steer = a.steer
	if a.message != "" {
		s.tell(t.hook.Name + ": " + text.Clip(a.message, shownToPeople))
	}
	for _, remark := range a.remarks {
		if remark.ofRetry {
			s.tell(t.hook.Name + ": " + remark.text)
		}
	}
	return s
}

// answered is a hook that succeeded. Where nobody can say what it answered it could not tell.
func (t task) answered(out *output, exit string, limit int) said {
	a, err := out.answer()
	if err != nil {
		return t.broken("its answer cannot be read", err.Error())
	}
	return t.heard(a, exit, out.path, limit)
}

// heard makes of an answer what it decides.
func (t task) heard(a answer, exit, whole string, limit int) said {
	s := said{run: mulligan.AgentHookRun{Decision: mulligan.Allow, Exit: exit}, permission: a.permission}
	if a.message != "" {
		s.tell(t.hook.Name + ": " + text.Clip(a.message, shownToPeople))
	}
	for _, remark := range a.remarks {
		s.tell(t.hook.Name + ": " + remark.text)
	}
	if a.context != "" {
		s.context = distil(a.context, limit, whole)
	}
	switch {
	case a.halts:
		s.run.Decision = mulligan.Halt
		s.run.Reason = text.Clip(cmp.Or(a.stop, a.reason, t.hook.Name+" ends the session"), reasonLength)
		return s
	case a.blocks:
		reason := cmp.Or(a.reason, noReason)
		s.run.Decision, s.run.Reason = mulligan.Block, text.Clip(reason, reasonLength)
		s.feedback = distil(strings.TrimSpace(reason+"\n\n"+a.rest), limit, whole)
		s.steer = a.steer
		return s
	}
	s.run.OK = true
	if a.found || plainContext(t.call.Event) {
		s.context = paragraphs(distil(a.rest, limit, whole), s.context)
	}
	return s
}

// paragraphs are the texts that there are, with a blank line between them.
func paragraphs(texts ...string) string {
	var full []string
	for _, one := range texts {
		if one != "" {
			full = append(full, one)
		}
	}
	return strings.Join(full, "\n\n")
}
