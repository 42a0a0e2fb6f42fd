package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/hook/claudecode"
	"mulligan/internal/text"
)

// noteUncountedLimits adds notes on limits that cannot stop an agent, because it does not report what
// it used.
func (b *builder) noteUncountedLimits(p *mulligan.Plan) {
	all := append(stepAgents(p), hookJudges(p)...)
	for _, s := range p.Steps {
		all = append(all, checkJudges(s)...)
	}
	b.noteUncounted(p, "limits", p.Limits.Budget(), all)
	for _, s := range p.Steps {
		b.noteUncounted(p, fmt.Sprintf("step %s: its limits", s.Name), s.Limits, slices.Concat([]string{s.Agent}, checkJudges(s), hookJudges(p)))
	}
}

func (b *builder) noteUncounted(p *mulligan.Plan, whose string, limits mulligan.Budget, names []string) {
	for _, limit := range []struct {
		name string
		set  bool
	}{{"tokens", limits.Tokens > 0}, {"cost_usd", limits.CostUSD > 0}} {
		var agents []string
		for _, name := range names {
			spec := p.Agents[name]
			kind, known := b.Catalog.Agent(spec.Type)
			if known && !slices.Contains(kind.Tells, limit.name) {
				agents = appendOnce(agents, fmt.Sprintf("%s (%s)", spec.Name, spec.Type))
			}
		}
		if limit.set && len(agents) > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("%s.%s does not stop %s: what is not told is not counted", whose, limit.name, joinWords(agents)))
		}
	}
}

// checkJudges returns the agents that decide checks of a step.
func checkJudges(s mulligan.Step) []string {
	var names []string
	for _, c := range s.Checks {
		if c.IsJudge() {
			names = append(names, c.Agent)
		}
	}
	return names
}

// hookJudges returns the agents that answer for hooks.
func hookJudges(p *mulligan.Plan) []string {
	var names []string
	for _, h := range p.AgentHooks.Hooks {
		if h.Type == claudecode.TypePrompt && h.Unhandled == "" && len(p.Steps) > 0 {
			names = append(names, cmp.Or(h.Agent, p.Steps[0].Agent))
		}
	}
	return names
}

// judgeBounds returns how many turns judges take, besides those of the work.
func judgeBounds(p *mulligan.Plan) []string {
	lines := checkJudgeBounds(p)
	for _, at := range []struct{ event, when string }{
		{mulligan.EventSessionStart, "at the start"},
		{mulligan.EventPrompt, "before each turn"},
		{mulligan.EventStop, "after each turn"},
		{mulligan.EventSessionEnd, "at the end"},
	} {
		if n := countPromptHooks(p.AgentHooks.Of(at.event)); n > 0 {
			lines = append(lines, fmt.Sprintf("%s %s, for %s hooks of type prompt", countJudgeTurns(n), at.when, at.event))
		}
	}
	var events []string
	for _, h := range p.AgentHooks.Inside("") {
		events = appendOnce(events, h.Event)
	}
	for _, event := range events {
		if n := countPromptHooks(p.AgentHooks.Inside(event)); n > 0 {
			lines = append(lines, fmt.Sprintf("%s at each %s inside the agent, for hooks of type prompt", countJudgeTurns(n), event))
		}
	}
	return lines
}

// checkJudgeBounds returns how many turns the judges of checks take. One that cannot tell is asked once
// more.
func checkJudgeBounds(p *mulligan.Plan) []string {
	var lines []string
	for _, s := range p.Steps {
		for _, c := range s.Checks {
			when := "in each attempt of step " + s.Name
			switch {
			case c.IsJudge() && c.Final:
				when = "at each claim of completion"
			case c.IsJudge() && p.Loop != nil:
				when = "in each iteration"
			}
			if c.IsJudge() {
				lines = append(lines, fmt.Sprintf("one turn of a judge %s, for check %q; a second where the first cannot tell", when, c.Name))
			}
		}
	}
	return lines
}

func countJudgeTurns(n int) string {
	if n == 1 {
		return "one turn of a judge"
	}
	return fmt.Sprintf("%d turns of judges", n)
}

func countPromptHooks(hooks []mulligan.AgentHook) int {
	n := 0
	for _, h := range hooks {
		if h.Type == claudecode.TypePrompt {
			n++
		}
	}
	return n
}

// limitBounds returns what a session can come to in all: its own limits, or those of its steps
// together if these are less.
func limitBounds(p *mulligan.Plan) []string {
	l, steps := p.Limits, sumStepLimits(p)
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if n, whose := chooseLower(l.Turns, steps.Turns); n > 0 {
		add("at most %s in all%s", text.Count(n, "turn"), whose)
	}
	if l.Duration > 0 {
		add("at most %s of turns and checks in all", FormatDuration(l.Duration))
	}
	if l.SameFailure > 0 {
		add("stuck when the same failure has come %s in a row, and every strategy was tried (limits.same_failure: %d)", text.Times(l.SameFailure), l.SameFailure)
	}
	if n, whose := chooseLower(l.Tokens, steps.Tokens); n > 0 {
		add("at most %d tokens in all%s, counted after each turn", n, whose)
	}
	if n, whose := chooseLower(l.CostUSD, steps.CostUSD); n > 0 {
		add("at most $%.2f in all%s, as billed, counted after each turn", n, whose)
	}
	switch {
	case l.NoWait:
		add("no waiting for rate limits")
	case l.Wait > 0 && mayBeRateLimited(p):
		add("at most %s of waiting for rate limits", FormatDuration(l.Wait))
	}
	return lines
}

// sumStepLimits returns what all the steps and the last delivery may spend. Only the turns of the
// delivery are bounded.
func sumStepLimits(p *mulligan.Plan) mulligan.Budget {
	if p.Loop != nil {
		return mulligan.Budget{}
	}
	sum := mulligan.Budget{Turns: sumLimit(p, func(b mulligan.Budget) int { return b.Turns })}
	switch {
	case !mayDeliver(p):
		sum.Tokens = sumLimit(p, func(b mulligan.Budget) int64 { return b.Tokens })
		sum.CostUSD = sumLimit(p, func(b mulligan.Budget) float64 { return b.CostUSD })
	case sum.Turns > 0:
		sum.Turns += 1 + maxHookRetries(p)
	}
	return sum
}

// sumLimit returns the sum of a limit of the steps, or 0 if one of them has none.
func sumLimit[T int | int64 | float64](p *mulligan.Plan, limit func(mulligan.Budget) T) T {
	var sum T
	for _, s := range p.Steps {
		if limit(s.Limits) == 0 {
			return 0
		}
		sum += limit(s.Limits)
	}
	return sum
}

// chooseLower returns the limit that is reached first; 0 is none.
func chooseLower[T int | int64 | float64](session, steps T) (limit T, whose string) {
	if steps > 0 && (session == 0 || steps < session) {
		return steps, ", the limits of its steps together"
	}
	return session, ""
}

// mayBeRateLimited reports whether an agent of the plan can report that it is rate limited: a program
// cannot.
func mayBeRateLimited(p *mulligan.Plan) bool {
	return slices.ContainsFunc(stepAgents(p), func(name string) bool { return p.Agents[name].Type != "program" })
}

// agentBounds returns what bounds an agent itself, in each of its turns.
func agentBounds(p *mulligan.Plan) []string {
	var lines []string
	for _, name := range stepAgents(p) {
		spec := p.Agents[name]
		var terms []string
		if spec.MaxTurns > 0 {
			terms = append(terms, text.Count(spec.MaxTurns, "turn")+" of its own")
		}
		if spec.Timeout > 0 {
			terms = append(terms, FormatDuration(spec.Timeout))
		}
		if len(terms) > 0 {
			lines = append(lines, fmt.Sprintf("agent %s: at most %s in each turn", spec.Name, joinWords(terms)))
		}
	}
	return lines
}

// FormatDuration returns a duration without zeros at its end: 2h, 1h30m, 90s.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
