package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
)

// A SentBack is an agent's turn that Stop hooks asked for: they did not let it stop.
type SentBack struct {
	Retry, Of int
	Reason    string
	Base      mulligan.Purpose // of the turn that it was sent back from
}

// String is the notice to the person.
func (s SentBack) String() string {
	return fmt.Sprintf("[Hook retry %d/%d: %s]", s.Retry, s.Of, s.Reason)
}

// SentBackBy is what a turn says of the hooks that asked for it, nil where none did.
func SentBackBy(b mulligan.TurnStarted) *SentBack {
	if b.Purpose != mulligan.ForHook {
		return nil
	}
	return &SentBack{Retry: b.Retry, Of: b.Of, Reason: Line(b.Reason), Base: mulligan.Purpose(Line(string(b.Base)))}
}

// Why says why an agent is prompted, where it is not for an attempt.
func (a Activity) Why() string {
	if a.SentBack == nil {
		return PurposeWords(a.Purpose)
	}
	text := fmt.Sprintf("hook retry %d/%d", a.SentBack.Retry, a.SentBack.Of)
	if words := PurposeWords(a.SentBack.Base); words != "" {
		text += ", " + words
	}
	return text
}

// base is the purpose of a turn, of one that hooks asked for that of the turn before.
func base(b mulligan.TurnStarted) mulligan.Purpose {
	if b.Purpose == mulligan.ForHook {
		return b.Base
	}
	return b.Purpose
}

// applyAgentHook takes what happens to the hooks of the agent's moments, and says whether that
// was it.
func (m *Model) applyAgentHook(e mulligan.Event) bool {
	switch b := e.Body.(type) {
	case mulligan.AgentHookStarted:
		m.agentHooksStarted(b, e.Time)
	case mulligan.AgentHookEnded:
		m.agentHooksEnded(b)
	case mulligan.StopDecided:
		m.stopDecided(b)
	default:
		return false
	}
	return true
}

func (m *Model) agentHooksStarted(b mulligan.AgentHookStarted, at time.Time) {
	for i, name := range b.Hooks {
		h := m.agentHook(b.Event, name, nth(b.Hooks[:i], name))
		h.Running = true
		h.Runs++
	}
	m.run(OfHook, hookName(mulligan.Moment(b.Event), strings.Join(b.Hooks, ", ")), at)
}

func (m *Model) agentHooksEnded(b mulligan.AgentHookEnded) {
	if !b.Inside { // else the agent goes on working
		m.idle()
	}
	var names []string
	for _, run := range b.Reply.Runs {
		h := m.agentHook(b.Event, run.Name, nth(names, run.Name))
		known := h.Decision != ""
		names = append(names, run.Name)
		if run.Judge != nil {
			m.countJudge(*run.Judge)
		}
		h.Running, h.OK, h.Duration = false, run.Decision == mulligan.Allow, run.Duration
		h.Decision, h.Exit, h.Reason = Line(run.Decision), Line(run.Exit), Line(run.Reason)
		if h.Runs = max(1, h.Runs); b.Inside && known {
			h.Runs++ // nothing said that it began
		}
		switch run.Decision {
		case mulligan.Block:
			h.Blocked++
		case mulligan.HookBroken:
			h.Failed++
		}
	}
	if b.Event != mulligan.EventStop || b.Inside || m.snap.Ending != nil {
		return
	}
	switch b.Reply.Decision {
	case mulligan.Block:
		m.snap.Evidence, m.snap.FedBack, m.blocked = cleanVerdict(BlockOf(b.Reply)), false, true
	case mulligan.Allow:
		m.unblock()
	}
}

// unblock takes the evidence of Stop hooks away, which allow now or are waived.
func (m *Model) unblock() {
	if m.blocked {
		m.snap.Evidence, m.snap.FedBack, m.blocked = nil, false, false
	}
}

func (m *Model) stopDecided(b mulligan.StopDecided) {
	m.idle()
	if m.snap.Ending != nil {
		return
	}
	switch step := m.snap.Step(); b.Choice {
	case mulligan.LimitIgnore, mulligan.LimitAccept:
		m.unblock()
		if step != nil && b.Note != "" {
			step.Waived = append(slices.Clone(step.Waived), Line(b.Note))
		}
	case mulligan.LimitFail, mulligan.LimitAbort:
		if b.Verdict != nil {
			m.snap.Evidence, m.snap.FedBack = cleanVerdict(b.Verdict), false
		}
		m.blocked = false // it stays, as a failed check's does
	}
}

// agentHook is the nth hook of a name at a moment of the agent, made where it has not run before.
// Its place in the list says nothing: those that are ignored leave it.
func (m *Model) agentHook(event, name string, nth int) *Hook {
	at, name := mulligan.Moment(Line(event)), Line(name)
	i := slices.IndexFunc(m.snap.Hooks, func(h Hook) bool { return h.Agents && h.Moment == at && h.Name == name && h.Index == nth })
	if i < 0 {
		m.keepHook(Hook{Moment: at, Name: name, Index: nth, Agents: true})
		i = len(m.snap.Hooks) - 1
	}
	return &m.snap.Hooks[i]
}

// nth counts the names before one that are the same.
func nth(before []string, name string) int {
	n := 0
	for _, b := range before {
		if b == name {
			n++
		}
	}
	return n
}

// BlockOf is a block of Stop hooks as a verdict, which is how the agent's work is told of.
func BlockOf(r mulligan.AgentHookReply) *mulligan.Verdict {
	v := &mulligan.Verdict{Status: mulligan.Fail, Summary: r.Reason, Finding: &mulligan.Finding{Text: r.Feedback}}
	var names []string
	for _, run := range r.Runs {
		if run.Decision != mulligan.Block {
			continue
		}
		names = append(names, run.Name)
		v.Duration = max(v.Duration, run.Duration)
		if v.Finding.Whole == "" {
			v.Finding.Exit, v.Finding.Whole, v.Finding.Bytes = run.Exit, run.Whole, run.Bytes
		}
	}
	v.Gate = stopHook + strings.Join(names, ", ")
	return v
}

const stopHook = "Stop hook " // before the names of hooks, where they are a gate

// StopHook is the name of the Stop hook that a verdict is of, false of a check's.
func StopHook(v mulligan.Verdict) (name string, ok bool) { return strings.CutPrefix(v.Gate, stopHook) }

// Waived is what was waived in the steps so far: their work is accepted, not verified.
func (s Snapshot) Waived() []string {
	var all []string
	for _, step := range s.Steps {
		for _, w := range step.Waived {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// Accepted says why the step's work is accepted and not verified.
func (s Step) Accepted() string {
	if len(s.Waived) == 0 {
		return "nothing checked it"
	}
	return "a hook was waived"
}
