// Package view makes snapshots of a session for people: of the session's own state, and of a tracker
// of what only a viewer needs. A view is a function over snapshots: it looks at nothing else, and
// every text in a snapshot is already fit for a terminal.
package view

import (
	"fmt"
	"slices"
	"time"

	"mulligan"
)

// A Snapshot is a session as a view shows it at one moment.
type Snapshot struct {
	Session  string
	Task     string
	Folder   string // the folder that was run, "" if a file was
	InFolder string // "2 of 3": which of the folder's tasks it is; "" if that is not known
	Pipeline string
	// Flags are those that the pipeline was made of, as a shell reads them, "" if it is one of the config;
	// FromStdin means that Task is not the whole text of the task, which has to be given again.
	Flags     string
	FromStdin bool
	Place     mulligan.Place
	Commits   bool // verified steps are committed
	PID       int
	Stopping  bool    // a person has stopped the session, and it ends what runs; set by the caller
	Gone      bool    // that process is no more; set by the caller, since the journal cannot tell
	Aside     []Aside // what the session has put aside; set by the caller too
	// Touched is what a session that is not over has touched so far; nil if that is not known; set by the caller too
	Touched *mulligan.Touched
	Started time.Time
	Elapsed time.Duration // under way, without the time between an end and a resumption
	Resumed int           // how often it was resumed

	Phase     mulligan.Phase
	Steps     []Step
	Current   int // index of the step under way or last under way; -1 before the first
	Iteration int
	Turn      int
	Running   *Activity // nil between activities, and after the end
	Agents    []string  // those that are given permissions, each with its permissions
	Loop      *Loop     // nil: a pipeline
	Tasks     Tasks     // the agent's own
	Guard     Guard     // the items that agents claim to be done
	Hooks     []Hook    // the user's that have run, as each went last
	Pending   int       // texts of hooks and people that wait for the agent's next turn
	Claimed   bool      // the agent has claimed that the session is complete
	Summary   string    // what the agent said of the last iteration
	Questions []Question
	Settled   []mulligan.Question // the last questions that were answered, or whose default was taken
	Pausing   string              // who asked for a pause that has not come yet
	// HookRetries is how often in a row Stop hooks may send the agent back.
	HookRetries int
	Ending      *mulligan.Outcome // set from the decision to end to the end

	// Evidence is the last verdict that did not pass, until its step passes.
	Evidence *mulligan.Verdict
	// FedBack is set when the evidence went back to the agent.
	FedBack bool
	// Blocking names the Stop hooks that the evidence is of, "" if it is a check's.
	Blocking string

	Notes       []string // the last ones
	Interrupted string   // by what; "" if it was not, or was resumed
	Outcome     *mulligan.Outcome
	Usage       mulligan.Usage
	Gauges      []Gauge // the session's limits
	Judged      int     // turns of judges so far, which are in Usage too

	Lines     []OutputLine // the last lines of live output
	LinesEver int64        // lines of live output so far, to tell which of them Lines are
}

// Over reports whether the session has ended: no more events come unless it is resumed.
func (s Snapshot) Over() bool { return s.Outcome != nil }

// Step returns the step that is under way, or was last; nil before the first.
func (s Snapshot) Step() *Step {
	if s.Current < 0 || s.Current >= len(s.Steps) {
		return nil
	}
	return &s.Steps[s.Current]
}

// A Loop is what an open-ended session has that a pipeline has not.
type Loop struct {
	Iterations int // at most so many; 0: no such limit
	Before     int // iterations before the session was run again: the limit does not count them
}

// Try returns the try under way: "iteration 3 of 20" in a loop, "attempt 2 of 4" in a pipeline; ""
// before the first.
func (s Snapshot) Try() string {
	step := s.Step()
	switch {
	case s.Loop == nil && (step == nil || step.Attempt == 0), s.Loop != nil && s.Iteration == 0:
		return ""
	case s.Loop == nil:
		return step.AttemptOf()
	case s.Loop.Iterations == 0:
		return fmt.Sprintf("iteration %d", s.Iteration)
	}
	return fmt.Sprintf("iteration %d of %d", s.Iteration, s.Loop.Before+s.Loop.Iterations)
}

// Name returns the loop's name, "" for a pipeline.
func (s Snapshot) Name() string {
	if s.Loop == nil || len(s.Steps) == 0 {
		return ""
	}
	return s.Steps[0].Name
}

// Paused reports whether the session was paused, and has not been resumed.
func (s Snapshot) Paused() bool {
	return s.Outcome != nil && Paused(s.Outcome.Ended, len(s.Outcome.Over) > 0, s.Phase)
}

// Paused tells a session that waits for a person because it was paused from one that waits for an
// answer, or for a word about what was claimed too often: a question holds a session up in the middle of
// a turn or before it is decided how a step goes on, a pause before the next attempt.
func Paused(ended mulligan.Ended, overLimit bool, phase mulligan.Phase) bool {
	return ended == mulligan.Waiting && !overLimit && phase != mulligan.Working && phase != mulligan.Deciding
}

// Waived returns what was waived in the steps so far: their work is accepted, not verified.
func (s Snapshot) Waived() []string {
	return Distinct(s.Steps, func(step Step) []string { return step.Waived })
}

// Distinct returns the texts of every item of a list, each once.
func Distinct[T any](list []T, texts func(T) []string) []string {
	var all []string
	for _, item := range list {
		for _, text := range texts(item) {
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}
