package mulligan

import "time"

// What has become of a step.
const (
	StatusOpen     = ""
	StatusRunning  = "running"
	StatusVerified = "verified"
	StatusAccepted = "accepted"
	StatusFailed   = "failed"
	StatusSkipped  = "skipped" // a person had its changes put back, and the next step run
)

// StepState is a step as its events tell it.
type StepState struct {
	Name   string
	Status string
	// Agent and Model are those that a strategy named, "" where the plan's hold.
	Agent, Model string
	Commit       string
	// Base is what its first attempt found, also one that the agent failed, or that was made before `run`
	// was given again.
	Base   Tree
	Tree   Tree
	By     []string
	Worked time.Duration
	// Spent is over all runs of the step, SpentBefore the part before `run` was given again.
	Spent       Spending
	SpentBefore Spending
	Waived      []string
	Attempts    []AttemptState // of the present run of the step
	Earlier     int            // attempts of runs before `run` was given again
	// Before is the last attempt that was examined before `run` was given again, or nil if there is
	// none: the first prompt carries its evidence.
	Before *AttemptState
	// Baseline is what the checks found before the first attempt, nil if they were not run then.
	Baseline *BaselineState
	// Gates is what the gates rest on that the step has passed.
	Gates []GateEvidence
}

// AttemptState is one attempt as its events tell it. An attempt that the agent failed is taken
// again under the same number, and then the last taking is what counts.
type AttemptState struct {
	Number    int
	Iteration int
	Strategy  string
	Snapshot  Tree
	Result    Result
	Verdicts  []Verdict
	Status    Status // "" while it is under way
	Reason    string
	// Fingerprint is what makes its failure the same as another's.
	Fingerprint string
	// RolledBack is the snapshot that has what a rollback before it took away, "" where none did.
	RolledBack string
	// CompletedTask is set once a task was completed in it.
	CompletedTask bool
	// Left is what its turn left, before anything was put back.
	Left    Tree
	Claimed bool     // the agent said in it that the session is complete
	Waived  []string // what was waived: its work is accepted, not verified
}

// EndedWith returns the attempt as it is once it has ended so.
func (a AttemptState) EndedWith(status Status, reason string) AttemptState {
	a.Status, a.Reason = status, reason
	return a
}

// Last returns the verdict that ended the attempt, or nil if no gate was reached.
func (a AttemptState) Last() *Verdict {
	if len(a.Verdicts) == 0 {
		return nil
	}
	return &a.Verdicts[len(a.Verdicts)-1]
}

// Examined returns the last attempt that reached a verdict, and the one before it, of which each may be
// nil. Both may be of the run before.
func (s StepState) Examined() (last, previous *AttemptState) {
	last = s.Before
	for i := range s.Attempts {
		if s.Attempts[i].Status != "" {
			last, previous = &s.Attempts[i], last
		}
	}
	return last, previous
}

// Used counts the attempts that reached a verdict.
func (s StepState) Used() int {
	n := 0
	for _, a := range s.Attempts {
		if a.Status != "" {
			n++
		}
	}
	return n
}

// Done reports whether nothing is left to do for the step.
func (s StepState) Done() bool {
	return s.Status == StatusVerified || s.Status == StatusAccepted
}

// Spending returns what the limits of the step count.
func (s StepState) Spending() Spending { return s.Spent.Since(s.SpentBefore) }

// BaselineState is what a step's checks found before its first attempt.
type BaselineState struct {
	Tree     Tree // the workspace that they examined
	Verdicts []Verdict
	// Next is the index of the next check to run.
	Next int
}

// IsComplete reports whether every check has run that is to.
func (b *BaselineState) IsComplete(step *Step) bool { return b != nil && b.Next >= len(step.Checks) }

// Find returns the verdict of a check, or nil if the check was not run.
func (b *BaselineState) Find(check string) *Verdict {
	if b == nil {
		return nil
	}
	for _, v := range b.Verdicts {
		if v.Gate == check {
			return &v
		}
	}
	return nil
}
