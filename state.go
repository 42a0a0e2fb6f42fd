package mulligan

import (
	"slices"
	"time"
)

// Phase is what a session does next. The loop is a function of the state, and the state is a
// fold of the journal: that is why a killed session resumes where it was.
type Phase string

const (
	Starting  Phase = "starting"  // session_start hooks, then as Choosing
	Choosing  Phase = "choosing"  // which step comes next, or the end
	Preparing Phase = "preparing" // the next attempt
	Opening   Phase = "opening"   // pre_iteration hooks, then the prompt
	Working   Phase = "working"   // a turn is to be taken, or was in flight
	Stopping  Phase = "stopping"  // Stop hooks, then as the turn's purpose wants
	Examining Phase = "examining" // the gates, from State.Examination on
	Closing   Phase = "closing"   // post_iteration hooks, then the attempt's end
	Erring    Phase = "erring"    // on_error hooks and a recovery, then the attempt's end
	Deciding  Phase = "deciding"  // the attempt did not pass: retry or give up
	Keeping   Phase = "keeping"   // the attempt passed: commit
)

// The phases of a session that ends, while State.Final is set. The final delivery shares Stopping
// and Examining with the attempts. No summary shows the others: it has the phase in which a
// resumed session continues.
const (
	Finishing  Phase = "finishing"  // what is pending is to be delivered
	Delivering Phase = "delivering" // the final delivery's turn is to be taken, or was in flight
	Abandoning Phase = "abandoning" // a killed process left the delivery half done: settle it, then resume
	Leaving    Phase = "leaving"    // session_end hooks, then the end
)

// State is a session as its events tell it. Apply alone changes it.
type State struct {
	ID      string
	Started time.Time
	Updated time.Time
	Version string
	PID     int // of the process that runs the session, or ran it last
	Plan    *Plan
	Place   Place
	Last    int64 // number of the last event

	// Progress is that of the attempt, and while the session ends that of the final delivery.
	Progress
	Steps     []StepState // one per step of the plan
	Step      int         // index of the current step
	Iteration int         // so far
	// FailedRow counts the iterations in a row that the agent failed.
	FailedRow int
	// Conversation is the one that the next attempt continues; "" where it begins a fresh one.
	Conversation string
	// Decision is what was chosen for the next attempt.
	Decision Decision
	// Recommended is what the policy recommends, while a person is asked about it.
	Recommended *Recommendation
	// Found is what session_start hooks left in the workspace; the zero Tree if there are none.
	Found Tree
	// Began is the tree that the first attempt of the session began with.
	Began Tree
	// Head is the last verified commit, the parent of the next one. CommittedTree is the tree of
	// the last commit: what differs from it is not committed.
	Head          string
	CommittedTree Tree
	// Base is what the first attempt found, or what a person has committed since: what golden checks run
	// with.
	Base Tree

	Account
	RateLimit RateLimit
	Hooks     HookState
	// Pending is what hooks and people have for the agent, first in, first out. The next
	// iteration's prompt gives it.
	Pending []Piece
	// Context is what agent hooks add to the next prompt, if one comes.
	Context []string
	// Board has the agent's tasks and notes.
	Board Board
	// Guard has the items that agents claim to be done.
	Guard GuardState
	// Requests are those of people that have added tasks, oldest first.
	Requests []AddingRequest
	// Told is what people said, oldest first.
	Told []Told
	// Questions are all that were asked.
	Questions []Question
	// Pausing is why the session pauses before its next attempt, "" where it does not. It stays
	// until the session is resumed.
	Pausing string
	Notes   []string
	// KeepersLost is how many keepers of children were killed or stopped from outside.
	KeepersLost int
	// Notifying is what a person is to be notified of, and has not been yet. FolderNoticed is set once they know that the
	// tasks of the session's folder have ended.
	Notifying     []NotifyStarted
	FolderNoticed bool
	// UndoneBy are the checks whose changes were put back: each is noted once.
	UndoneBy []string
	// Lacks is what the session's start had and no commit has: nobody is told of that. LacksSeen is set once the start was
	// looked at.
	Lacks     []Lack
	LacksSeen bool
	// Warm is set where what the last turn left was not checked in a proof made anew.
	Warm bool
	// Kept are paths that checks which keep their writes have written since the agent's last turn.
	Kept []string
	// Final is set from the decision to end to the end.
	Final *FinalState
	// Outcome is nil while the session is not over. Phase then still is where the session
	// stopped, and where it continues when it is resumed.
	Outcome *Outcome
}

// Progress is how far an attempt is, or the final delivery, which is examined as an attempt is. The
// whole of it is saved when a session begins to end, and restored when it is resumed.
type Progress struct {
	Phase Phase
	Turn  int // the last that was begun; after an interruption this may be an earlier one, given again
	// InFlight is the turn that has begun and not ended.
	InFlight *TurnStarted
	// LastTurn is the last turn that ended.
	LastTurn LastTurn
	// Prompt is the one that the attempt began with.
	Prompt string
	// Tree is what the last finished turn and its Stop hooks left: what the gates examine.
	Tree        Tree
	StopHooks   StopHookState
	Examination Examination
	// Breach is what the last finished turn did against the write rules, nil if nothing: it fails its
	// examination.
	Breach *Breach
	// Claim is the agent's word in this iteration that the session is complete.
	Claim *Claimed
	// Round is what the gates came to, while post_iteration hooks run.
	Round *RoundEnded
	// Failure is the turn that the agent failed, while on_error hooks run.
	Failure *Result
	// NextHook is the index of the next hook of the moment that the session is at.
	NextHook int
	// MomentPieces is what the hooks of the present moment have printed for a prompt of its own:
	// pre_iteration's, on_error's, and post_iteration's that deliver now.
	MomentPieces []Piece
	// DeliveredNow is set once an iteration has had its turn for deliver: now.
	DeliveredNow bool
	// Committing is the commit whose outcome is not known yet.
	Committing *Commit
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

// StopHookState is how often Stop hooks have sent the agent back, and why.
type StopHookState struct {
	// Base is the purpose of the last turn that no Stop hook caused, and Prompt its prompt. Retry is
	// how often a Stop hook has sent the agent back since, Max how often it may.
	Base   Purpose
	Prompt string
	Retry  int
	Max    int
	// Try counts the runs of hooks that were broken.
	Try int
	// Blocking is what the Stop hooks said, while they block. LastBlock is what they said when
	// they sent the agent back before, since Base began; SameBlock counts the blocks in a row for
	// one reason.
	Blocking  *AgentHookEnded
	LastBlock *AgentHookReply
	SameBlock int
	// AllowedBy are the hooks that ran well and let the agent stop, the last time.
	AllowedBy []string
	// Ignored are hooks that allow for the rest of the attempt.
	Ignored []string
}

// Account is what a session has spent.
type Account struct {
	Worked time.Duration
	Spent  Spending
	// SpentBefore, WorkedBefore and IterationsBefore are what was spent before `run` was given
	// again: the limits begin anew there.
	SpentBefore      Spending
	WorkedBefore     time.Duration
	IterationsBefore int
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

// HookState is what is known of hooks over the whole session.
type HookState struct {
	Runs int // so far
	// Due are the on_task_complete hooks that have not ended, in order.
	Due []DueHook
	// Greeted is set once the agent's SessionStart hooks have run.
	Greeted bool
}

// FinalState is how far the end of a session is: Phase and the rest of Progress are the final
// delivery's own meanwhile.
type FinalState struct {
	Outcome Outcome
	// Saved is the attempt's progress: a resumed session continues from it.
	Saved Progress
	// Took is what the delivery has taken so far: its turns, the hooks between them, waits and
	// questions.
	Took time.Duration
	// Result is how the delivery's last turn ended, nil before it has ended one. Before is the
	// workspace as its first turn found it.
	Result *Result
	Before Tree
	// Verdicts are those of the checks that ran again.
	Verdicts []Verdict
	// Parted is set once the agent's SessionEnd hooks have run.
	Parted bool
	// Settled is set where nothing is to be delivered and no hook to be run.
	Settled bool
}

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

// endedWith returns the attempt as it is once it has ended so.
func (a AttemptState) endedWith(status Status, reason string) AttemptState {
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

// endsInterrupted reports whether the session ends because a person stopped it.
func (s *State) endsInterrupted() bool {
	return s.Final != nil && s.Final.Outcome.Ended == Interrupted
}

// AttemptProgress returns the attempt's progress, which is saved while the session ends.
func (s *State) AttemptProgress() *Progress {
	if s.Final != nil {
		return &s.Final.Saved
	}
	return &s.Progress
}

// mustSettleFirst reports whether what the gates have passed is still to be committed, or the
// session, with nothing left to do, to be ended. Both come before a person's word that the session
// is to stop.
func (s *State) mustSettleFirst() bool {
	open := func(step StepState) bool { return !step.Done() }
	return s.Phase == Keeping || s.Phase == Choosing && !slices.ContainsFunc(s.Steps, open)
}

// treeBeforeCut returns the workspace before what an interruption has cut short, or nil if that was
// nothing.
func (s *State) treeBeforeCut() *Tree {
	cut := &s.Final.Saved
	switch {
	case cut.InFlight != nil:
		return &cut.InFlight.Before
	case !s.endsInterrupted():
		return nil
	case cut.Phase == Examining && cut.Examination.InFlight:
		return &cut.Tree
	case cut.Phase == Stopping && cut.StopHooks.Blocking == nil:
		return &cut.Tree
	}
	return nil
}

// deliveryCutShort reports whether a process ended in the middle of an interrupted session's final
// delivery.
func (s *State) deliveryCutShort() bool {
	return s.endsInterrupted() && s.Phase != Leaving && (s.InFlight != nil || s.Final.Result != nil)
}

// runningStep returns the step under way, or nil if what happens belongs to the session alone: before
// the first step, and while the session ends.
func (s *State) runningStep() *StepState {
	if s.Final != nil || s.Step >= len(s.Steps) || s.Steps[s.Step].Status != StatusRunning {
		return nil
	}
	return &s.Steps[s.Step]
}

// currentStep returns the step of the plan that the session is at, stepState what has become of it.
func (s *State) currentStep() *Step    { return &s.Plan.Steps[s.Step] }
func (s *State) stepState() *StepState { return &s.Steps[s.Step] }

// findStep returns the place of a step in the plan, or -1 if there is none of that name.
func (s *State) findStep(name string) int {
	return slices.IndexFunc(s.Steps, func(step StepState) bool { return step.Name == name })
}

// hasStopHooks reports whether Stop hooks run when the agent has ended its turn.
func (s *State) hasStopHooks() bool { return len(s.Plan.AgentHooks.Of(EventStop)) > 0 }

// currentAttempt returns the attempt under way, or nil before the first.
func (s *State) currentAttempt() *AttemptState {
	if s.Step >= len(s.Steps) {
		return nil
	}
	attempts := s.Steps[s.Step].Attempts
	if len(attempts) == 0 {
		return nil
	}
	return &attempts[len(attempts)-1]
}

// question returns the question with an id, or nil if there is none.
func (s *State) question(id int) *Question {
	if id < 1 || id > len(s.Questions) {
		return nil
	}
	return &s.Questions[id-1]
}

// OpenQuestions returns the questions that wait for a person.
func (s *State) OpenQuestions() []Question {
	var open []Question
	for i, q := range s.Questions {
		if q.By == "" && !s.isOvertaken(i) {
			open = append(open, q)
		}
	}
	return open
}

// isOvertaken reports whether question i was about a retry that is no longer to be decided: the session asked
// another one since, or continued without an answer.
func (s *State) isOvertaken(i int) bool {
	isRetry := func(q Question) bool { return q.Asker == AskerStrategy }
	return isRetry(s.Questions[i]) && (s.Questions[i].Turn != s.Turn || slices.ContainsFunc(s.Questions[i+1:], isRetry))
}

// iterationAt returns the iteration that a moment belongs to, 0 if it belongs to none.
func (s *State) iterationAt(m Moment) int {
	if m == SessionStart || m == SessionEnd {
		return 0
	}
	return s.Iteration
}
