package mulligan

import (
	"fmt"
	"slices"
	"time"
)

// Phase is what a session does next. The loop is a function of the state, and the state
// a fold of the journal: that is why a killed session resumes where it was.
type Phase string

const (
	Starting  Phase = "starting"  // session_start hooks, then as choosing
	Opening   Phase = "opening"   // pre_iteration hooks, then the prompt
	Stopping  Phase = "stopping"  // Stop hooks, then as the turn's purpose wants
	Closing   Phase = "closing"   // post_iteration hooks, then the attempt's end
	Erring    Phase = "erring"    // on_error hooks and a recovery, then the attempt's end
	Choosing  Phase = "choosing"  // which step next, or the end
	Preparing Phase = "preparing" // the next attempt
	Working   Phase = "working"   // a turn is to be taken, or was in flight
	Examining Phase = "examining" // gates, from State.Gate on
	Deciding  Phase = "deciding"  // the attempt did not pass: what now
	Keeping   Phase = "keeping"   // the attempt passed: commit
)

// State is a session as its events tell it.
type State struct {
	ID        string
	Started   time.Time
	Updated   time.Time
	Version   string
	PID       int // of the process that runs it, or ran it last
	Plan      *Plan
	Place     Place
	Last      int64 // number of the last event
	Phase     Phase
	Steps     []StepState // one per step of the plan
	Step      int         // index of the current step
	Iteration int         // so far
	Turn      int         // the last that was begun; after an interruption this may be an earlier one, given again
	// FailedRow counts the iterations in a row that the agent failed.
	FailedRow int
	// Conversation is the one to continue; "" where a fresh one begins.
	Conversation string
	// Decision is what was chosen for the next attempt.
	Decision Decision
	// InFlight is the turn that has begun and not ended.
	InFlight *TurnStarted
	// Gate is the index of the next gate to run, GateTry how often it was run already.
	Gate    int
	GateTry int
	// Examined is the workspace as the gate in flight found it, nil where none is.
	Examined *Tree
	// Tree is what the last finished turn left: what the gates examine.
	Tree Tree
	// Head is the last verified commit: the parent of the next one.
	Head       string
	Committing *Commit
	Worked     time.Duration
	Spent      Spending
	Notes      []string
	// Outcome is nil while the session is not over. Phase then still says where it
	// stopped, which is where a resumed session goes on.
	Outcome *Outcome
	// SpentBefore and WorkedBefore are what was spent before `run` was said again: the
	// limits begin anew there.
	SpentBefore      Spending
	WorkedBefore     time.Duration
	IterationsBefore int
	// WaitUntil is when the rate limit that the turn in flight met is over, Waits how often it has
	// met one. WaitedFor is how long was waited in all turns since `run` was said.
	WaitUntil time.Time
	WaitedFor time.Duration
	Waits     int
	// Begun is the conversation that the turn in flight was part of when it met its rate limit: it
	// goes on there. A turn that another process takes up does not, for the tree is put back.
	Begun string

	// Hook is the index of the next hook of the moment that the session is at, HookRuns
	// counts all runs so far.
	Hook     int
	HookRuns int
	// Pending is what hooks and people have for the agent, first in, first out. It is
	// given at the start of the next iteration.
	Pending []Piece
	// Due are the on_task_complete hooks that have not ended, in order.
	Due []DueHook
	// Aside is what the hooks of the present moment have printed for a prompt of its own:
	// pre_iteration's, on_error's, and post_iteration's that deliver now.
	Aside []Piece
	// DeliveredNow is set once an iteration has had its turn for deliver: now.
	DeliveredNow bool
	// Round is what the gates came to, while post_iteration hooks run.
	Round *RoundEnded
	// Failure is the turn that the agent failed, while on_error hooks run.
	Failure *Result
	// Base is the purpose of the last turn that no Stop hook caused; HookRetry is how often one
	// has sent the agent back since, HookMax how often it may; StopTry counts the runs of hooks
	// that were broken.
	Base      Purpose
	HookRetry int
	HookMax   int
	StopTry   int
	// Stop is what the Stop hooks said, while it blocks. Blocked is what they said when they sent
	// the agent back before, since Base began; SameBlock counts the blocks in a row for one reason.
	Stop      *AgentHookEnded
	Blocked   *AgentHookReply
	SameBlock int
	// Content are the Stop hooks that ran well and let the agent go, the last time.
	Content []string
	// Ignored are Stop hooks that allow for the rest of the attempt.
	Ignored []string
	// Context is what agent hooks have for the next prompt, if one comes.
	Context []string
	// Board has the agent's tasks and notes.
	Board Board
	// Claim is the agent's word in this iteration that the session is complete.
	Claim *Claimed
	// Told is what people said and an agent has been given, oldest first.
	Told []Told
	// Questions are all that were asked.
	Questions []Question
	// Pausing says why the session pauses before its next attempt, "" where it does not.
	Pausing string
	// Kept is the tree of the last commit: what is different is not committed.
	Kept Tree
	// Last conversation, for turns that belong to no attempt.
	LastAgent, LastConversation, LastMessage string
	// Greeted is set once the SessionStart hooks have run.
	Greeted bool
	// Ending is set from the decision to end to the end.
	Ending *EndingState
}

// EndingState is how far the end of a session is.
type EndingState struct {
	Outcome Outcome
	// Turn is the final delivery in flight, Took what the delivery has taken so far: its turns, the
	// hooks between them, waits and questions.
	Turn *TurnStarted
	Took time.Duration
	// Delivered is set when the delivery's turn is over; Result and Tree are what it came to.
	Delivered bool
	Result    Result
	Before    Tree
	Tree      Tree
	// Stopping is set while the delivery's Stop hooks are to run, Parted once the SessionEnd
	// hooks have.
	Stopping bool
	Parted   bool
	// Verdicts are those of the checks that ran again, Try how often the next was tried.
	Verdicts []Verdict
	Gate     int
	Try      int
	// Examined is the workspace as the gate in flight found it, nil where none is.
	Examined *Tree
	// Was is where a session that is resumed goes on.
	Was Standing
	// Closing is set when only the session_end hooks are left.
	Closing bool
	// CutShort is set when the process ended in the middle of the delivery, and the session goes on.
	CutShort bool
}

// A Standing is what of an attempt the final delivery, a turn like others, makes its own meanwhile.
type Standing struct {
	Hook, Turn           int
	Base                 Purpose
	HookRetry, HookMax   int
	StopTry, SameBlock   int
	Stop                 *AgentHookEnded
	Blocked              *AgentHookReply
	Content, Ignored     []string
	Claim                *Claimed
	Committing           *Commit
	Conversation         string // State.LastConversation
	LastAgent, LastWords string
}

// What has become of a step.
const (
	StatusOpen     = ""
	StatusRunning  = "running"
	StatusVerified = "verified"
	StatusAccepted = "accepted"
	StatusFailed   = "failed"
)

// StepState is a step as its events tell it.
type StepState struct {
	Name   string
	Status string
	Commit string
	Tree   Tree
	By     []string
	Worked time.Duration
	// Spent is over all runs of the step, SpentBefore what of it was spent before `run` was said again.
	Spent       Spending
	SpentBefore Spending
	Waived      []string
	Attempts    []AttemptState // of the present run of the step
	Earlier     int            // attempts of runs before `run` was said again
}

// AttemptState is one attempt as its events tell it. Takings that the agent failed are
// not told apart here: the last one is what counts.
type AttemptState struct {
	Number    int
	Iteration int
	Strategy  string
	Snapshot  Tree
	Result    Result
	Verdicts  []Verdict
	Status    Status // "" while it is under way
	Reason    string
	Claimed   bool     // the agent said in it that the session is complete
	Waived    []string // what was waived: its work is accepted, not verified
}

// Last is the verdict that ended the attempt, nil where no gate was reached.
func (a AttemptState) Last() *Verdict {
	if len(a.Verdicts) == 0 {
		return nil
	}
	return &a.Verdicts[len(a.Verdicts)-1]
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

// Done says whether nothing is left to do for the step.
func (s StepState) Done() bool {
	return s.Status == StatusVerified || s.Status == StatusAccepted
}

// owes says whether what the gates have passed is still to be kept, or the session, with nothing left
// to do, to be ended: both before anybody's word that it is to stop.
func (s *State) owes() bool {
	open := func(step StepState) bool { return !step.Done() }
	return s.Phase == Keeping || s.Phase == Choosing && !slices.ContainsFunc(s.Steps, open)
}

// whole is the workspace before what an interruption has cut; nil where that was nothing.
func (s *State) whole() *Tree {
	switch {
	case s.InFlight != nil:
		return &s.InFlight.Before
	case s.Ending.Outcome.Ended != Interrupted:
		return nil
	case s.Phase == Examining:
		return s.Examined
	case s.Phase == Stopping && s.Stop == nil:
		return &s.Tree
	}
	return nil
}

// cutShort says whether a process ended in the middle of an interrupted session's final delivery.
func (s *State) cutShort() bool {
	e := s.Ending
	return e != nil && e.Outcome.Ended == Interrupted && !e.Closing && (e.Turn != nil || e.Delivered)
}

// Summary is a session in a few words, for lists.
type Summary struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Updated  time.Time `json:"updated"`
	PID      int       `json:"pid"`
	Dir      string    `json:"dir"`
	Root     string    `json:"root"`
	Branch   string    `json:"branch,omitempty"`
	Task     string    `json:"task"`
	TaskHash string    `json:"task_hash"`
	Folder   string    `json:"folder,omitempty"`
	Pipeline string    `json:"pipeline"`
	Name     string    `json:"name,omitempty"` // of a loop
	Step     string    `json:"step,omitempty"`
	StepNo   int       `json:"step_no"`
	Steps    int       `json:"steps"`
	Attempt  int       `json:"attempt"`
	// Iteration is the last one that began.
	Iteration int    `json:"iteration,omitempty"`
	Phase     Phase  `json:"phase"`
	Ended     Ended  `json:"ended,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Commit    string `json:"commit,omitempty"`
	Events    int64  `json:"events"`
}

// GapError is a journal that lacks an event, or has one that does not belong there.
type GapError struct {
	Session   string
	Want, Got int64
}

func (e *GapError) Error() string {
	return fmt.Sprintf("session %s: event %d is missing (the next one there is %d)", e.Session, e.Want, e.Got)
}
