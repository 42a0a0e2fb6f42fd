package view

import (
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/state"
)

// A Model holds a session for a viewer: the session's own state, and a tracker of what the state has
// no use for. It is tolerant: a viewer that joins late, or meets an event of a kind that this version
// does not know, shows what it has. It is for use by one goroutine at a time.
type Model struct {
	state state.State
	start Snapshot // what stays until the task is run again
	tasks Tasks    // the agent's, unless tasksStale
	guard Guard    // unless guardStale
	shown Snapshot // the session after its last event, unless stale

	stale      bool // events have come since shown was made
	tasksStale bool // tasks have changed since tasks was made
	guardStale bool // what it depends on has changed since guard was made

	// What follows is the tracker.
	clock       stopwatch // of the session
	steps       []trackedStep
	resumed     int
	turn        int  // number of the last that began
	delivering  bool // that turn was part of the final delivery: no claim of before holds in it
	interrupted string
	pausing     string
	notes       []string
	activity    activity
	hooks       []Hook
	evidence    evidence
	output      *ring
}

// NewModel returns a model that has had no events.
func NewModel() *Model { return &Model{output: newRing(), stale: true} }

// State returns the session's state. It stays the model's.
func (m *Model) State() *state.State { return &m.state }

// Live takes a piece of what the agent, a check or a hook prints.
func (m *Model) Live(chunk []byte) {
	m.activity.silent = m.activity.silent && len(chunk) == 0
	m.output.turnLog = m.activity.turn != nil && !WritesRawLog(&m.state, m.activity.turn.Name)
	m.output.liner.write(chunk)
}

// WritesRawLog reports whether an agent's turns leave what its program printed as it is, all of it words, and not in the
// form of package turnlog.
func WritesRawLog(state *state.State, agent string) bool {
	plan := planOf(state)
	return plan != nil && slices.Contains([]string{"program", "aider"}, plan.Agents[agent].Type)
}

// Apply takes the session's next event.
func (m *Model) Apply(e mulligan.Event) {
	before, plan := lastEventTime(&m.state), planOf(&m.state)
	applyToState(&m.state, e)
	if b, _ := e.Body.(mulligan.SessionResumed); b.Again || planOf(&m.state) != plan {
		m.trackPlan(b.From)
	}
	m.stale = true
	m.trackEvent(e, before)
	snap := outlineState(&m.state)
	if b, ok := e.Body.(mulligan.Answered); ok {
		snap.Settled = findQuestion(&m.state, b.ID)
	}
	for _, r := range Remarks(e.Body, snap) {
		m.output.addRemark(r.String())
		for _, line := range r.Under {
			m.output.addRemark("  " + line)
		}
	}
}

// trackEvent notes what a viewer needs of an event and the state, which has had it, does not have. before
// is the time of the event before it.
func (m *Model) trackEvent(e mulligan.Event, before time.Time) {
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		m.clock.start(e.Time)
	case mulligan.SessionResumed:
		m.trackResumption(b, e.Time, before)
	case mulligan.SessionInterrupted:
		m.interrupted = Line(b.By)
		m.stopActivity()
	case mulligan.SessionEnded:
		m.trackEnd(e.Time)
	case mulligan.StepStarted:
		m.currentStep().clock.start(e.Time)
	case mulligan.StepVerified:
		m.trackStepEnd(e.Time)
		m.evidence = evidence{}
	case mulligan.StepFailed:
		m.trackStepEnd(e.Time)
		if b.Verdict != nil {
			m.evidence.verdict = b.Verdict
		}
	case mulligan.StepSkipped:
		m.trackStepEnd(e.Time)
		m.evidence = evidence{}
	case mulligan.StepCommitting:
		m.startActivity(Activity{Kind: OfCommit, Since: e.Time})
	case mulligan.AttemptStarted:
		m.currentStep().resetChecks()
		m.stopActivity()
	case mulligan.AttemptEnded, mulligan.Panicked, mulligan.SessionEnding:
		m.stopActivity()
	case mulligan.TurnStarted:
		m.trackTurn(b, e.Time)
	case mulligan.TurnEnded:
		m.trackTurnEnd(b)
	case mulligan.Waited:
		m.trackWait(b, e.Time)
	case mulligan.GateStarted:
		m.trackGate(b, e.Time)
	case mulligan.BaselineStarted:
		m.startActivity(Activity{Kind: OfCheck, Name: "baseline", Since: e.Time})
	case mulligan.BaselineEnded:
		m.stopActivity()
	case mulligan.GateEnded:
		m.trackVerdict(b)
	case mulligan.RoundEnded:
		if b.Status == mulligan.Pass {
			m.evidence.verdict, m.evidence.fedBack = nil, false
		}
	case mulligan.IterationKept:
		m.stopActivity()
		if b.Commit != "" {
			m.currentStep().commit = Line(b.Commit)
		}
	case mulligan.DeliveryKept:
		m.stopActivity()
		if b.Note != "" {
			m.addNote(b.Note)
		}
	case mulligan.Noted:
		m.addNote(b.Text)
	case mulligan.HookStarted:
		m.trackHook(b, e.Time)
	case mulligan.HookEnded:
		m.trackHookEnd(b)
	case mulligan.AgentHookStarted:
		m.trackAgentHooks(b, e.Time)
	case mulligan.AgentHookEnded:
		m.trackAgentHooksEnd(b)
	case mulligan.StopDecided:
		m.stopActivity()
		if endingOf(&m.state) == nil {
			m.evidence.takeDecision(b)
		}
	case mulligan.TaskAdded, mulligan.TaskChanged, mulligan.TaskCompleted:
		m.tasksStale, m.guardStale = true, true
	case mulligan.GuardSeen, mulligan.GuardDecided:
		m.guardStale = true
	case mulligan.GuardClaimed:
		m.guardStale = true
		m.trackClaim(b, e.Time)
	case mulligan.GuardRuled:
		m.guardStale = true
		m.trackRuling(b)
	case mulligan.PauseAsked:
		m.pausing = Line(b.By)
	}
}

func (m *Model) trackResumption(b mulligan.SessionResumed, at, before time.Time) {
	m.clock.stop(before)
	m.clock.start(at)
	for i := range m.steps {
		m.steps[i].clock.stop(before)
	}
	if isStepRunning(&m.state) {
		m.currentStep().clock.start(at)
	}
	m.resumed++
	m.interrupted, m.pausing = "", ""
	m.activity.beside, m.activity.validations = nil, nil
	m.stopActivity()
	if !b.Again {
		m.resumeWait(at)
		return
	}
	m.activity.wait = wait{}
	m.evidence = evidence{}
}

func (m *Model) trackEnd(at time.Time) {
	m.clock.stop(at)
	for i := range m.steps {
		m.steps[i].clock.stop(at)
		for j := range m.steps[i].checks {
			m.steps[i].checks[j].Running = false
		}
	}
	m.activity.beside, m.activity.validations = nil, nil
	m.stopActivity()
}

func (m *Model) trackStepEnd(at time.Time) {
	m.currentStep().clock.stop(at)
	m.stopActivity()
}

func (m *Model) trackTurn(b mulligan.TurnStarted, at time.Time) {
	m.turn, m.delivering = b.Turn, b.Purpose == mulligan.ForDelivery || b.Purpose == mulligan.ForHook && b.Base == mulligan.ForDelivery
	m.evidence.feedBack(b.Purpose)
	m.startActivity(Activity{Kind: OfAgent, Name: Line(b.Agent), Purpose: cleanValue(b.Purpose), SentBack: SentBackBy(b), Within: b.Within, Since: at})
	m.activity.turn, m.activity.silent = m.activity.running, true
	if b.Again {
		m.resumeWait(at)
	} else {
		m.activity.wait = wait{}
	}
}

func (m *Model) trackTurnEnd(b mulligan.TurnEnded) {
	m.stopActivity()
	m.activity.wait, m.activity.validations = wait{}, nil
	// A viewer that joins late has missed the live output; the last words are better than nothing.
	if m.activity.silent && b.Result.Message != "" {
		m.output.turnLog = false // words have no marks
		m.output.liner.write([]byte(b.Result.Message))
		m.output.flush()
	}
}

const keptNotes = 20

func (m *Model) addNote(text string) {
	m.notes = append(m.notes, Line(text))
	m.notes = m.notes[max(0, len(m.notes)-keptNotes):]
}

// Snapshot returns the session as it is now. The model never changes what it has returned.
func (m *Model) Snapshot(now time.Time) Snapshot {
	if m.stale {
		m.shown, m.stale = m.describeSession(), false
	}
	s := m.shown
	s.Elapsed = m.clock.elapsedAt(now)
	s.Steps = slices.Clone(s.Steps)
	for i := range s.Steps {
		s.Steps[i].Elapsed = m.steps[i].clock.elapsedAt(now)
	}
	s.Running = m.activity.runningAt(now)
	s.Gauges = gaugeState(&m.state, s.Running)
	s.Questions = addTimeLeft(s.Questions, now)
	s.Lines, s.LinesEver = m.output.lastLines()
	return s
}

// describeSession returns the session after its last event, without what changes by itself as time passes.
func (m *Model) describeSession() Snapshot {
	if m.tasksStale {
		m.tasks, m.tasksStale = describeTasks(boardOf(&m.state)), false
	}
	if m.guardStale {
		m.guard, m.guardStale = describeGuard(planOf(&m.state), guardOf(&m.state), m.state.OverLimit()), false
	}
	s := describeState(&m.state, m.start, m.tasks)
	s.Guard = m.guard
	for i := range s.Steps {
		s.Steps[i].Checks = slices.Clone(m.steps[i].checks)
		if !s.Steps[i].Status.Done() {
			s.Steps[i].Commit = m.steps[i].commit
		}
	}
	s.Claimed = s.Claimed && !m.delivering
	s.Turn, s.Resumed, s.Interrupted, s.Pausing = m.turn, m.resumed, m.interrupted, m.pausing
	s.Notes, s.Hooks = slices.Clone(m.notes), slices.Clone(m.hooks)
	s.Evidence, s.FedBack, s.Blocking = m.evidence.cleanVerdict(), m.evidence.fedBack, cleanValue(strings.Join(m.evidence.hooks, ", "))
	return s
}
