package state

import "mulligan"

// Summary returns the state in a few words.
func (s *State) Summary() mulligan.Summary {
	sum := mulligan.Summary{
		ID: s.ID, Started: s.Started, Updated: s.Updated, PID: s.PID,
		Dir: s.Place.Dir, Root: s.Place.Root, Branch: s.Place.Branch,
		Steps: len(s.Steps), Phase: s.AttemptProgress().Phase, Commit: s.Head, Events: s.Last, Iteration: s.Iteration,
	}
	if s.Plan != nil {
		sum.Task, sum.TaskHash, sum.Folder = s.Plan.Task.Label(), mulligan.TaskHash(s.Plan.Task.Text), s.Plan.Task.Folder
		sum.Pipeline, sum.Name = s.Plan.Pipeline, s.Plan.Name()
	}
	if s.Step < len(s.Steps) {
		sum.Step, sum.StepNo = s.Steps[s.Step].Name, s.Step+1
		if a := s.CurrentAttempt(); a != nil {
			sum.Attempt = a.Number
		}
	}
	if s.Outcome == nil {
		sum.Asks, sum.LimitedUntil = len(s.OpenQuestions()) > 0, s.RateLimit.Until
	}
	sum.Guard = s.Guard.Conversation != ""
	if s.Outcome != nil {
		sum.Ended, sum.Reason, sum.OverLimit = s.Outcome.Ended, s.Outcome.Reason, len(s.Outcome.Over) > 0
	}
	return sum
}
