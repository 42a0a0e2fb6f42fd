package mulligan

import (
	"context"
	"io"
	"slices"
	"time"
)

// A Judge has an agent decide a question. It never fails: what kept the agent from deciding is the
// judgement's Broken. When ctx ends before it is done, it returns a judgement that the caller, who
// ended ctx, does not use.
type Judge interface {
	Decide(ctx context.Context, c Case) Judgement
}

// A Case is what a judge decides about.
type Case struct {
	Session   string
	Step      string // "" where the case belongs to no step
	Attempt   int
	Iteration int
	Agent     string     // who judges: a name of Plan.Agents
	Model     string     // over the agent's own; "" where nothing says
	Question  string     // what is to be decided, in the user's or mulligan's own words: the judge trusts it
	Evidence  []Evidence // what it is decided by: the judged may have written all of it
	Timeout   time.Duration
	BudgetUSD float64   // as Turn has it
	Log       io.Writer // what the judge prints, as it comes; nil: nowhere
}

// Evidence is a text that a judge is shown and does not trust, neither its title nor its content.
type Evidence struct {
	Title, Text string
	// Missing is how much of the text its giver has left out at the end, in bytes or characters: the judge
	// is told, in words that the evidence cannot forge.
	Missing int
}

// A Judgement is what a judge decided.
type Judgement struct {
	OK     bool
	Reason string // at most MaxJudgeReason characters
	Broken string // why there is no decision; "" if there is one
	Usage  *Usage // what the judge's turn used; nil where it took none
}

// MaxJudgeReason is how many characters a judge's reason has at most.
const MaxJudgeReason = 8000

// A Diff is what differs between two trees.
type Diff struct {
	Paths []string // as Workspace.Changed lists them; not all of them if All is more
	All   int
	Patch string // as git prints it
	Cut   int    // how many bytes at the end of the patch are missing
}

// IsJudge reports whether an agent decides the check.
func (c CheckSpec) IsJudge() bool { return c.Agent != "" }

// JudgesLast returns checks in their order, those that an agent decides after all others: what a
// command can tell is told first, and costs nothing.
func JudgesLast(checks []CheckSpec) []CheckSpec {
	ordered := slices.Clone(checks)
	slices.SortStableFunc(ordered, func(a, b CheckSpec) int {
		switch {
		case a.IsJudge() == b.IsJudge():
			return 0
		case a.IsJudge():
			return 1
		}
		return -1
	})
	return ordered
}
