package telemetry

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"path"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"mulligan"
	"mulligan/internal/text"
)

// A tracer makes spans of a session's events: session, step, attempt, and below that turns, gates and hooks. Their ids are
// derived from the session's id and the numbers of its events, so that a process which resumes the session continues its
// trace. Attributes are names and figures: never a prompt, a reason or what anything printed.
type tracer struct {
	trace   []byte
	session string
	plan    *mulligan.Plan
	open    []*tracepb.Span // from the session's down to the innermost
	hooks   map[int]*tracepb.Span
	last    time.Time // of the event before
	over    bool      // the session has ended once
}

func newTracer() *tracer { return &tracer{hooks: map[int]*tracepb.Span{}} }

// maxName is how many characters of a name an attribute has.
const maxName = 200

// The names of spans, which the tracer tells them apart by.
const (
	sessionSpan   = "session"
	stepSpan      = "step"
	attemptSpan   = "attempt"
	gateSpan      = "gate"
	hookSpan      = "hook"
	agentHookSpan = "agent_hook"
	turnSpan      = "invoke_agent" // as the conventions for generative AI have it, with the agent's name
)

// apply takes an event, and returns the spans that have ended with it.
func (t *tracer) apply(e mulligan.Event) (ended []*tracepb.Span) {
	defer func() { t.last = e.Time }()
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		t.begin(e, b.Plan, b.PID)
	case mulligan.SessionResumed:
		return t.resume(e, b)
	case mulligan.SessionEnded:
		t.over = true
		ended = t.closeDown(sessionSpan, e.Time, "")
		return append(ended, t.closeSession(e.Time, b.Outcome)...)
	case mulligan.StepStarted:
		t.push(e, stepSpan, attribute{"mulligan.step", clip(b.Step)})
	case mulligan.StepVerified:
		return t.pop(stepSpan, e.Time, "", attribute{"mulligan.step.accepted", b.Accepted})
	case mulligan.StepFailed:
		return t.pop(stepSpan, e.Time, "failed")
	case mulligan.StepSkipped:
		return t.pop(stepSpan, e.Time, "skipped")
	case mulligan.AttemptStarted:
		t.push(e, attemptSpan, attribute{"mulligan.step", clip(b.Step)}, attribute{"mulligan.attempt", int64(b.Attempt)},
			attribute{"mulligan.iteration", int64(b.Iteration)}, attribute{"mulligan.strategy", clip(b.Strategy)})
	case mulligan.AttemptEnded:
		failure := ""
		if b.Status != mulligan.Pass {
			failure = string(b.Status)
		}
		return t.pop(attemptSpan, e.Time, failure, attribute{"mulligan.status", string(b.Status)})
	case mulligan.TurnStarted:
		t.beginTurn(e, b)
	case mulligan.TurnEnded:
		return t.endTurn(e, b)
	case mulligan.GateStarted:
		t.push(e, gateSpan, attribute{"mulligan.gate", clip(b.Gate)}, attribute{"mulligan.gate.try", int64(b.Try)})
	case mulligan.GateEnded:
		failure := ""
		if b.Verdict.Status != mulligan.Pass {
			failure = string(b.Verdict.Status)
		}
		return t.pop(gateSpan, e.Time, failure, attribute{"mulligan.status", string(b.Verdict.Status)})
	case mulligan.AgentHookStarted:
		t.push(e, agentHookSpan, attribute{"mulligan.hook.event", clip(b.Event)}, attribute{"mulligan.hook.count", int64(len(b.Hooks))})
	case mulligan.AgentHookEnded:
		return t.pop(agentHookSpan, e.Time, "", attribute{"mulligan.hook.decision", clip(string(b.Reply.Decision))})
	case mulligan.HookStarted:
		t.hooks[b.Run] = t.newSpan(e, hookSpan, attribute{"mulligan.hook.moment", string(b.Moment)}, attribute{"mulligan.hook.name", clip(b.Name)})
	case mulligan.HookEnded:
		return t.endHook(e, b)
	}
	return nil
}

// begin begins the trace.
func (t *tracer) begin(e mulligan.Event, p *mulligan.Plan, pid int) {
	t.session, t.plan = e.Session, p
	t.trace = deriveTrace(e.Session)
	root := t.newSpan(e, sessionSpan, attribute{"mulligan.session.id", e.Session}, attribute{"mulligan.pipeline", clip(p.Pipeline)},
		attribute{"process.pid", int64(pid)})
	root.SpanId = deriveSpan(e.Session, 0)
	if p.Task.Path != "" { // a task without a file is a prompt
		addAttributes(root, attribute{"mulligan.task", clip(path.Base(p.Task.Path))})
	}
	t.open = []*tracepb.Span{root}
}

// resume closes what a killed process had begun. A session that had ended gets a span of its own below the first one,
// which is closed already.
func (t *tracer) resume(e mulligan.Event, b mulligan.SessionResumed) []*tracepb.Span {
	if b.Plan != nil {
		t.plan = b.Plan
	}
	cut := t.closeDown(sessionSpan, t.last, "killed")
	if t.over && len(t.open) == 0 {
		again := t.newSpan(e, sessionSpan, attribute{"mulligan.session.id", e.Session}, attribute{"mulligan.resumed", true})
		again.ParentSpanId = deriveSpan(t.session, 0)
		t.open = []*tracepb.Span{again}
	}
	return cut
}

func (t *tracer) closeSession(at time.Time, o mulligan.Outcome) []*tracepb.Span {
	failure := ""
	if !o.Good() {
		failure = string(o.Ended)
	}
	ended := t.pop(sessionSpan, at, failure, attribute{"mulligan.outcome", string(o.Ended)}, attribute{"mulligan.exit_code", int64(o.ExitCode())},
		attribute{"mulligan.turns", int64(o.Turns)}, attribute{"mulligan.cost_usd", o.Usage.CostUSD},
		attribute{"gen_ai.usage.input_tokens", o.Usage.InputTokens}, attribute{"gen_ai.usage.output_tokens", o.Usage.OutputTokens})
	t.open = nil
	return ended
}

func (t *tracer) beginTurn(e mulligan.Event, b mulligan.TurnStarted) {
	s := t.push(e, turnSpan, describeAgent(t.plan, b.Agent)...)
	s.Kind = tracepb.Span_SPAN_KIND_CLIENT // it is a call of something else
	addAttributes(s, attribute{"mulligan.turn", int64(b.Turn)}, attribute{"mulligan.turn.again", b.Again}, attribute{"mulligan.turn.purpose", string(b.Purpose)})
}

// describeAgent returns what the conventions for generative AI have for an agent.
func describeAgent(p *mulligan.Plan, name string) []attribute {
	list := []attribute{{"gen_ai.operation.name", "invoke_agent"}, {"gen_ai.agent.name", clip(name)}}
	spec := p.Agents[name]
	switch spec.Type {
	case "claude":
		list = append(list, attribute{"gen_ai.provider.name", "anthropic"})
	case "codex":
		list = append(list, attribute{"gen_ai.provider.name", "openai"})
	}
	if spec.Model != "" {
		list = append(list, attribute{"gen_ai.request.model", clip(spec.Model)})
	}
	return list
}

func (t *tracer) endTurn(e mulligan.Event, b mulligan.TurnEnded) []*tracepb.Span {
	failure := ""
	if !b.Result.Ending.Examined() {
		failure = string(b.Result.Ending)
	}
	u := b.Result.Usage
	return t.pop(turnSpan, e.Time, failure, attribute{"mulligan.turn.ending", string(b.Result.Ending)}, attribute{"mulligan.cost_usd", u.CostUSD},
		attribute{"gen_ai.usage.input_tokens", u.InputTokens}, attribute{"gen_ai.usage.output_tokens", u.OutputTokens},
		attribute{"gen_ai.usage.cache_read.input_tokens", u.CachedTokens})
}

func (t *tracer) endHook(e mulligan.Event, b mulligan.HookEnded) []*tracepb.Span {
	s := t.hooks[b.Run]
	delete(t.hooks, b.Run)
	if s == nil {
		return nil
	}
	failure := ""
	if !b.Result.OK {
		failure = "failed"
	}
	endSpan(s, e.Time, failure)
	return []*tracepb.Span{s}
}

// newSpan returns a span that begins with an event, below the innermost open one.
func (t *tracer) newSpan(e mulligan.Event, name string, list ...attribute) *tracepb.Span {
	s := &tracepb.Span{
		TraceId: t.trace, SpanId: deriveSpan(t.session, e.Number), Name: name, Kind: tracepb.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: uint64(e.Time.UnixNano()),
	}
	addAttributes(s, list...)
	if len(t.open) > 0 {
		s.ParentSpanId = t.open[len(t.open)-1].SpanId
	}
	return s
}

func (t *tracer) push(e mulligan.Event, name string, list ...attribute) *tracepb.Span {
	s := t.newSpan(e, name, list...)
	t.open = append(t.open, s)
	return s
}

// pop ends the innermost span of a name, with what is still open below it. It does nothing if there is none.
func (t *tracer) pop(name string, at time.Time, failure string, list ...attribute) []*tracepb.Span {
	for i := len(t.open) - 1; i >= 0; i-- {
		if t.open[i].Name != name {
			continue
		}
		ended := t.closeDown(name, at, "cut short")
		s := t.open[i]
		t.open = t.open[:i]
		endSpan(s, at, failure)
		addAttributes(s, list...)
		return append(ended, s)
	}
	return nil
}

// closeDown ends the spans below the innermost one of a name.
func (t *tracer) closeDown(name string, at time.Time, failure string) (ended []*tracepb.Span) {
	for len(t.open) > 0 && t.open[len(t.open)-1].Name != name {
		s := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		endSpan(s, at, failure)
		ended = append(ended, s)
	}
	return ended
}

// endSpan ends a span. A failure is a word, never text from outside; "" says that all went well.
func endSpan(s *tracepb.Span, at time.Time, failure string) {
	s.EndTimeUnixNano = uint64(at.UnixNano())
	s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_OK}
	if failure != "" {
		s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: failure}
	}
}

func addAttributes(s *tracepb.Span, list ...attribute) {
	s.Attributes = append(s.Attributes, makeKeyValues(list)...)
}

// isSampled reports whether a trace is among a part of all.
func isSampled(trace []byte, ratio float64) bool {
	return float64(binary.BigEndian.Uint64(trace[8:])>>1) < ratio*math.MaxInt64
}

func deriveTrace(session string) []byte {
	sum := sha256.Sum256([]byte("mulligan trace " + session))
	return sum[:16]
}

func deriveSpan(session string, number int64) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "mulligan span %s %d", session, number))
	return sum[:8]
}

func clip(name string) string { return text.Clip(text.OneLine(name), maxName) }
