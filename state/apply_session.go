package state

import (
	"slices"

	"mulligan"
)

func (s *State) applySessionStarted(e mulligan.Event, b mulligan.SessionStarted) {
	s.ID, s.Started = e.Session, e.Time
	s.Version, s.PID, s.Plan, s.Place = b.Version, b.PID, b.Plan, b.Place
	s.Phase, s.Head = mulligan.Starting, b.Place.Base
	s.Steps = newSteps(b.Plan)
}

func newSteps(p *mulligan.Plan) []mulligan.StepState {
	steps := make([]mulligan.StepState, len(p.Steps))
	for i, step := range p.Steps {
		steps[i].Name = step.Name
	}
	return steps
}

func (s *State) applySessionResumed(b mulligan.SessionResumed) {
	s.forgetLastStraw()
	tree := b.Tree
	if tree.ID == "" && s.Outcome != nil {
		tree = s.Outcome.Left
	}
	s.Version, s.PID, s.Outcome, s.Pausing, s.FolderNoticed = b.Version, b.PID, nil, "", false
	if b.Head != "" {
		s.Head = b.Head
	}
	if b.Committed.ID != "" {
		s.CommittedTree, s.Base = b.Committed, b.Committed
	}
	if b.Place != nil { // it has another proof
		s.Place, s.AttemptProgress().Examination = *b.Place, Examination{}
	}
	switch {
	case b.Again:
		s.runAgain(b)
	case s.EndsInterrupted() && b.CutShort:
		s.Phase = mulligan.Abandoning
	case s.EndsInterrupted(): // killed while it ended in order: it continues instead
		s.leaveEnding()
	}
	if !b.Again && b.Plan != nil {
		s.changePlan(b.Plan)
	}
	if b.Again || b.Plan != nil || b.Head != "" || b.Tree.ID != "" {
		s.forgetPartialBaseline()
	}
	if b.Tree.ID != "" {
		s.continueOn(b.Tree)
	}
	if tree.ID != "" && (s.Phase == mulligan.Choosing || s.Phase == mulligan.Preparing) {
		s.Tree = tree // where no attempt is under way, the next process continues from it too
	}
}

// continueOn makes a tree that has a person's work the one that a resumed session continues with. Gates
// that passed before have not seen that work.
func (s *State) continueOn(tree mulligan.Tree) {
	p := s.AttemptProgress()
	if p.Phase == mulligan.Keeping {
		p.Phase, p.Committing = mulligan.Examining, nil
		if a := s.CurrentAttempt(); a != nil {
			a.Status = ""
		}
	}
	p.continueFrom(tree, true, s.HasStopHooks())
}

// changePlan takes a corrected plan in. It holds for the steps that are not verified yet; what is under
// way continues where the plan is as it was.
func (s *State) changePlan(p *mulligan.Plan) {
	was, old := s.currentStepOrNil(), s.Steps
	name := ""
	if was != nil {
		name = was.Name
	}
	s.Plan, s.Steps = p, newSteps(p)
	for i := range s.Steps {
		if at := slices.IndexFunc(old, func(o mulligan.StepState) bool { return o.Name == s.Steps[i].Name }); at >= 0 {
			s.Steps[i] = old[at]
		}
	}
	s.forgetRetry(name)
	progress := s.AttemptProgress()
	at := slices.IndexFunc(s.Steps, func(step mulligan.StepState) bool { return step.Name == name })
	if at < 0 {
		s.Step = 0
		if was != nil {
			progress.InFlight, progress.Phase = nil, mulligan.Choosing
		}
		return
	}
	s.Step = at
	now := s.CurrentStep()
	changed := was.Agent != now.Agent || was.Model != now.Model || was.Prompt != now.Prompt
	if s.leaveGoneAgent() || changed {
		s.Conversation = ""
		if progress.InFlight != nil && progress.InFlight.Purpose == mulligan.ForAttempt {
			progress.InFlight, progress.Phase, progress.NextHook = nil, mulligan.Opening, 0
		}
	}
	if progress.Phase == mulligan.Examining {
		progress.Examination = Examination{}
	}
}

// forgetRetry takes back what was recommended and decided for the step of that name, where a corrected plan
// has no such step, or no such strategy.
func (s *State) forgetRetry(name string) {
	hasStep := slices.ContainsFunc(s.Steps, func(step mulligan.StepState) bool { return step.Name == name })
	if r := s.Recommended; r != nil && (!hasStep || r.Strategy != mulligan.AbortRecommended && !s.Plan.HasStrategy(r.Strategy)) {
		s.Recommended = nil
	}
	if d := s.Decision.Strategy; d != "" && d != mulligan.ChoiceSkip && !s.Plan.HasStrategy(d) {
		s.Decision.Strategy = mulligan.StrategyRetry
	}
}

// leaveGoneAgent has the current step continue with its own agent, if a strategy gave it to one that the
// corrected plan does not have. It reports whether it did.
func (s *State) leaveGoneAgent() bool {
	step := s.StepState()
	if _, known := s.Plan.Agents[step.Agent]; known || step.Agent == "" {
		return false
	}
	step.Agent, step.Model = "", ""
	return true
}

func (s *State) currentStepOrNil() *mulligan.Step {
	if s.Step >= len(s.Plan.Steps) || s.Steps[s.Step].Status == mulligan.StatusOpen {
		return nil
	}
	return s.CurrentStep()
}

// forgetLastStraw resets the counter that ended the session, which would end it again at once. The
// others stay as they were.
func (s *State) forgetLastStraw() {
	switch {
	case s.Outcome == nil:
	case s.Outcome.Ended == mulligan.AgentUnavailable:
		s.FailedRow = 0
	case s.Outcome.Ended == mulligan.GateBroken:
		s.Examination.Try, s.StopHooks.Try = 0, 0
	}
}

// runAgain takes the session back to step b.From, under the plan of b. The steps before it stay
// as they are; the limits begin anew.
func (s *State) runAgain(b mulligan.SessionResumed) {
	s.leaveEnding()
	s.keepUndelivered()
	if b.Plan != nil {
		s.Plan = b.Plan
	}
	old := s.Steps
	s.Steps = newSteps(s.Plan)
	for i := range s.Steps {
		step := &s.Steps[i]
		at := slices.IndexFunc(old, func(was mulligan.StepState) bool { return was.Name == step.Name })
		switch {
		case at < 0:
		case i < b.From:
			*step = old[at]
		default:
			step.Earlier = old[at].Earlier + old[at].Used()
			if !old[at].Done() {
				step.Base = old[at].Base // what its attempts have left is still there
				step.Baseline = old[at].Baseline
			}
			if last, _ := old[at].Examined(); last != nil && !old[at].Done() {
				before := *last
				step.Before = &before
			}
			step.Spent, step.SpentBefore = old[at].Spent, old[at].Spent
		}
	}
	s.Step, s.FailedRow, s.Conversation, s.Decision, s.Recommended = b.From, 0, "", mulligan.Decision{}, nil
	s.Phase, s.InFlight, s.Committing, s.NextHook = mulligan.Choosing, nil, nil, 0
	s.Examination, s.Kept = Examination{}, nil
	s.MomentPieces, s.Round, s.Failure, s.Claim = nil, nil, nil, nil
	s.SpentBefore, s.WorkedBefore, s.IterationsBefore, s.RateLimit.Waited = s.Spent, s.Worked, s.Iteration, 0
}

func (s *State) applyStepStarted(b mulligan.StepStarted) {
	s.Step, s.Conversation, s.Decision = b.Index, "", mulligan.Decision{}
	s.Phase, s.NextHook = mulligan.Preparing, 0
	s.Steps[b.Index].Status = mulligan.StatusRunning
}

func (s *State) applyStepVerified(b mulligan.StepVerified) {
	step := &s.Steps[s.Step]
	step.Status, step.Commit, step.Tree, step.By, step.Waived = mulligan.StatusVerified, b.Commit, b.Tree, b.By, b.Waived
	if b.Accepted {
		step.Status = mulligan.StatusAccepted
	}
	if a := s.CurrentAttempt(); a != nil {
		step.Gates = mulligan.NewEvidence(b.By, a.Verdicts)
	}
	s.recordCommit(b.Tree, b.Commit)
	s.Phase, s.Conversation, s.Kept = mulligan.Choosing, "", nil
	if b.Step == s.Plan.PauseAfter {
		s.Pausing = "after step " + b.Step
	}
}

func (s *State) applyStepSkipped(b mulligan.StepSkipped) {
	s.Steps[s.Step].Status = mulligan.StatusSkipped
	s.Tree = b.Tree
	s.Phase, s.Conversation, s.Kept, s.Recommended = mulligan.Choosing, "", nil, nil
}

// recordCommit records what the last commit has.
func (s *State) recordCommit(tree mulligan.Tree, commit string) {
	s.Committing = nil
	if s.Plan.Git.Commit {
		s.CommittedTree = tree
	}
	if commit != "" {
		s.Head = commit
	}
}
