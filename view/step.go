package view

import (
	"fmt"
	"slices"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

// A Step is one line of a session's progress.
type Step struct {
	Name     string
	Status   StepStatus
	Attempt  int // the one under way, or the last; 0 before the first
	Max      int // attempts that there may be
	Earlier  int // attempts before the task was run again
	Strategy string
	Commit   string
	Waived   []string // what was waived in the last attempt
	Elapsed  time.Duration
	Checks   []Check // of the last attempt
	Limits   mulligan.Budget
	Spent    mulligan.Spending // of those limits
}

// StepStatus is how far a step is.
type StepStatus string

const (
	Open     StepStatus = "open"
	Running  StepStatus = "running"
	Verified StepStatus = "verified"
	Accepted StepStatus = "accepted"
	Failed   StepStatus = "failed"
	Skipped  StepStatus = "skipped"
)

// Done reports whether the step needs no more work.
func (s StepStatus) Done() bool { return s == Verified || s == Accepted }

// A Check is a gate of a step, as the last attempt met it.
type Check struct {
	Name    string
	Final   bool // only a claim of completion has to pass it
	Running bool
	Status  mulligan.Status // "" before its verdict
	Flaky   bool            // it failed on the same files before it passed
}

// AttemptOf returns "attempt 2 of 4", or "attempt 1" if the step may have no other, or a person gave it
// more than it may have.
func (s Step) AttemptOf() string {
	if s.Max <= 1 || s.Attempt > s.Max {
		return fmt.Sprintf("attempt %d", s.Attempt)
	}
	return fmt.Sprintf("attempt %d of %d", s.Attempt, s.Max)
}

// AcceptedWords returns why the step's work is accepted and not verified.
func (s Step) AcceptedWords() string {
	if len(s.Waived) == 0 {
		return "nothing checked it"
	}
	return "a hook was waived"
}

// Budget returns what the step has spent of its limits: "2 of 3 turns, $0.60 of $1.00"; "" if it has
// none.
func (s Step) Budget() string {
	var turns, tokens, cost string
	if l := s.Limits.Turns; l > 0 {
		turns = fmt.Sprintf("%d of %s", s.Spent.Turns+s.Spent.Judged, text.Count(l, "turn"))
	}
	if l := s.Limits.Tokens; l > 0 {
		used := s.Spent.Usage.InputTokens + s.Spent.Usage.OutputTokens
		tokens = fmt.Sprintf("%s of %s tokens", formatThousands(used), formatThousands(l))
	}
	if l := s.Limits.CostUSD; l > 0 {
		cost = fmt.Sprintf("$%.2f of $%.2f", s.Spent.Billed, l)
	}
	return Join(", ", turns, tokens, cost)
}

// A trackedStep is what the tracker notes of a step.
type trackedStep struct {
	name   string
	clock  stopwatch
	checks []Check // of the last attempt
	commit string  // of the last iteration that was kept
}

// trackPlan begins to track the steps of the session's plan. The steps before index from keep what
// was noted of them, but for their time.
func (m *Model) trackPlan(from int) {
	m.start, m.guardStale = describeStart(&m.state), true
	before := m.steps
	m.steps = make([]trackedStep, len(m.start.Steps))
	for i, step := range m.start.Steps {
		m.steps[i] = trackedStep{name: step.Name, checks: slices.Clone(step.Checks)}
		old := slices.IndexFunc(before, func(s trackedStep) bool { return s.name == step.Name })
		if i < from && old >= 0 {
			m.steps[i].checks, m.steps[i].commit = before[old].checks, before[old].commit
		}
	}
}

// currentStep returns the step that is under way, or was last; before the first a step of no session.
func (m *Model) currentStep() *trackedStep {
	if i := currentStep(&m.state); i >= 0 {
		return &m.steps[i]
	}
	return &trackedStep{}
}

// resetChecks makes the checks those of a new attempt.
func (s *trackedStep) resetChecks() {
	for i, c := range s.checks {
		s.checks[i] = Check{Name: c.Name, Final: c.Final}
	}
}

// trackGate notes that a check runs.
func (m *Model) trackGate(b mulligan.GateStarted, at time.Time) {
	m.startActivity(Activity{Kind: OfCheck, Name: Line(b.Gate), Since: at})
	c := m.findCheck(b.Index, b.Gate)
	*c = Check{Name: Line(b.Gate), Final: c.Final, Running: true}
}

// trackVerdict notes a check's verdict. One that did not pass is the evidence from now on.
func (m *Model) trackVerdict(b mulligan.GateEnded) {
	m.stopActivity()
	v := b.Verdict
	c := m.findCheck(b.Index, v.Gate)
	*c = Check{Name: Line(v.Gate), Final: c.Final, Status: cleanValue(v.Status), Flaky: v.Flaky > 0}
	if v.Flaky > 0 {
		m.evidence = evidence{} // the run that failed was repeated, and fails nothing
	}
	if v.Status != mulligan.Pass && endingOf(&m.state) == nil {
		m.evidence = evidence{verdict: &v}
	}
}

// findCheck returns the current step's check at an index; gates that the plan does not list come after
// those that it does. The checks of a final delivery belong to no attempt: for them it returns a check of
// no step.
func (m *Model) findCheck(index int, name string) *Check {
	step := m.currentStep()
	if index < 0 || endingOf(&m.state) != nil {
		return &Check{}
	}
	if index >= len(step.checks) {
		index = len(step.checks)
		if index > 0 && step.checks[index-1].Name == Line(name) {
			return &step.checks[index-1]
		}
		step.checks = append(step.checks, Check{Name: Line(name)})
	}
	return &step.checks[index]
}
