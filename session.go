package mulligan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Session is one run of a plan in one workspace. What it needs of the world is handed in.
type Session struct {
	Journal   Journal
	Workspace Workspace
	Agent     func(name string) (Agent, error)
	Gates     func(Step) ([]Gate, error)
	Policy    Policy
	Prompter  Prompter
	Hooks     Hooks
	// AgentHooks runs those at moments of the agent.
	AgentHooks AgentHookRunner
	Records    Records
	Clock      Clock
	Version    string // of mulligan
	PID        int
	// Redact, where it is set, takes secrets out of what is said before it becomes state,
	// and so before it is stored, shown or made into a prompt.
	Redact func(Body) Body
	// Filter, where it is set, does the same for what an agent prints. Close writes what
	// is held back, and leaves the writer behind it open.
	Filter func(io.Writer) io.WriteCloser
	// Jitter spreads a wait, so that many sessions do not all end theirs at once; nil: it does not.
	Jitter func(time.Duration) time.Duration
	// ToolEnv is how agents reach the session's tools (Turn.Env).
	ToolEnv []string
	// Attended says whether a person watches just now; nil: nobody does.
	Attended func() bool

	state State
	batch []Event // what happened since the last flush
	owed  bool    // an interruption came when what was left was to be done first
	mine  int     // the turn that this process began; another in flight is an earlier process's
	desk  *desk   // where others bring what they want of the session
}

// Records is where a session keeps what is too large or too lively for the journal.
type Records interface {
	// TurnLog is the path of a turn's log.
	TurnLog(turn int) string
	// Open opens a log for appending: a turn that is repeated does not lose what the
	// first taking printed.
	Open(path string) (io.WriteCloser, error)
	// GateOutput is the path where a gate keeps its output; its folder exists.
	GateOutput(turn, gate, try int) (string, error)
	// HookOutput is the same for a run of a hook.
	HookOutput(run int) (string, error)
	// Live takes what children print as it comes, for whoever watches.
	Live() io.Writer
}

// Run takes the session from where it stands to its outcome. An error means that mulligan
// itself broke; the session can then be resumed.
func (s *Session) Run(ctx context.Context) (Outcome, error) {
	defer s.open().close()
	for s.state.Outcome == nil {
		if err := s.guarded(ctx); err != nil {
			return Outcome{}, err
		}
		if s.state.Outcome != nil || s.state.Ending != nil {
			continue
		}
		if s.state.owes() {
			s.owed = s.owed || ctx.Err() != nil
			continue
		}
		if err := s.halted(ctx); err != nil {
			return Outcome{}, err
		}
	}
	return *s.state.Outcome, s.flush(ctx)
}

// advance does the one thing that comes next. The state is a fold of the journal, so a
// session that was killed goes on here as if nothing had happened.
func (s *Session) advance(ctx context.Context) error {
	if s.state.Ending != nil {
		return s.finish(ctx)
	}
	switch s.state.Phase {
	case Starting, Choosing:
		return s.choose(ctx)
	case Preparing:
		return s.prepare(ctx)
	case Opening:
		return s.begin(ctx)
	case Working:
		return s.work(ctx)
	case Stopping:
		return s.stop(ctx)
	case Examining:
		return s.examine(ctx)
	case Closing:
		return s.conclude(ctx)
	case Erring:
		return s.recover(ctx)
	case Deciding:
		return s.decide(ctx)
	case Keeping:
		return s.keep(ctx)
	}
	return fmt.Errorf("session %s stands at %q, which this mulligan does not know", s.state.ID, s.state.Phase)
}

// Start begins a new session.
func (s *Session) Start(id string, plan *Plan, place Place) error {
	s.state.ID = id
	s.open()
	if err := s.say(SessionStarted{Version: s.Version, PID: s.PID, Plan: plan, Place: place}); err != nil {
		return err
	}
	if err := s.sayNotes(plan); err != nil {
		return err
	}
	for _, step := range plan.Steps {
		if len(step.Checks) == 0 && plan.Loop == nil && len(plan.AgentHooks.Of(EventStop)) == 0 { // a loop's plan has a note of its own
			if err := s.say(Noted{Text: fmt.Sprintf("step %q has no check: its work will be accepted, not verified", step.Name)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Resume goes on with a session that another process began.
func (s *Session) Resume(state *State, how SessionResumed) error {
	s.state = *state
	s.open()
	how.Version, how.PID, how.CutShort = s.Version, s.PID, state.cutShort()
	if err := s.say(how); err != nil || how.Plan == nil {
		return err
	}
	return s.sayNotes(how.Plan)
}

func (s *Session) sayNotes(plan *Plan) error {
	for _, note := range plan.Notes {
		if err := s.say(Noted{Text: note}); err != nil {
			return err
		}
	}
	return nil
}

// State is the session as it stands.
func (s *Session) State() *State { return &s.state }

// Announce makes what was said so far durable, so that others see the session before its
// first turn.
func (s *Session) Announce(ctx context.Context) error { return s.flush(ctx) }

// say moves the state on. What is said together, up to the next flush, is stored together.
func (s *Session) say(bodies ...Body) error {
	for _, b := range bodies {
		if s.Redact != nil {
			b = s.Redact(b)
		}
		e := Event{Session: s.state.ID, Number: s.state.Last + 1, Time: s.Clock.Now(), Body: b}
		if err := s.state.Apply(e); err != nil {
			return err
		}
		s.batch = append(s.batch, e)
	}
	return nil
}

// flush stores what was said. It comes before every effect on the world: intent first.
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
	return nil
}

// An Interruption is the cause of a context that a person ended.
type Interruption struct{ By string }

func (i *Interruption) Error() string { return "interrupted by " + i.By }

// Unwrap: what it has ended was cancelled, and did not break.
func (i *Interruption) Unwrap() error { return context.Canceled }

// halted ends a session that is to stop where it stands: a person interrupted it, or its
// question needs one.
func (s *Session) halted(ctx context.Context) error {
	if o := s.desk.halt; o != nil {
		return s.end(*o)
	}
	if ctx.Err() == nil {
		return nil
	}
	by := "a signal"
	if i := (*Interruption)(nil); errors.As(context.Cause(ctx), &i) {
		by = i.By
	}
	if err := s.say(SessionInterrupted{By: by}); err != nil {
		return err
	}
	return s.end(Outcome{Ended: Interrupted, Reason: "interrupted by " + by})
}

// since is how long ago something began. A clock that was put back meanwhile takes nothing
// from the time that was worked.
func (s *Session) since(began time.Time) time.Duration { return max(0, s.Clock.Now().Sub(began)) }

func (s *Session) step() *Step         { return &s.state.Plan.Steps[s.state.Step] }
func (s *Session) current() *StepState { return &s.state.Steps[s.state.Step] }

// withinStep bounds a context by what is left of the step's time.
func (s *Session) withinStep() bounds {
	if s.step().Timeout == 0 {
		return unbounded
	}
	left := max(s.step().Timeout-s.current().Worked, time.Millisecond)
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(ctx, left, errStepTime)
	}
}

var errStepTime = errors.New("the step's time is up")
