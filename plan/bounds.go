package plan

import (
	"fmt"
	"slices"

	"mulligan"
	"mulligan/internal/text"
)

// Bounds returns, line by line, how much a plan can come to at most, and what of it nothing will
// verify.
func Bounds(p *mulligan.Plan) []string {
	lines := stepBounds(p)
	if p.Loop != nil {
		lines = []string{boundIterations(p)}
	}
	return slices.Concat(lines, boundExtraTurns(p), judgeBounds(p), agentBounds(p), limitBounds(p))
}

func stepBounds(p *mulligan.Plan) []string {
	var lines []string
	for _, s := range p.Steps {
		lines = append(lines, boundTurns(s, p))
		if len(s.Checks) == 0 && !hasStopHooks(p) {
			lines = append(lines, fmt.Sprintf("step %s has no check: its outcome will be accepted, not verified", s.Name))
		}
		if s.Timeout > 0 {
			lines = append(lines, fmt.Sprintf("at most %s in step %s, all attempts together", FormatDuration(s.Timeout), s.Name))
		}
		if s.Limits.Tokens > 0 {
			lines = append(lines, fmt.Sprintf("at most %d tokens in step %s, counted after each turn", s.Limits.Tokens, s.Name))
		}
		if s.Limits.CostUSD > 0 {
			lines = append(lines, fmt.Sprintf("at most $%.2f in step %s, as billed, counted after each turn", s.Limits.CostUSD, s.Name))
		}
	}
	return lines
}

// boundIterations returns the bound of a loop: each iteration is one turn, also if the agent itself
// fails, and those that Stop hooks add.
func boundIterations(p *mulligan.Plan) string {
	each := "of one turn each"
	if more := maxHookRetries(p); more > 0 {
		each = fmt.Sprintf("of up to %s each (max_hook_retries: %d)", text.Count(more+1, "turn"), more)
	}
	if p.Loop.Iterations == 0 {
		return "as many iterations " + each + " as the limits below allow"
	}
	return fmt.Sprintf("at most %s %s", text.Count(p.Loop.Iterations, "iteration"), each)
}

// boundExtraTurns returns the bounds of the turns that hooks bring about, besides the attempts.
func boundExtraTurns(p *mulligan.Plan) []string {
	var lines []string
	if slices.ContainsFunc(p.Hooks[mulligan.PostIteration], func(h mulligan.HookSpec) bool { return h.Now }) {
		lines = append(lines, "one more turn in each iteration for hooks that deliver now")
	}
	if hasPipedHook(p, mulligan.OnError) {
		lines = append(lines, "one more turn after each turn that failed, for the output of on_error hooks")
	}
	if mayDeliver(p) {
		line := "one more turn at the end for what is still pending"
		if p.Limits.FinalTimeout > 0 {
			line += ", of at most " + FormatDuration(p.Limits.FinalTimeout)
		}
		lines = append(lines, line)
	}
	if more := maxHookRetries(p); more > 0 && len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("up to %s after each of these, for Stop hooks", text.Count(more, "more turn")))
	}
	return lines
}

// mayDeliver reports whether something may be left for a last turn of its own.
func mayDeliver(p *mulligan.Plan) bool {
	return hasPipedHook(p, mulligan.SessionStart, mulligan.PostIteration, mulligan.OnTaskComplete)
}

// boundTurns returns the bound of a step: every attempt that reaches its checks is one turn and those
// that Stop hooks add, and an agent that fails before them is started again until it failed too often
// in a row. The step's own limit bounds all of these together.
func boundTurns(s mulligan.Step, p *mulligan.Plan) string {
	more := maxHookRetries(p)
	most, limit := (maxRetries(s, p)+1)*(more+1), s.Limits.Turns
	if limit > 0 && limit <= most {
		return fmt.Sprintf("at most %s in step %s (its limits.turns)", text.Count(limit, "turn"), s.Name)
	}
	line := fmt.Sprintf("at most %s in step %s", text.Count(most, "turn"), s.Name)
	if more > 0 {
		line += fmt.Sprintf(", up to %d in each attempt (max_hook_retries: %d)", more+1, more)
	}
	if l := p.Limits; l.FailedIterations > 1 {
		line += fmt.Sprintf(", and %d more before each where the agent itself fails (limits.failed_iterations: %d)", l.FailedIterations-1, l.FailedIterations)
		if limit > 0 {
			line += fmt.Sprintf("; never more than %d (its limits.turns)", limit)
		}
	}
	return line
}
