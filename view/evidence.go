package view

import (
	"strings"

	"mulligan"
)

// evidence tracks the last verdict that did not pass, until its step passes.
type evidence struct {
	verdict *mulligan.Verdict
	cleaned *mulligan.Verdict // verdict, fit for a terminal
	of      *mulligan.Verdict // the verdict that cleaned was made from
	fedBack bool              // it went back to the agent
	hooks   []string          // the Stop hooks that it is of; none: it is a check's
	blocks  bool              // those hooks may still allow
}

// feedBack notes that a turn begins, which may give the evidence back to the agent.
func (e *evidence) feedBack(purpose mulligan.Purpose) {
	switch purpose {
	case mulligan.ForAttempt:
		e.fedBack = e.verdict != nil
	case mulligan.ForHook:
		e.fedBack = e.fedBack || e.blocks
	default:
	}
}

// takeReply takes what Stop hooks say of the agent's work.
func (e *evidence) takeReply(r mulligan.AgentHookReply) {
	switch r.Decision {
	case mulligan.Block:
		*e = evidence{verdict: BlockOf(r), hooks: r.Blocking(), blocks: true}
	case mulligan.Allow:
		e.dropBlock()
	}
}

// takeDecision takes what is done about Stop hooks that block at their limit. The evidence of an attempt that
// has failed by it stays, as a failed check's does.
func (e *evidence) takeDecision(b mulligan.StopDecided) {
	switch b.Choice {
	case mulligan.LimitIgnore, mulligan.LimitAccept:
		e.dropBlock()
	case mulligan.LimitFail, mulligan.LimitAbort:
		if b.Verdict != nil {
			e.verdict, e.hooks, e.fedBack = b.Verdict, b.Hooks, false
		}
		e.blocks = false
	}
}

// dropBlock drops the evidence of Stop hooks, which allow now or are waived.
func (e *evidence) dropBlock() {
	if e.blocks {
		*e = evidence{}
	}
}

// cleanVerdict returns the verdict fit for a terminal, or nil if there is none. Its text may be long: it is
// cleaned when it is first shown.
func (e *evidence) cleanVerdict() *mulligan.Verdict {
	if e.of != e.verdict {
		e.cleaned, e.of = cleanValue(e.verdict), e.verdict
	}
	return e.cleaned
}

// BlockOf returns a block of Stop hooks as a verdict, the form in which views show what does not pass.
func BlockOf(r mulligan.AgentHookReply) *mulligan.Verdict {
	v := &mulligan.Verdict{Status: mulligan.Fail, Summary: r.Reason, Finding: &mulligan.Finding{Text: r.Feedback}}
	for _, run := range r.Runs {
		if run.Decision != mulligan.Block {
			continue
		}
		v.Duration = max(v.Duration, run.Duration)
		if v.Finding.Whole == "" {
			v.Finding.Exit, v.Finding.Whole, v.Finding.Bytes = run.Exit, run.Whole, run.Bytes
		}
	}
	v.Gate = "Stop hook " + strings.Join(r.Blocking(), ", ")
	return v
}

// StopHooks returns the names of the Stop hooks that a verdict is of, "" if it is a check's.
func (s Snapshot) StopHooks(v mulligan.Verdict) string {
	if s.Evidence == nil || s.Evidence.Gate != v.Gate {
		return ""
	}
	return s.Blocking
}
