package plan

import (
	"fmt"

	"mulligan"
)

// Bounds says, line by line, how much a plan can come to at most, and what of it
// nothing will verify.
func Bounds(p *mulligan.Plan) []string {
	var lines []string
	for _, s := range p.Steps {
		lines = append(lines, turns(s, p.Limits))
		if len(s.Checks) == 0 {
			lines = append(lines, fmt.Sprintf("step %s has no check: its outcome will be accepted, not verified", s.Name))
		}
		if s.Timeout > 0 {
			lines = append(lines, fmt.Sprintf("at most %s in step %s, all attempts together", s.Timeout, s.Name))
		}
	}
	if p.Limits.Turns > 0 {
		lines = append(lines, fmt.Sprintf("at most %s in all", plural(p.Limits.Turns, "turn")))
	}
	if p.Limits.Duration > 0 {
		lines = append(lines, fmt.Sprintf("at most %s of turns and checks in all", p.Limits.Duration))
	}
	return lines
}

// turns bounds a step: every attempt that reaches its checks is one turn, and an agent
// that fails before them is taken again until it failed too often in a row.
func turns(s mulligan.Step, l mulligan.Limits) string {
	line := fmt.Sprintf("at most %s in step %s", plural(s.Retry+1, "turn"), s.Name)
	if l.FailedIterations > 1 {
		line += fmt.Sprintf(", and %d more before each where the agent itself fails (limits.failed_iterations: %d)", l.FailedIterations-1, l.FailedIterations)
	}
	return line
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
