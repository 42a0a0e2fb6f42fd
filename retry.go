package mulligan

import (
	"context"
	"slices"
)

// The strategies that are built in: how the next attempt at a step differs from the one that failed.
// A plan can define others.
const (
	StrategyRetry          = "retry" // as it is: the same conversation, with the evidence fed back
	StrategySimplifyPrompt = "simplify-prompt"
	StrategyReduceStories  = "reduce-stories"
	StrategySimplifyTests  = "simplify-tests"
	StrategyIncremental    = "incremental"
	StrategyAddContext     = "add-context" // with what earlier steps have left
	StrategyRollback       = "rollback"    // the step's files are put back first; a person has to agree
	StrategyFreshStart     = "fresh-start" // a new conversation, with notes of what was tried
	StrategyEscalate       = "escalate"    // another agent or model, which the plan defines
)

// AbortRecommended is what a policy recommends instead of a strategy where the step should not be
// tried again.
const AbortRecommended = "abort-recommended"

// The rules by which a policy decides.
const (
	RuleNever  = "never_retry" // the step is never tried again
	RuleBudget = "budget"      // its retries are used up
	RuleList   = "list"        // the next of the step's own strategies
	RuleLadder = "ladder"      // the next rung, since the same failure came again
	RulePlain  = "plain"       // nothing speaks for another strategy
	RuleFault  = "fault"       // the policy broke
	RuleLimit  = "limit"       // the loop's own bound
)

// A RetryPlan is how the steps of a plan are retried. A step's own budget is its Retry.
type RetryPlan struct {
	MaxRetries int     `json:"max_retries"`            // the budget of steps that have none of their own; 0 where the config has no adaptive_retry
	Window     int     `json:"window"`                 // how many past sessions count
	Reached    bool    `json:"reached,omitempty"`      // a step's rate is taken over the sessions that reached it, not over all
	Threshold  float64 `json:"high_failure_threshold"` // a rate above it is high
	// Wait has a session wait for a person's word where nobody is there to give it (auto: false).
	Wait       bool                    `json:"wait,omitempty"`
	Never      []string                `json:"never_retry,omitempty"` // steps
	Disabled   []string                `json:"disabled,omitempty"`    // strategies
	Strategies map[string][]string     `json:"strategies,omitempty"`  // by step, in order
	Define     map[string]StrategySpec `json:"define,omitempty"`
	// YesRollback is a person's yes, given beforehand, to every rollback that is recommended.
	YesRollback bool `json:"yes_rollback,omitempty"`
}

// A StrategySpec is a strategy of the user's own. The one named "escalate" is the last rung of the ladder.
type StrategySpec struct {
	Prepend string `json:"prepend,omitempty"` // before the prompt
	Append  string `json:"append,omitempty"`  // after it
	Agent   string `json:"agent,omitempty"`   // a key of Plan.Agents
	Model   string `json:"model,omitempty"`
	Fresh   bool   `json:"fresh,omitempty"` // begin a new conversation
	Run     string `json:"run,omitempty"`   // a shell command before the attempt, whose output the agent gets
}

// A Policy looks at how the attempts of a step and past sessions went and recommends how the next
// attempt differs. Its functions are pure; the limits are the loop's, so a policy that always retries
// is still stopped.
type Policy interface {
	// Recommend is called after an attempt that did not pass.
	Recommend(c RetryCase) Recommendation
	// Fingerprint returns what makes a failed attempt's failure the same as another's: which checks
	// and items failed, and the class of the error. It returns "" where the attempt has no evidence.
	Fingerprint(a AttemptState) string
}

// A RetryCase is what a policy looks at.
type RetryCase struct {
	Plan     *Plan
	Step     Step
	Attempts []AttemptState // at the step, in this run of it; the last one has failed
	Past     Past
	// Ruled are strategies that cannot be taken now: a rollback that nobody has agreed to.
	Ruled []string
}

// Used counts the attempts that reached a verdict. Those without one were the agent's failures, not the work's, and use up
// nothing.
func (c RetryCase) Used() int { return StepState{Attempts: c.Attempts}.Used() }

// IsSpent reports whether the step's retries are used up: `retry: N` is at most N+1 attempts. The iterations of a loop have
// no such budget.
func (c RetryCase) IsSpent() bool {
	return (c.Plan == nil || c.Plan.Loop == nil) && c.Used() > c.Step.Retry
}

// Past is what past sessions of the repository and pipeline tell of a step.
type Past struct {
	Sessions   int            `json:"sessions"` // in the window
	Reached    int            `json:"reached"`  // of these
	Failed     int            `json:"failed"`   // of these: the step ended unverified
	Strategies []StrategyPast `json:"strategies,omitempty"`
	// Problem is why nothing, or not everything, is known, in words for a person.
	Problem string `json:"problem,omitempty"`
}

// A StrategyPast is how often attempts with a strategy have passed at a step.
type StrategyPast struct {
	Name   string `json:"name"`
	Tried  int    `json:"tried"`
	Worked int    `json:"worked"`
}

// A Recommendation is a strategy with the figures behind it.
type Recommendation struct {
	Strategy string `json:"strategy"` // or AbortRecommended
	Reason   string `json:"reason"`   // one line for people
	Rule     string `json:"rule"`     // that decided
	// Used is how many attempts have reached a verdict, Budget how many retries the step has.
	Used   int `json:"used"`
	Budget int `json:"budget"`
	// Rate is the step's failure rate in the window, and Threshold what it is held against. Both are 0
	// where no session counts.
	Rate      float64 `json:"rate"`
	Threshold float64 `json:"threshold"`
	// Same is how often in a row the same failure has come, the last one included. Tried are the
	// strategies of the attempts that failed in this way.
	Same        int      `json:"same"`
	Tried       []string `json:"tried,omitempty"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	// Order is the order in which strategies are taken, and Entry the index in it of this one; none
	// where the rule has no order.
	Order []string `json:"order,omitempty"`
	Entry int      `json:"entry,omitempty"`
	// Exhausted is set where every rung of the order has been tried on this same failure.
	Exhausted bool `json:"exhausted,omitempty"`
	Past      Past `json:"past,omitzero"`
}

// Plain reports whether the recommendation is the plain retry, about which nobody is asked.
func (r Recommendation) Plain() bool { return r.Strategy == StrategyRetry }

// A PastQuestion asks what past sessions tell of a step.
type PastQuestion struct {
	Root     string // of the repository
	Pipeline string // or a loop's name
	Step     string
	Window   int
	Session  string // the one that asks, which does not count
}

// Pasts answers questions about past sessions. What it cannot tell is in Past.Problem.
type Pasts func(ctx context.Context, q PastQuestion) Past

// What a person can choose besides a strategy.
const (
	ChoiceYes   = "y"
	ChoiceNo    = "n"
	ChoiceSkip  = "skip"
	ChoiceAbort = "abort"
)

// BeginsFresh reports whether a strategy begins a new conversation.
func (p *Plan) BeginsFresh(strategy string) bool {
	spec := p.StrategyNamed(strategy)
	return strategy == StrategyFreshStart || spec.Fresh || spec.Agent != "" || spec.Model != ""
}

// HasStrategy reports whether a strategy can be taken under the plan.
func (p *Plan) HasStrategy(name string) bool {
	switch name {
	case StrategyRetry:
		return true
	case StrategySimplifyPrompt, StrategyReduceStories, StrategySimplifyTests, StrategyIncremental, StrategyAddContext, StrategyRollback, StrategyFreshStart:
		return p.Retry == nil || !slices.Contains(p.Retry.Disabled, name)
	}
	if p.Retry == nil {
		return false
	}
	_, defined := p.Retry.Define[name]
	return defined && !slices.Contains(p.Retry.Disabled, name)
}

// StrategyNamed returns what the plan defines for a strategy.
func (p *Plan) StrategyNamed(name string) StrategySpec {
	if p.Retry == nil {
		return StrategySpec{}
	}
	return p.Retry.Define[name]
}
