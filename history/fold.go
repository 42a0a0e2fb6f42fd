package history

import (
	"cmp"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// maxReason is how many characters of an outcome's reason are kept.
const maxReason = 300

// A Fold makes the record of a session of its events. The zero value is ready for use.
type Fold struct {
	state   state.State
	session Session
	steps   map[string]*stepFold
	checks  Checks
	hooks   Hooks
	// by is who made the last decision.
	by string
}

// A stepFold is what the fold knows of a step besides its state.
type stepFold struct {
	attempts int
	retries  []Retry
	worked   time.Duration // over all runs of the task
	// current is the number of the attempt under way or the last one, 0 before the first one of a run.
	current int
	// retry is the index in retries of that attempt, -1 if it is none.
	retry int
	time  Times
	// agents are those that have taken turns, in the order of their first; agent and model are of the last turn.
	agents       []AgentUse
	strategy     string
	agent, model string
}

// Apply takes in the next event. After an error, which names what cannot follow, the record is that of
// the events before.
func (f *Fold) Apply(e mulligan.Event) error {
	tree := f.state.Tree.ID // what a gate that ends now has examined
	worked := f.state.Worked
	if err := f.state.Apply(e); err != nil {
		return err
	}
	if took := f.state.Worked - worked; took > 0 && f.state.Step < len(f.state.Steps) {
		f.stepOf(f.state.Steps[f.state.Step].Name).worked += took
	}
	f.hooks.Apply(e)
	f.checks.Apply(e, tree)
	if f.state.Step < len(f.state.Steps) {
		f.stepOf(f.state.Steps[f.state.Step].Name).addTime(e.Body, f.state.Plan)
	}
	switch b := e.Body.(type) {
	case mulligan.SessionResumed:
		f.session.Resumes++
		f.session.Finished = time.Time{}
		if b.Again {
			for _, step := range f.steps {
				step.current, step.retry = 0, -1
			}
		}
	case mulligan.Decided:
		f.by = b.By
	case mulligan.AttemptStarted:
		f.startAttempt(b)
	case mulligan.AttemptEnded:
		f.endAttempt(b)
	case mulligan.SessionEnded:
		f.session.Finished = e.Time
	}
	return nil
}

// stepOf returns what is known of a step, new if nothing is.
func (f *Fold) stepOf(name string) *stepFold {
	if f.steps == nil {
		f.steps = map[string]*stepFold{}
	}
	if f.steps[name] == nil {
		f.steps[name] = &stepFold{retry: -1}
	}
	return f.steps[name]
}

// startAttempt counts an attempt. One that the agent failed is taken again under its number, and is the
// same.
func (f *Fold) startAttempt(b mulligan.AttemptStarted) {
	step := f.stepOf(b.Step)
	if b.Attempt == step.current {
		return
	}
	again := step.current > 0 && f.state.Plan.Loop == nil
	step.current, step.retry = b.Attempt, -1
	step.attempts++
	strategy := b.Strategy
	if again { // journals of old do not name the plain one
		strategy = cmp.Or(strategy, mulligan.StrategyRetry)
	}
	if strategy != "" {
		step.retry = len(step.retries)
		step.retries = append(step.retries, Retry{Attempt: b.Attempt, Strategy: strategy, By: f.by})
	}
}

// endAttempt records what an attempt came to. Its gates may have begun again since it ended before.
func (f *Fold) endAttempt(b mulligan.AttemptEnded) {
	f.hooks.endAttempt(b.Counted && b.Status == mulligan.Pass)
	step := f.stepOf(b.Step)
	if step.retry < 0 || !b.Counted {
		return
	}
	step.retries[step.retry].Outcome, step.retries[step.retry].Fingerprint = b.Status, b.Fingerprint
}

// Record returns the session's record so far.
func (f *Fold) Record() Session {
	s, state := f.session, &f.state
	s.ID, s.Events, s.Root, s.Started = state.ID, state.Last, state.Place.Root, state.Started
	s.Iterations, s.Worked = state.Iteration, state.Worked
	s.Turns, s.Judged, s.Usage, s.BilledUSD = state.Spent.Turns, state.Spent.Judged, state.Spent.Usage, state.Spent.Billed
	if state.Plan != nil {
		s.Pipeline, s.Name, s.Task = state.Plan.Pipeline, state.Plan.Name(), state.Plan.Task.Label()
	}
	if o := state.Outcome; o != nil {
		s.Ended, s.Reason, s.Step = o.Ended, text.Clip(text.OneLine(o.Reason), maxReason), o.Step
	}
	s.Steps = make([]Step, 0, len(state.Steps))
	for _, step := range state.Steps {
		s.Steps = append(s.Steps, f.recordStep(step))
	}
	s.Checks, s.Hooks = f.checks.runs(), f.hooks.runs()
	return s
}

// recordStep returns the record of a step.
func (f *Fold) recordStep(step mulligan.StepState) Step {
	known := f.stepOf(step.Name)
	return Step{
		Name: step.Name, Status: statusOf(step.Status), Attempts: known.attempts, Retries: known.retries,
		Turns: step.Spent.Turns, Worked: known.worked, Usage: step.Spent.Usage, BilledUSD: step.Spent.Billed,
		Time: known.time, Agents: known.agents,
	}
}

// statusOf returns what became of a step whose state has a status.
func statusOf(status string) StepStatus {
	switch status {
	case mulligan.StatusOpen:
		return StepUnreached
	case mulligan.StatusRunning:
		return StepOpen
	default:
		return StepStatus(status)
	}
}
