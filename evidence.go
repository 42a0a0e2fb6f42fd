package mulligan

import (
	"fmt"
	"time"

	"mulligan/internal/text"
)

// GateEvidence is what a gate that a step has passed rests on.
type GateEvidence struct {
	Gate     string        `json:"gate"`
	Summary  string        `json:"summary,omitempty"`
	Exit     string        `json:"exit,omitempty"`
	Counts   Counts        `json:"counts,omitzero"`
	Duration time.Duration `json:"duration,omitempty"`
	Output   string        `json:"output,omitempty"` // path of the whole output
	// Flaky is how often it failed on the same tree before it passed.
	Flaky int `json:"flaky,omitempty"`
	// Baseline is how it relates to what failed before the first attempt, nil if that was not looked for.
	Baseline *Comparison `json:"baseline,omitempty"`
}

// NewEvidence returns the evidence of the gates of those names, of which the verdicts have the newest.
func NewEvidence(gates []string, verdicts []Verdict) []GateEvidence {
	var list []GateEvidence
	for _, name := range gates {
		e := GateEvidence{Gate: name}
		for _, v := range verdicts {
			if v.Gate != name || v.Status != Pass {
				continue
			}
			e = GateEvidence{Gate: name, Summary: v.Summary, Duration: v.Duration, Flaky: v.Flaky, Baseline: v.Baseline}
			if f := v.Finding; f != nil {
				e.Exit, e.Counts, e.Output = f.Exit, f.Counts, f.Whole
			}
		}
		list = append(list, e)
	}
	return list
}

// Caveats returns what a person should know of a gate that passed, a sentence each: that it is flaky, that
// failures of before were let pass, that fewer tests ran than before.
func (e GateEvidence) Caveats() []string {
	var list []string
	if e.Flaky > 0 {
		list = append(list, fmt.Sprintf("check %q is flaky: it failed %s on the same files before it passed", e.Gate, text.Times(e.Flaky)))
	}
	if b := e.Baseline; b != nil {
		if len(b.Old) > 0 {
			list = append(list, fmt.Sprintf("check %q: %s before the first attempt", e.Gate, WereThere(len(b.Old))))
		}
		if b.Fewer > 0 {
			list = append(list, fmt.Sprintf("check %q ran %s fewer than before the first attempt", e.Gate, text.Count(b.Fewer, "test")))
		}
	}
	return list
}

// A Comparison is how the failures of a check relate to those that it had before the first attempt.
type Comparison struct {
	Old   []string `json:"old,omitempty"`   // failed before already
	New   []string `json:"new,omitempty"`   // did not
	Fixed int      `json:"fixed,omitempty"` // failed before, and do not fail any more
	// Untold is why they cannot be told apart, "" where they can. All of them count then.
	Untold string `json:"untold,omitempty"`
	// Fewer is by how many the tests that ran are fewer than before.
	Fewer int `json:"fewer,omitempty"`
}

// WereThere returns the words about failures that a baseline excuses.
func WereThere(n int) string {
	if n == 1 {
		return "1 failure was there"
	}
	return fmt.Sprintf("%s were there", text.Count(n, "failure"))
}
