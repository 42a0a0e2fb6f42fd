// Package state is what the events of a session come to. State.Apply alone changes a State, and nothing in this package acts.
package state

import (
	"slices"
	"time"

	"mulligan"
)

// State is a session as its events tell it. Apply alone changes it.
type State struct {
	ID      string
	Started time.Time
	Updated time.Time
	Version string
	PID     int // of the process that runs the session, or ran it last
	Plan    *mulligan.Plan
	Place   mulligan.Place
	Last    int64 // number of the last event

	// Progress is that of the attempt, and while the session ends that of the final delivery.
	Progress
	Steps     []mulligan.StepState // one per step of the plan
	Step      int                  // index of the current step
	Iteration int                  // so far
	// FailedRow counts the iterations in a row that the agent failed.
	FailedRow int
	// Conversation is the one that the next attempt continues; "" where it begins a fresh one.
	Conversation string
	// Decision is what was chosen for the next attempt.
	Decision mulligan.Decision
	// Recommended is what the policy recommends, while a person is asked about it.
	Recommended *mulligan.Recommendation
	// Found is what session_start hooks left in the workspace; the zero Tree if there are none.
	Found mulligan.Tree
	// Began is the tree that the first attempt of the session began with.
	Began mulligan.Tree
	// Head is the last verified commit, the parent of the next one. CommittedTree is the tree of
	// the last commit: what differs from it is not committed.
	Head          string
	CommittedTree mulligan.Tree
	// Base is what the first attempt found, or what a person has committed since: what golden checks run
	// with.
	Base mulligan.Tree

	mulligan.Account
	RateLimit RateLimit
	Hooks     Hooks
	// Pending is what hooks and people have for the agent, first in, first out. The next
	// iteration's prompt gives it.
	Pending []mulligan.Piece
	// Context is what agent hooks add to the next prompt, if one comes.
	Context []string
	// Board has the agent's tasks and notes.
	Board mulligan.Board
	// Guard has the items that agents claim to be done.
	Guard Guard
	// Requests are those of people that have added tasks, oldest first.
	Requests []AddingRequest
	// Told is what people said, oldest first.
	Told []mulligan.Told
	// Questions are all that were asked.
	Questions []mulligan.Question
	// Pausing is why the session pauses before its next attempt, "" where it does not. It stays
	// until the session is resumed.
	Pausing string
	Notes   []string
	// KeepersLost is how many keepers of children were killed or stopped from outside.
	KeepersLost int
	// Notifying is what a person is to be notified of, and has not been yet. FolderNoticed is set once they know that the
	// tasks of the session's folder have ended.
	Notifying     []mulligan.NotifyStarted
	FolderNoticed bool
	// UndoneBy are the checks whose changes were put back: each is noted once.
	UndoneBy []string
	// Lacks is what the session's start had and no commit has: nobody is told of that. LacksSeen is set once the start was
	// looked at.
	Lacks     []mulligan.Lack
	LacksSeen bool
	// Warm is set where what the last turn left was not checked in a proof made anew.
	Warm bool
	// Kept are paths that checks which keep their writes have written since the agent's last turn.
	Kept []string
	// Final is set from the decision to end to the end.
	Final *Final
	// Outcome is nil while the session is not over. Phase then still is where the session
	// stopped, and where it continues when it is resumed.
	Outcome *mulligan.Outcome
}

// Progress is how far an attempt is, or the final delivery, which is examined as an attempt is. The
// whole of it is saved when a session begins to end, and restored when it is resumed.
type Progress struct {
	Phase mulligan.Phase
	Turn  int // the last that was begun; after an interruption this may be an earlier one, given again
	// InFlight is the turn that has begun and not ended.
	InFlight *mulligan.TurnStarted
	// LastTurn is the last turn that ended.
	LastTurn LastTurn
	// Prompt is the one that the attempt began with.
	Prompt string
	// Tree is what the last finished turn and its Stop hooks left: what the gates examine.
	Tree        mulligan.Tree
	StopHooks   StopHooks
	Examination Examination
	// Breach is what the last finished turn did against the write rules, nil if nothing: it fails its
	// examination.
	Breach *mulligan.Breach
	// Claim is the agent's word in this iteration that the session is complete.
	Claim *mulligan.Claimed
	// Round is what the gates came to, while post_iteration hooks run.
	Round *mulligan.RoundEnded
	// Failure is the turn that the agent failed, while on_error hooks run.
	Failure *mulligan.Result
	// NextHook is the index of the next hook of the moment that the session is at.
	NextHook int
	// MomentPieces is what the hooks of the present moment have printed for a prompt of its own:
	// pre_iteration's, on_error's, and post_iteration's that deliver now.
	MomentPieces []mulligan.Piece
	// DeliveredNow is set once an iteration has had its turn for deliver: now.
	DeliveredNow bool
	// Committing is the commit whose outcome is not known yet.
	Committing *mulligan.Commit
}

// LastTurn is what a later turn needs of the one before.
type LastTurn struct{ Agent, Conversation, Message string }

// An Examination is how far the gates are.
type Examination struct {
	Gate int // index of the next gate to run
	Try  int // how often that gate was run already
	// Restarts counts how often the round has begun again on another tree.
	Restarts int
	// InFlight is set while a gate runs.
	InFlight bool
	// Fresh is how many gates run once more in a proof made anew, from the first of them on. Gate counts on over them.
	Fresh int
}

// StopHooks is how often Stop hooks have sent the agent back, and why.
type StopHooks struct {
	// Base is the purpose of the last turn that no Stop hook caused, and Prompt its prompt. Retry is
	// how often a Stop hook has sent the agent back since, Max how often it may.
	Base   mulligan.Purpose
	Prompt string
	Retry  int
	Max    int
	// Try counts the runs of hooks that were broken.
	Try int
	// Blocking is what the Stop hooks said, while they block. LastBlock is what they said when
	// they sent the agent back before, since Base began; SameBlock counts the blocks in a row for
	// one reason.
	Blocking  *mulligan.AgentHookEnded
	LastBlock *mulligan.AgentHookReply
	SameBlock int
	// AllowedBy are the hooks that ran well and let the agent stop, the last time.
	AllowedBy []string
	// Ignored are hooks that allow for the rest of the attempt.
	Ignored []string
}

// RateLimit is what is known of the rate limits that the agent has met.
type RateLimit struct {
	// Until is when the one that the turn in flight met is over, Waits how often that turn has
	// met one.
	Until time.Time
	Waits int
	// Waited is how long all turns have waited since `run` was given.
	Waited time.Duration
	// Conversation is the one that the turn in flight was part of when it met its limit: it
	// continues there. A turn that another process takes up does not, since the tree is put back.
	Conversation string
}

// Hooks is what is known of hooks over the whole session.
type Hooks struct {
	Runs int // so far
	// Due are the on_task_complete hooks that have not ended, in order.
	Due []mulligan.DueHook
	// Greeted is set once the agent's SessionStart hooks have run.
	Greeted bool
}

// Final is how far the end of a session is: Phase and the rest of Progress are the final
// delivery's own meanwhile.
type Final struct {
	Outcome mulligan.Outcome
	// Saved is the attempt's progress: a resumed session continues from it.
	Saved Progress
	// Took is what the delivery has taken so far: its turns, the hooks between them, waits and
	// questions.
	Took time.Duration
	// Result is how the delivery's last turn ended, nil before it has ended one. Before is the
	// workspace as its first turn found it.
	Result *mulligan.Result
	Before mulligan.Tree
	// Verdicts are those of the checks that ran again.
	Verdicts []mulligan.Verdict
	// Parted is set once the agent's SessionEnd hooks have run.
	Parted bool
	// Settled is set where nothing is to be delivered and no hook to be run.
	Settled bool
}

// EndsInterrupted reports whether the session ends because a person stopped it.
func (s *State) EndsInterrupted() bool {
	return s.Final != nil && s.Final.Outcome.Ended == mulligan.Interrupted
}

// AttemptProgress returns the attempt's progress, which is saved while the session ends.
func (s *State) AttemptProgress() *Progress {
	if s.Final != nil {
		return &s.Final.Saved
	}
	return &s.Progress
}

// MustSettleFirst reports whether what the gates have passed is still to be committed, or the
// session, with nothing left to do, to be ended. Both come before a person's word that the session
// is to stop.
func (s *State) MustSettleFirst() bool {
	open := func(step mulligan.StepState) bool { return !step.Done() }
	return s.Phase == mulligan.Keeping || s.Phase == mulligan.Choosing && !slices.ContainsFunc(s.Steps, open)
}

// TreeBeforeCut returns the workspace before what an interruption has cut short, or nil if that was
// nothing.
func (s *State) TreeBeforeCut() *mulligan.Tree {
	cut := &s.Final.Saved
	switch {
	case cut.InFlight != nil:
		return &cut.InFlight.Before
	case !s.EndsInterrupted():
		return nil
	case cut.Phase == mulligan.Examining && cut.Examination.InFlight:
		return &cut.Tree
	case cut.Phase == mulligan.Stopping && cut.StopHooks.Blocking == nil:
		return &cut.Tree
	}
	return nil
}

// DeliveryCutShort reports whether a process ended in the middle of an interrupted session's final
// delivery.
func (s *State) DeliveryCutShort() bool {
	return s.EndsInterrupted() && s.Phase != mulligan.Leaving && (s.InFlight != nil || s.Final.Result != nil)
}

// RunningStep returns the step under way, or nil if what happens belongs to the session alone: before
// the first step, and while the session ends.
func (s *State) RunningStep() *mulligan.StepState {
	if s.Final != nil || s.Step >= len(s.Steps) || s.Steps[s.Step].Status != mulligan.StatusRunning {
		return nil
	}
	return &s.Steps[s.Step]
}

// CurrentStep returns the step of the plan that the session is at, stepState what has become of it.
func (s *State) CurrentStep() *mulligan.Step    { return &s.Plan.Steps[s.Step] }
func (s *State) StepState() *mulligan.StepState { return &s.Steps[s.Step] }

// FindStep returns the place of a step in the plan, or -1 if there is none of that name.
func (s *State) FindStep(name string) int {
	return slices.IndexFunc(s.Steps, func(step mulligan.StepState) bool { return step.Name == name })
}

// HasStopHooks reports whether Stop hooks run when the agent has ended its turn.
func (s *State) HasStopHooks() bool { return len(s.Plan.AgentHooks.Of(mulligan.EventStop)) > 0 }

// CurrentAttempt returns the attempt under way, or nil before the first.
func (s *State) CurrentAttempt() *mulligan.AttemptState {
	if s.Step >= len(s.Steps) {
		return nil
	}
	attempts := s.Steps[s.Step].Attempts
	if len(attempts) == 0 {
		return nil
	}
	return &attempts[len(attempts)-1]
}

// IterationAt returns the iteration that a moment belongs to, 0 if it belongs to none.
func (s *State) IterationAt(m mulligan.Moment) int {
	if m == mulligan.SessionStart || m == mulligan.SessionEnd {
		return 0
	}
	return s.Iteration
}
