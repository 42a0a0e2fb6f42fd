package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
)

// untold tells of limits that cannot stop an agent, because it does not say what it used.
func (b *builder) untold(p *mulligan.Plan) {
	var steps []string
	for _, s := range p.Steps {
		steps = append(steps, s.Agent)
	}
	b.untoldOf(p, "limits", p.Limits.Budget(), append(steps, judges(p)...))
	for _, s := range p.Steps {
		b.untoldOf(p, fmt.Sprintf("step %s: its limits", s.Name), s.Limits, append([]string{s.Agent}, judges(p)...))
	}
}

func (b *builder) untoldOf(p *mulligan.Plan, whose string, limits mulligan.Budget, names []string) {
	for _, limit := range []struct {
		name string
		set  bool
	}{{"tokens", limits.Tokens > 0}, {"cost_usd", limits.CostUSD > 0}} {
		var agents []string
		for _, name := range names {
			spec := p.Agents[name]
			kind, known := b.Catalog.Agent(spec.Type)
			name := fmt.Sprintf("%s (%s)", spec.Name, spec.Type)
			if known && !slices.Contains(kind.Tells, limit.name) && !slices.Contains(agents, name) {
				agents = append(agents, name)
			}
		}
		if limit.set && len(agents) > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("%s.%s does not stop %s: what is not told is not counted", whose, limit.name, listed(agents)))
		}
	}
}

// judges are the agents that answer for hooks.
func judges(p *mulligan.Plan) []string {
	var names []string
	for _, h := range p.AgentHooks.Hooks {
		if h.Type == askingHook && h.Unhandled == "" && len(p.Steps) > 0 {
			names = append(names, cmp.Or(h.Agent, p.Steps[0].Agent))
		}
	}
	return names
}

// askingHook is the type of a hook that an agent answers for.
const askingHook = "prompt"

// judgeBounds say how many turns judges take, besides those of the work.
func judgeBounds(p *mulligan.Plan) []string {
	var lines []string
	for _, at := range []struct{ event, when string }{
		{mulligan.EventSessionStart, "at the start"},
		{mulligan.EventPrompt, "before each turn"},
		{mulligan.EventStop, "after each turn"},
		{mulligan.EventSessionEnd, "at the end"},
	} {
		if n := asking(p.AgentHooks.Of(at.event)); n > 0 {
			lines = append(lines, fmt.Sprintf("%s %s, for %s hooks of type prompt", judged(n), at.when, at.event))
		}
	}
	var events []string
	for _, h := range p.AgentHooks.Inside("") {
		if !slices.Contains(events, h.Event) {
			events = append(events, h.Event)
		}
	}
	for _, event := range events {
		if n := asking(p.AgentHooks.Inside(event)); n > 0 {
			lines = append(lines, fmt.Sprintf("%s at each %s inside the agent, for hooks of type prompt", judged(n), event))
		}
	}
	return lines
}

func judged(n int) string {
	if n == 1 {
		return "one turn of a judge"
	}
	return fmt.Sprintf("%d turns of judges", n)
}

func asking(hooks []mulligan.AgentHook) int {
	n := 0
	for _, h := range hooks {
		if h.Type == askingHook {
			n++
		}
	}
	return n
}

// limitBounds says what a session can come to in all: its own limits, or those of its steps
// together where these are less.
func limitBounds(p *mulligan.Plan) []string {
	l, steps := p.Limits, together(p)
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if n, whose := lower(l.Turns, steps.Turns); n > 0 {
		add("at most %s in all%s", plural(n, "turn"), whose)
	}
	if l.Duration > 0 {
		add("at most %s of turns and checks in all", span(l.Duration))
	}
	if n, whose := lower(l.Tokens, steps.Tokens); n > 0 {
		add("at most %d tokens in all%s, counted after each turn", n, whose)
	}
	if n, whose := lower(l.CostUSD, steps.CostUSD); n > 0 {
		add("at most $%.2f in all%s, as billed, counted after each turn", n, whose)
	}
	switch {
	case l.NoWait:
		add("no waiting for rate limits")
	case l.Wait > 0 && mayBeLimited(p):
		add("at most %s of waiting for rate limits", span(l.Wait))
	}
	return lines
}

// together is what all the steps may spend, and with it the last delivery, of which only the
// turns are bounded.
func together(p *mulligan.Plan) mulligan.Budget {
	if p.Loop != nil {
		return mulligan.Budget{}
	}
	sum := mulligan.Budget{Turns: total(p, func(b mulligan.Budget) int { return b.Turns })}
	switch {
	case !delivers(p):
		sum.Tokens = total(p, func(b mulligan.Budget) int64 { return b.Tokens })
		sum.CostUSD = total(p, func(b mulligan.Budget) float64 { return b.CostUSD })
	case sum.Turns > 0:
		sum.Turns += 1 + hookRetries(p)
	}
	return sum
}

// total adds up a limit of the steps; 0 where one of them has none.
func total[T int | int64 | float64](p *mulligan.Plan, limit func(mulligan.Budget) T) T {
	var sum T
	for _, s := range p.Steps {
		if limit(s.Limits) == 0 {
			return 0
		}
		sum += limit(s.Limits)
	}
	return sum
}

// lower is the limit that is reached first; 0 is none.
func lower[T int | int64 | float64](session, steps T) (limit T, whose string) {
	if steps > 0 && (session == 0 || steps < session) {
		return steps, ", the limits of its steps together"
	}
	return session, ""
}

// mayBeLimited says whether an agent of the plan can say that it is rate limited: a program has
// no way to.
func mayBeLimited(p *mulligan.Plan) bool {
	return slices.ContainsFunc(p.Steps, func(s mulligan.Step) bool { return p.Agents[s.Agent].Type != "program" })
}

// agentBounds says what holds an agent itself, in each of its turns.
func agentBounds(p *mulligan.Plan) []string {
	var lines []string
	var told []string
	for _, s := range p.Steps {
		spec := p.Agents[s.Agent]
		if slices.Contains(told, s.Agent) {
			continue
		}
		told = append(told, s.Agent)
		var terms []string
		if spec.MaxTurns > 0 {
			terms = append(terms, plural(spec.MaxTurns, "turn")+" of its own")
		}
		if spec.Timeout > 0 {
			terms = append(terms, span(spec.Timeout))
		}
		if len(terms) > 0 {
			lines = append(lines, fmt.Sprintf("agent %s: at most %s in each turn", spec.Name, listed(terms)))
		}
	}
	return lines
}

// span is a duration without what is nought at its end: 2h, 1h30m, 90s.
func span(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
