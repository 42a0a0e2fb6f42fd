package crashpoint

import (
	"context"
	"io"
	"strings"

	"mulligan"
	"mulligan/loop"
)

// Session wraps all through which a session stores and acts, with points around each call.
func (p *Points) Session(s *loop.Session) *loop.Session {
	if p == nil {
		return s
	}
	agent, gates := s.Agent, s.Gates
	s.Journal = pointedJournal{s.Journal, p}
	s.Workspace = pointedWorkspace{s.Workspace, p}
	s.Proof = pointedProof{s.Proof, p}
	s.Store = pointedStore{s.Store, p}
	s.Agent = func(name string) (mulligan.Agent, error) {
		a, err := agent(name)
		return pointedAgent{a, p}, err
	}
	s.Gates = func(step mulligan.Step) ([]mulligan.Gate, error) {
		all, err := gates(step)
		for i, g := range all {
			all[i] = pointedGate{g, p}
		}
		return all, err
	}
	s.Hooks = pointedHooks{s.Hooks, p}
	s.AgentHooks = pointedAgentHooks{s.AgentHooks, p}
	if s.Notify != nil {
		s.Notify = pointedNotifier{s.Notify, p}
	}
	return s
}

type pointedJournal struct {
	mulligan.Journal
	points *Points
}

func (j pointedJournal) Append(ctx context.Context, session string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	kinds := make([]string, len(events))
	for i, e := range events {
		kinds[i] = e.Body.Kind()
	}
	defer j.points.enter("append " + strings.Join(kinds, ", "))()
	return j.Journal.Append(ctx, session, after, events, s)
}

type pointedWorkspace struct {
	mulligan.Workspace
	points *Points
}

func (w pointedWorkspace) Take(ctx context.Context, label string, look mulligan.Look) (mulligan.Tree, error) {
	defer w.points.enter("take")()
	return w.Workspace.Take(ctx, label, look)
}

func (w pointedWorkspace) Lay(ctx context.Context, to mulligan.Tree) error {
	return w.points.Around("lay", func() error { return w.Workspace.Lay(ctx, to) })
}

func (w pointedWorkspace) PutBack(ctx context.Context, to mulligan.Tree, paths []string) (mulligan.Tree, error) {
	defer w.points.enter("put back")()
	return w.Workspace.PutBack(ctx, to, paths)
}

func (w pointedWorkspace) Ready(ctx context.Context) error {
	return w.points.Around("ready", func() error { return w.Workspace.Ready(ctx) })
}

type pointedProof struct {
	mulligan.Proof
	points *Points
}

func (p pointedProof) Lay(ctx context.Context, to mulligan.Tree) error {
	return p.points.Around("lay proof", func() error { return p.Proof.Lay(ctx, to) })
}

func (p pointedProof) LayFresh(ctx context.Context, to mulligan.Tree) error {
	return p.points.Around("lay fresh proof", func() error { return p.Proof.LayFresh(ctx, to) })
}

type pointedStore struct {
	mulligan.Store
	points *Points
}

func (s pointedStore) Commit(ctx context.Context, c mulligan.Commit) (string, error) {
	defer s.points.enter("commit")()
	return s.Store.Commit(ctx, c)
}

func (s pointedStore) Deliver(ctx context.Context, label string, good bool) (mulligan.Handover, error) {
	defer s.points.enter("deliver")()
	return s.Store.Deliver(ctx, label, good)
}

type pointedAgent struct {
	mulligan.Agent
	points *Points
}

func (a pointedAgent) Turn(ctx context.Context, t mulligan.Turn) (r mulligan.Result, err error) {
	t.Log = &pointedOutput{Writer: t.Log, what: "turn prints", points: a.points}
	err = a.points.Around("turn", func() error {
		a.points.countTurn()
		r, err = a.Agent.Turn(ctx, t)
		return err
	})
	return r, err
}

type pointedGate struct {
	mulligan.Gate
	points *Points
}

func (g pointedGate) Examine(ctx context.Context, w mulligan.Work) (v mulligan.Verdict) {
	if w.Live != nil {
		w.Live = &pointedOutput{Writer: w.Live, what: "check prints", points: g.points}
	}
	defer g.points.enter("check")()
	return g.Gate.Examine(ctx, w)
}

type pointedHooks struct {
	mulligan.HookRunner
	points *Points
}

func (h pointedHooks) Run(ctx context.Context, c mulligan.HookCall) mulligan.HookResult {
	if c.Live != nil {
		c.Live = &pointedOutput{Writer: c.Live, what: "hook prints", points: h.points}
	}
	defer h.points.enter("hook " + string(c.Moment))()
	return h.HookRunner.Run(ctx, c)
}

type pointedAgentHooks struct {
	mulligan.AgentHookRunner
	points *Points
}

func (h pointedAgentHooks) Run(ctx context.Context, c mulligan.AgentHookCall) mulligan.AgentHookReply {
	defer h.points.enter("agent hooks " + c.Event)()
	return h.AgentHookRunner.Run(ctx, c)
}

type pointedNotifier struct {
	mulligan.Notifier
	points *Points
}

func (n pointedNotifier) Send(ctx context.Context, d mulligan.Delivery) []mulligan.NotifyResult {
	defer n.points.enter("notify " + string(d.Notice.Moment))()
	return n.Notifier.Send(ctx, d)
}

// A pointedOutput has points while a child runs: after each of its first writes.
type pointedOutput struct {
	io.Writer
	what   string
	points *Points
	writes int
}

const pointedWrites = 4

func (o *pointedOutput) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if o.writes++; o.writes <= pointedWrites {
		o.points.Pass(o.what)
	}
	return n, err
}
