package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
)

// untold tells of limits that cannot stop an agent, because it does not say what it used.
func (b *builder) untold(p *mulligan.Plan) {
	for _, limit := range []struct {
		name string
		set  bool
	}{{"tokens", p.Limits.Tokens > 0}, {"cost_usd", p.Limits.CostUSD > 0}} {
		var agents []string
		for _, s := range p.Steps {
			spec := p.Agents[s.Agent]
			kind, known := b.Catalog.Agent(spec.Type)
			name := fmt.Sprintf("%s (%s)", spec.Name, spec.Type)
			if known && !slices.Contains(kind.Tells, limit.name) && !slices.Contains(agents, name) {
				agents = append(agents, name)
			}
		}
		if limit.set && len(agents) > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("limits.%s does not stop %s: what is not told is not counted", limit.name, listed(agents)))
		}
	}
}

// limitBounds says what a session can come to in all.
func limitBounds(p *mulligan.Plan) []string {
	l := p.Limits
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if l.Turns > 0 {
		add("at most %s in all", plural(l.Turns, "turn"))
	}
	if l.Duration > 0 {
		add("at most %s of turns and checks in all", span(l.Duration))
	}
	if l.Tokens > 0 {
		add("at most %d tokens in all, counted after each turn", l.Tokens)
	}
	if l.CostUSD > 0 {
		add("at most $%.2f in all, as billed, counted after each turn", l.CostUSD)
	}
	switch {
	case l.NoWait:
		add("no waiting for rate limits")
	case l.Wait > 0 && mayBeLimited(p):
		add("at most %s of waiting for rate limits", span(l.Wait))
	}
	return lines
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
