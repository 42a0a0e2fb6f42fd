// Package loop runs a session: it does what the phase of the state asks for, records what happened as events, and so comes to
// the next phase, until there is an outcome.
package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mulligan"
	"mulligan/state"
)

// A Session is one run of a plan in one workspace. What it needs of the world is handed in.
type Session struct {
	Journal   mulligan.Journal
	Workspace mulligan.Workspace
	Proof     mulligan.Proof
	Store     mulligan.Store
	SetupTook time.Duration // how long it took to make the proof ready
	Agent     func(name string) (mulligan.Agent, error)
	Gates     func(mulligan.Step) ([]mulligan.Gate, error)
	Policy    mulligan.Policy
	Pasts     mulligan.Pasts // nil: nothing is known of past sessions
	Prompts   state.Prompts
	Hooks     mulligan.HookRunner
	// FindViolations returns the changes that write rules forbid; nil: there are no rules.
	FindViolations func(mulligan.WriteCase, []mulligan.Change) []mulligan.Violation
	// AgentHooks runs the hooks at moments of the agent.
	AgentHooks mulligan.AgentHookRunner
	Records    mulligan.Records
	Clock      mulligan.Clock
	Version    string // of mulligan
	PID        int
	// Redact, unless nil, takes secrets out of every event before it becomes state, and so before
	// it is stored, shown or made into a prompt.
	Redact func(mulligan.Body) mulligan.Body
	// Filter, unless nil, does the same for what an agent prints. Close writes what is held
	// back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
	// Jitter spreads a wait, so that many sessions do not all end theirs at once; nil does not.
	Jitter func(time.Duration) time.Duration
	// ToolEnv is how agents reach the session's tools (Turn.Env).
	ToolEnv []string
	// Touched returns what differs between two trees, with tests and what steers the checks by name; nil
	// leaves that out of outcomes and commits.
	Touched func(ctx context.Context, from, to mulligan.Tree) (mulligan.Touched, error)
	// Compare tells the failures of a check that were there before the first attempt from new ones; nil:
	// all count.
	Compare func(before, now mulligan.Verdict) mulligan.Comparison
	// IgnoredAtBase reports whether git ignored a path when the session began; nil: that is not known.
	IgnoredAtBase func(ctx context.Context, path string) (bool, error)
	// Attended reports whether a person watches just now; nil means that no person does.
	Attended func() bool
	// Notify reaches a person who does not watch; nil: nobody wants that.
	Notify mulligan.Notifier

	id        string
	state     state.State
	batch     []mulligan.Event        // recorded since the last flush
	deferred  bool                    // an interruption came while mustSettleFirst held: the end is not its
	differing map[[2]string]differing // by the ids of two trees

	moved bool // the session has run something in the workspace since it was last taken
	// tookOver is set where an earlier process ended between two gates of the round.
	tookOver bool
	ownTurn  int // the turn that this process began; another in flight is an earlier process's
	// ownBaseline is set once this process has begun, or taken over, a baseline that is not complete.
	ownBaseline bool
	requests    *requestQueue // what other goroutines want of the session
	notices     notices       // what a person is being notified of
}

// Run takes the session from where it stands to its outcome. An error means that mulligan
// itself broke; the session can then be resumed.
func (s *Session) Run(ctx context.Context) (mulligan.Outcome, error) {
	defer s.openRequests().close()
	for s.state.Outcome == nil {
		if err := s.advanceGuarded(ctx); err != nil {
			return mulligan.Outcome{}, err
		}
		if s.state.Outcome != nil || s.state.Final != nil {
			continue
		}
		if s.state.MustSettleFirst() {
			s.deferred = s.deferred || ctx.Err() != nil
			continue
		}
		if err := s.endIfStopped(ctx); err != nil {
			return mulligan.Outcome{}, err
		}
	}
	return *s.state.Outcome, s.flush(ctx)
}

// advance does the one thing that comes next. The state is a fold of the journal, so a
// session that was killed continues here as if nothing had happened.
func (s *Session) advance(ctx context.Context) error {
	if s.state.Final != nil {
		var err error
		if ctx, err = s.endingContext(ctx); err != nil {
			return err
		}
	}
	switch s.state.Phase {
	case mulligan.Starting, mulligan.Choosing:
		return s.chooseStep(ctx)
	case mulligan.Preparing:
		return s.prepareAttempt(ctx)
	case mulligan.Opening:
		return s.openIteration(ctx)
	case mulligan.Working:
		return s.takeTurn(ctx)
	case mulligan.Stopping:
		return s.runStopHooks(ctx)
	case mulligan.Examining:
		return s.runGates(ctx)
	case mulligan.Closing:
		return s.closeIteration(ctx)
	case mulligan.Erring:
		return s.closeFailedIteration(ctx)
	case mulligan.Deciding:
		return s.decideRetry(ctx)
	case mulligan.Keeping:
		return s.commitAttempt(ctx)
	case mulligan.Finishing:
		return s.beginDelivery(ctx)
	case mulligan.Delivering:
		return s.takeDeliveryTurn(ctx)
	case mulligan.Abandoning:
		return s.abandonDelivery(ctx)
	case mulligan.Leaving:
		return s.leaveSession(ctx)
	}
	return fmt.Errorf("session %s stands at %q, which this mulligan does not know", s.state.ID, s.state.Phase)
}

// Start begins a new session.
func (s *Session) Start(id string, plan *mulligan.Plan, place mulligan.Place) error {
	s.id = id
	s.openRequests()
	if err := s.record(mulligan.SessionStarted{Version: s.Version, PID: s.PID, Plan: plan, Place: place}); err != nil {
		return err
	}
	if err := s.recordNotes(plan.Notes); err != nil {
		return err
	}
	for _, step := range plan.Steps {
		if len(step.Checks) == 0 && plan.Loop == nil && !s.state.HasStopHooks() { // a loop's plan has a note of its own
			if err := s.record(mulligan.Noted{Text: fmt.Sprintf("step %q has no check: its work will be accepted, not verified", step.Name)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Resume continues a session that another process began.
func (s *Session) Resume(state *state.State, how mulligan.SessionResumed, notes ...string) error {
	s.adopt(state)
	how.Version, how.PID, how.CutShort = s.Version, s.PID, state.DeliveryCutShort()
	ended := state.Outcome
	if err := s.record(how); err != nil {
		return err
	}
	if err := s.noteEndHooks(ended); err != nil {
		return err
	}
	if how.Plan != nil {
		notes = append(notes, how.Plan.Notes...)
	}
	return s.recordNotes(notes)
}

// adopt makes a state that was read from the journal the session's.
func (s *Session) adopt(state *state.State) {
	s.id, s.state = state.ID, *state
	s.openRequests()
}

// noteEndHooks notes that session_end hooks ran when the session ended with an outcome, and that
// session_start hooks do not run again. outcome is nil where the session did not end in order.
func (s *Session) noteEndHooks(outcome *mulligan.Outcome) error {
	hooks := s.state.Plan.Hooks
	if outcome == nil || outcome.Ended == mulligan.Waiting || len(hooks[mulligan.SessionStart]) == 0 ||
		!slices.ContainsFunc(hooks[mulligan.SessionEnd], func(h mulligan.HookSpec) bool { return h.IsFor(outcome.Good()) }) {
		return nil
	}
	return s.record(mulligan.Noted{Text: "session_end hooks ran when the session stopped, and session_start hooks do not run again: " +
		"what one starts and the other stops (a service) belongs in pre_iteration, where it is started if it does not run"})
}

func (s *Session) recordNotes(notes []string) error {
	for _, note := range notes {
		if err := s.record(mulligan.Noted{Text: note}); err != nil {
			return err
		}
	}
	return nil
}

// State returns the session's state, which stays the session's.
func (s *Session) State() *state.State { return &s.state }

// Announce makes what was recorded so far durable, so that viewers see the session before its
// first turn.
func (s *Session) Announce(ctx context.Context) error { return s.flush(ctx) }

// record turns what happened into events, which move the state on. What is recorded together, up
// to the next flush, is stored together.
func (s *Session) record(bodies ...mulligan.Body) error {
	for _, b := range bodies {
		if err := s.recordNotice(b); err != nil {
			return err
		}
		if err := s.recordOne(b); err != nil {
			return err
		}
	}
	return nil
}

// recordOne turns one thing that happened into an event.
func (s *Session) recordOne(b mulligan.Body) error {
	if s.Redact != nil {
		b = s.Redact(b)
	}
	e := mulligan.Event{Session: s.id, Number: s.state.Last + 1, Time: s.Clock.Now(), Body: b}
	if err := s.state.Apply(e); err != nil {
		return err
	}
	s.batch = append(s.batch, e)
	return nil
}

// flush stores what was recorded. It comes before every effect on the world: intent first.
// An interruption does not keep the truth from being written.
func (s *Session) flush(ctx context.Context) error {
	if len(s.batch) == 0 {
		return nil
	}
	after := s.batch[0].Number - 1
	if err := s.Journal.Append(context.WithoutCancel(ctx), s.state.ID, after, s.batch, s.state.Summary()); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	s.batch = s.batch[:0:0]
	s.sendNotices(ctx)
	return nil
}

// An Interruption is the cause of a context that a person ended.
type Interruption struct{ By string }

func (i *Interruption) Error() string { return "interrupted by " + i.By }

// Unwrap makes what an interruption ended a cancellation, not a fault.
func (i *Interruption) Unwrap() error { return context.Canceled }

// isStopped reports whether the session is to stop where it stands.
func (s *Session) isStopped(ctx context.Context) bool {
	return ctx.Err() != nil || s.requests.halt != nil
}

// endIfStopped ends a session that is to stop where it stands: a person interrupted it, or its
// question needs one.
func (s *Session) endIfStopped(ctx context.Context) error {
	if o := s.requests.halt; o != nil {
		return s.end(*o)
	}
	if ctx.Err() == nil {
		return nil
	}
	by := "a signal"
	if i := (*Interruption)(nil); errors.As(context.Cause(ctx), &i) {
		by = i.By
	}
	if err := s.record(mulligan.SessionInterrupted{By: by}); err != nil {
		return err
	}
	return s.end(mulligan.Outcome{Ended: mulligan.Interrupted, Reason: "interrupted by " + by})
}

// since returns how long ago something began. A clock that was put back meanwhile takes nothing
// from the time that was worked.
func (s *Session) since(began time.Time) time.Duration { return max(0, s.Clock.Now().Sub(began)) }

// step returns the current step of the plan, stepState what has become of it.
func (s *Session) step() *mulligan.Step           { return s.state.CurrentStep() }
func (s *Session) stepState() *mulligan.StepState { return s.state.StepState() }

// A limiter puts a time limit on a context.
type limiter func(context.Context) (context.Context, context.CancelFunc)

func unlimited(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }

// limitToStep limits a context to what is left of the step's time.
func (s *Session) limitToStep() limiter {
	if s.step().Timeout == 0 {
		return unlimited
	}
	left := max(s.step().Timeout-s.stepState().Worked, time.Millisecond)
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(ctx, left, errStepTime)
	}
}

var errStepTime = errors.New("the step's time is up")
