package view

import (
	"slices"
	"strings"
	"time"

	"mulligan"
)

const keptHooks = 50 // more than a user has

// A Hook is one of the user's commands at a moment of the session, as it went last.
type Hook struct {
	Moment   mulligan.Moment
	Index    int // in the moment's list
	Name     string
	Agents   bool // of a moment of the agent: Stop and the like
	Running  bool
	OK       bool   // it ended well; the agent's: it allows
	Decision string // the agent's: allow, broken, block, halt
	Reason   string // of that
	Exit     string
	Runs     int
	Failed   int // how many of the runs; the agent's: could not tell
	Blocked  int // how many blocked
}

// DecisionWords returns what a hook that is not OK, or one of an agent's moment, came to last, in a word
// or two.
func (h Hook) DecisionWords() string {
	if !h.Agents {
		return "failed"
	}
	return decisionWord(string(h.Moment), h.Decision)
}

// Why returns the reason of that decision.
func (h Hook) Why() string {
	if h.Reason == "" || h.Decision == mulligan.HookBroken {
		return h.Exit
	}
	return h.Reason
}

// Blocks reports whether the hook keeps the agent from stopping.
func (h Hook) Blocks() bool { return h.Moment == mulligan.EventStop && h.Decision == mulligan.Block }

// trackHook notes that a hook runs. One of on_task_complete runs beside the agent.
func (m *Model) trackHook(b mulligan.HookStarted, at time.Time) {
	h := m.findHook(Hook{Moment: b.Moment, Index: b.Index, Name: b.Name})
	h.Running = true
	h.Runs++
	a := Activity{Kind: OfHook, Name: hookName(b.Moment, b.Name), Since: at}
	if b.Moment != mulligan.OnTaskComplete {
		m.startActivity(a)
		return
	}
	m.activity.beside = append(m.activity.beside, a)
	m.output.addHeading(a.String())
}

// trackHookEnd notes how a hook went.
func (m *Model) trackHookEnd(b mulligan.HookEnded) {
	h := m.findHook(Hook{Moment: b.Moment, Index: b.Index, Name: b.Name})
	h.Running, h.OK, h.Exit = false, b.Result.OK, Line(b.Result.Exit)
	h.Runs = max(1, h.Runs)
	if !b.Result.OK {
		h.Failed++
	}
	if b.Moment != mulligan.OnTaskComplete {
		m.stopActivity()
		return
	}
	t, name := &m.activity, hookName(b.Moment, b.Name)
	if i := slices.IndexFunc(t.beside, func(a Activity) bool { return a.Name == name }); i >= 0 {
		t.beside = slices.Delete(t.beside, i, i+1)
	}
	if t.turn != nil {
		m.output.addHeading(m.headOutput(*t.turn)) // more of the agent's output follows
	}
}

// trackAgentHooks notes that the hooks of an agent's moment run.
func (m *Model) trackAgentHooks(b mulligan.AgentHookStarted, at time.Time) {
	for i, name := range b.Hooks {
		h := m.findHook(Hook{Moment: mulligan.Moment(b.Event), Name: name, Index: countName(b.Hooks[:i], name), Agents: true})
		h.Running = true
		h.Runs++
	}
	m.startActivity(Activity{Kind: OfHook, Name: hookName(mulligan.Moment(b.Event), strings.Join(b.Hooks, ", ")), Since: at})
}

// trackAgentHooksEnd notes how they went. The hooks inside an agent are part of its turn, which runs on.
func (m *Model) trackAgentHooksEnd(b mulligan.AgentHookEnded) {
	if !b.Inside { // else the agent works on
		m.stopActivity()
	}
	var names []string
	for _, run := range b.Reply.Runs {
		h := m.findHook(Hook{Moment: mulligan.Moment(b.Event), Name: run.Name, Index: countName(names, run.Name), Agents: true})
		known := h.Decision != ""
		names = append(names, run.Name)
		h.Running, h.OK = false, run.Decision == mulligan.Allow
		h.Decision, h.Exit, h.Reason = Line(run.Decision), Line(run.Exit), Line(run.Reason)
		if h.Runs = max(1, h.Runs); b.Inside && known {
			h.Runs++ // no event told that it began
		}
		switch run.Decision {
		case mulligan.Block:
			h.Blocked++
		case mulligan.HookBroken:
			h.Failed++
		}
	}
	if b.Event == mulligan.EventStop && !b.Inside && endingOf(&m.state) == nil {
		m.evidence.takeReply(b.Reply)
	}
}

// findHook returns a hook, which it adds if that has not run before. A moment's hook is the one at an
// index of the moment's list. An agent's hook is the nth of a name: its index in the list would not do,
// since hooks that are ignored leave the list.
func (m *Model) findHook(h Hook) *Hook {
	h = cleanValue(h)
	i := slices.IndexFunc(m.hooks, func(o Hook) bool {
		return o.Agents == h.Agents && o.Moment == h.Moment && o.Index == h.Index && (o.Name == h.Name || !h.Agents)
	})
	if i < 0 {
		m.hooks = append(m.hooks, h)
		m.hooks = m.hooks[max(0, len(m.hooks)-keptHooks):]
		i = len(m.hooks) - 1
	}
	m.hooks[i].Name = h.Name
	return &m.hooks[i]
}

// countName returns how often a name is in a list.
func countName(list []string, name string) int {
	n := 0
	for _, other := range list {
		if other == name {
			n++
		}
	}
	return n
}

// hookName returns a hook's name among other activities: "tests (post_iteration)".
func hookName(at mulligan.Moment, name string) string {
	return Line(name) + " (" + Line(string(at)) + ")"
}
