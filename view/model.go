package view

import (
	"slices"
	"time"

	"mulligan"
)

const keptNotes = 20

// A Model folds events and live output. It is tolerant: a view that joins late, or
// meets an event it does not know, shows what it has. Its size does not grow with the
// session, but for the agent's tasks. It is for use by one goroutine at a time.
type Model struct {
	snap   Snapshot
	clock  span // of the session
	spans  []span
	wait   wait      // the last one, until the next turn
	turns  int       // begun so far
	turn   *Activity // the turn in flight: after a wait for a rate limit it goes on, and no event says so
	output *ring
	quiet  bool // no live output since the turn began

	board      mulligan.Board
	stale      bool // the board has changed since the last snapshot
	hooks      map[mulligan.Moment][]mulligan.HookSpec
	beside     []Activity // hooks that run while the agent goes on working
	pending    []int64    // the events that brought what waits for the agent
	given      []int64    // what the final delivery under way gives
	now        bool       // the iteration has had its turn for what hooks deliver now
	people     mulligan.People
	iterBefore int  // iterations before the task was run again
	blocked    bool // the evidence is that of Stop hooks
}

// NewModel is a model that has seen nothing.
func NewModel() *Model {
	return &Model{snap: Snapshot{Current: -1}, output: newRing()}
}

// Live takes a piece of what the agent, a check or a hook prints.
func (m *Model) Live(chunk []byte) {
	m.quiet = m.quiet && len(chunk) == 0
	m.output.liner.write(chunk)
}

// Apply takes the session's next event.
func (m *Model) Apply(e mulligan.Event) {
	m.snap.Session = Line(e.Session)
	m.fold(e)
	for _, r := range Remarks(e.Body, m.snap) {
		m.output.say(r.String())
		for _, line := range r.Under {
			m.output.say("  " + line)
		}
	}
	m.snap.Updated = e.Time
}

func (m *Model) fold(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		m.started(b, e.Time)
	case mulligan.SessionResumed:
		m.resumed(b, e.Time)
	case mulligan.SessionInterrupted:
		m.snap.Interrupted = Line(b.By)
		m.idle()
	case mulligan.SessionEnded:
		m.ended(b, e.Time)
	case mulligan.Noted:
		m.note(b.Text)
	case mulligan.Waited:
		m.waited(b, e.Time)
		m.use(b.Usage)
	default:
		m.applyStep(e)
	}
}

func (m *Model) applyStep(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.StepStarted:
		m.enter(b.Step)
		m.spans[m.snap.Current].start(e.Time)
	case mulligan.StepCommitting:
		m.run(OfCommit, "", e.Time)
	case mulligan.StepVerified:
		m.verified(b, e.Time)
	case mulligan.StepFailed:
		step := m.leave(b.Step, e.Time)
		step.Status = Failed
		if b.Verdict != nil {
			m.snap.Evidence = cleanVerdict(b.Verdict)
		}
	case mulligan.AttemptStarted:
		m.attempt(b)
	case mulligan.AttemptEnded:
		m.idle()
	default:
		m.applyWork(e)
	}
}

func (m *Model) applyWork(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.TurnStarted:
		m.turnStarted(b, e.Time)
	case mulligan.TurnEnded:
		m.turnEnded(b)
	case mulligan.GateStarted:
		m.run(OfCheck, b.Gate, e.Time)
		if c := m.check(b.Index, b.Gate); c != nil {
			*c = Check{Name: Line(b.Gate), Final: c.Final, Running: true}
		}
	case mulligan.GateEnded:
		m.gateEnded(b)
	default:
		m.applyLoop(e)
	}
}

func (m *Model) started(b mulligan.SessionStarted, at time.Time) {
	m.snap.Started, m.snap.PID, m.snap.Version = at, b.PID, Line(b.Version)
	m.snap.Place = cleanPlace(b.Place)
	m.setPlan(b.Plan)
	m.clock.start(at)
}

func (m *Model) resumed(b mulligan.SessionResumed, at time.Time) {
	last := m.snap.Updated
	m.clock.stop(last)
	m.clock.start(at)
	for i := range m.spans {
		m.spans[i].stop(last)
		if m.snap.Steps[i].Status == Running && !b.Again {
			m.spans[i].start(at)
		}
	}
	m.snap.PID, m.snap.Version = b.PID, Line(b.Version)
	m.snap.Resumed++
	m.snap.Outcome, m.snap.Interrupted, m.snap.Pausing = nil, "", ""
	m.beside, m.given = nil, nil
	m.idle()
	if out := m.snap.Ending; out != nil && (b.Again || out.Ended == mulligan.Interrupted) {
		m.snap.Ending = nil // it goes on instead
	}
	if !b.Again {
		m.waitsOn(at)
		return
	}
	m.wait = wait{}
	if b.Place != nil {
		m.snap.Place = cleanPlace(*b.Place)
	}
	m.again(b)
}

// again sets the steps from b.From on back to their beginning, under the new plan.
func (m *Model) again(b mulligan.SessionResumed) {
	before := m.snap.Steps
	m.iterBefore = m.snap.Iteration
	if b.Plan != nil {
		m.setPlan(b.Plan)
	}
	for i := range m.snap.Steps {
		step := &m.snap.Steps[i]
		old := slices.IndexFunc(before, func(s Step) bool { return s.Name == step.Name })
		if i < b.From && old >= 0 {
			*step = before[old]
			continue
		}
		earlier := 0
		if old >= 0 {
			earlier = before[old].Earlier + before[old].Attempt
		}
		*step = Step{Name: step.Name, Status: Open, Max: step.Max, Limits: step.Limits, Earlier: earlier, Checks: resetChecks(step.Checks)}
	}
	m.snap.Evidence, m.snap.FedBack, m.snap.Claimed, m.blocked = nil, false, false, false
}

func (m *Model) setPlan(p *mulligan.Plan) {
	if p == nil {
		return
	}
	m.snap.Commits = p.Git.Commit
	m.snap.Task, m.snap.Folder, m.snap.Pipeline = Line(p.Task.Path), Line(p.Task.Folder), Line(p.Pipeline)
	m.hooks, m.people, m.snap.HookRetries = p.Hooks, p.People, p.AgentHooks.MaxRetries
	m.snap.Agents = agents(p)
	m.snap.Loop = nil
	if p.Loop != nil {
		m.snap.Loop = &Loop{Iterations: p.Loop.Iterations, Before: m.iterBefore}
	}
	m.snap.Current = -1
	m.snap.Steps = make([]Step, len(p.Steps))
	m.spans = make([]span, len(p.Steps))
	for i, s := range p.Steps {
		step := Step{Name: Line(s.Name), Status: Open, Max: s.Retry + 1, Limits: s.Limits}
		for _, c := range s.Checks {
			step.Checks = append(step.Checks, Check{Name: Line(c.Name), Final: c.Final})
		}
		m.snap.Steps[i] = step
	}
}

// enter makes the named step the current one; one that no plan told of is added.
func (m *Model) enter(name string) *Step {
	name = Line(name)
	i := slices.IndexFunc(m.snap.Steps, func(s Step) bool { return s.Name == name })
	if i < 0 {
		i = len(m.snap.Steps)
		m.snap.Steps = append(m.snap.Steps, Step{Name: name})
		m.spans = append(m.spans, span{})
	}
	m.snap.Current = i
	m.snap.Steps[i].Status = Running
	return &m.snap.Steps[i]
}

// leave closes a step's time.
func (m *Model) leave(name string, at time.Time) *Step {
	step := m.enter(name)
	m.spans[m.snap.Current].stop(at)
	m.idle()
	return step
}

func (m *Model) verified(b mulligan.StepVerified, at time.Time) {
	step := m.leave(b.Step, at)
	step.Status, step.Commit = Verified, Line(b.Commit)
	step.Waived = cleanLines(b.Waived)
	if b.Accepted || len(b.By) == 0 {
		step.Status = Accepted
	}
	m.snap.Evidence, m.snap.FedBack, m.blocked = nil, false, false
}

func (m *Model) attempt(b mulligan.AttemptStarted) {
	step := m.enter(b.Step)
	step.Attempt, step.Strategy, step.Waived = b.Attempt, Line(b.Strategy), nil
	step.Checks = resetChecks(step.Checks)
	m.snap.Iteration = b.Iteration
	m.snap.Claimed, m.now = false, false
	m.idle()
}

func (m *Model) turnStarted(b mulligan.TurnStarted, at time.Time) {
	m.countTurn(b.Turn)
	m.snap.Turn = b.Turn
	m.snap.Claimed = m.snap.Claimed && b.Purpose == mulligan.ForHook
	switch b.Purpose {
	case mulligan.ForAttempt:
		m.snap.FedBack = m.snap.Evidence != nil
	case mulligan.ForHook:
		m.snap.FedBack = m.snap.FedBack || m.blocked
	case mulligan.ForNow:
		m.now = true
	}
	if base(b) == mulligan.ForDelivery {
		m.given = b.Drains // pending until it has been given
	} else {
		m.drain(b.Drains)
	}
	m.runFor(Activity{Kind: OfAgent, Name: Line(b.Agent), Purpose: mulligan.Purpose(Line(string(b.Purpose))), SentBack: SentBackBy(b), Since: at})
	m.turn, m.quiet = m.snap.Running, true
	if b.Again {
		m.waitsOn(at)
	} else {
		m.wait = wait{}
	}
}

func (m *Model) turnEnded(b mulligan.TurnEnded) {
	m.idle()
	m.wait = wait{}
	if b.Result.Ending.Examined() {
		m.drain(m.given)
	}
	m.given = nil
	m.use(b.Result.Usage)
	// Whoever joins late has missed the live output; the last words are better than nothing.
	if m.quiet && b.Result.Message != "" {
		m.output.liner.write([]byte(b.Result.Message))
		m.output.flush()
	}
}

func (m *Model) gateEnded(b mulligan.GateEnded) {
	m.idle()
	v := cleanVerdict(&b.Verdict)
	if c := m.check(b.Index, b.Verdict.Gate); c != nil {
		*c = Check{Name: v.Gate, Final: c.Final, Status: v.Status, Summary: Summary(*v), Duration: v.Duration}
	}
	if v.Status != mulligan.Pass && m.snap.Ending == nil {
		m.snap.Evidence, m.snap.FedBack, m.blocked = v, false, false
	}
}

// check is the current step's check at an index; gates that the plan does not list
// come after those it does.
func (m *Model) check(index int, name string) *Check {
	step := m.snap.Step()
	if step == nil || index < 0 || m.snap.Ending != nil { // what follows a final delivery belongs to no attempt
		return nil
	}
	if index >= len(step.Checks) {
		index = len(step.Checks)
		if index > 0 && step.Checks[index-1].Name == Line(name) {
			return &step.Checks[index-1]
		}
		step.Checks = append(step.Checks, Check{Name: Line(name)})
	}
	return &step.Checks[index]
}

func (m *Model) ended(b mulligan.SessionEnded, at time.Time) {
	m.clock.stop(at)
	for i := range m.spans {
		m.spans[i].stop(at)
	}
	m.idle()
	if step := m.snap.Step(); step != nil {
		for i := range step.Checks {
			step.Checks[i].Running = false
		}
	}
	m.beside, m.snap.Ending = nil, nil
	m.snap.Outcome = cleanOutcome(b.Outcome)
}

func (m *Model) idle() { m.snap.Running, m.turn = nil, nil }

func (m *Model) run(kind ActivityKind, name string, since time.Time) {
	m.runFor(Activity{Kind: kind, Name: Line(name), Since: since})
}

func (m *Model) runFor(a Activity) {
	m.snap.Running = &a
	if a.Kind != OfWait && a.Kind != OfCommit {
		m.output.mark(m.mark(a))
	}
}

// mark says whose output follows.
func (m *Model) mark(a Activity) string {
	switch step := m.snap.Step(); {
	case a.Kind != OfAgent:
		return a.String()
	case a.Purpose != mulligan.ForAttempt:
		return a.String() + ", " + a.Why()
	case step != nil && (step.Attempt > 1 || m.snap.Loop != nil):
		return a.String() + ", " + m.snap.Try()
	}
	return a.String()
}

// Snapshot is the session as it is now. It shares nothing with the model.
func (m *Model) Snapshot(now time.Time) Snapshot {
	if m.stale {
		m.snap.Tasks, m.stale = m.tasks(), false
	}
	s := m.snap
	s.Elapsed = m.clock.at(now)
	s.Steps = slices.Clone(s.Steps)
	for i := range s.Steps {
		s.Steps[i].Elapsed = m.spans[i].at(now)
		s.Steps[i].Checks = slices.Clone(s.Steps[i].Checks)
		s.Steps[i].Waived = slices.Clone(s.Steps[i].Waived)
	}
	s.Running = m.running(now)
	s.Agents = slices.Clone(s.Agents)
	s.Notes = slices.Clone(s.Notes)
	s.Hooks = slices.Clone(s.Hooks)
	s.Questions = m.questions(now)
	s.Settled = slices.Clone(s.Settled)
	s.Lines, s.LinesEver = m.output.last()
	return s
}

func (m *Model) running(now time.Time) *Activity {
	if m.snap.Running == nil && len(m.beside) == 0 {
		return nil
	}
	var a Activity
	if m.snap.Running != nil {
		a = *m.snap.Running
	} else {
		a = m.beside[0] // what is waited for
	}
	if a.Kind == OfWait {
		a = m.counted(a, now)
	}
	a.Elapsed = max(0, now.Sub(a.Since))
	return &a
}

func resetChecks(checks []Check) []Check {
	fresh := make([]Check, len(checks))
	for i, c := range checks {
		fresh[i] = Check{Name: c.Name, Final: c.Final}
	}
	return fresh
}
