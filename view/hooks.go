package view

import (
	"slices"
	"time"

	"mulligan"
)

const keptHooks = 50 // more than anybody has

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
	Piped    bool // the agent gets what it printed
	Duration time.Duration
	Runs     int
	Failed   int // how many of the runs; the agent's: could not tell
	Blocked  int // how many blocked
}

// Said is what a hook of the agent's decided last, in a word or two.
func (h Hook) Said() string { return decisionWord(string(h.Moment), h.Decision) }

// Why is the reason of that.
func (h Hook) Why() string {
	if h.Reason == "" || h.Decision == mulligan.HookBroken {
		return h.Exit
	}
	return h.Reason
}

// Blocks says that the hook keeps the agent from stopping.
func (h Hook) Blocks() bool { return h.Moment == mulligan.EventStop && h.Decision == mulligan.Block }

// applyHook takes what happens to hooks, and says whether that was it.
func (m *Model) applyHook(e mulligan.Event) bool {
	switch b := e.Body.(type) {
	case mulligan.HookStarted:
		m.hookStarted(b, e.Time)
	case mulligan.HookEnded:
		m.hookEnded(e.Number, b)
	default:
		return false
	}
	return true
}

func (m *Model) hookStarted(b mulligan.HookStarted, at time.Time) {
	h := m.hook(b.Moment, b.Index, b.Name)
	h.Running = true
	h.Runs++
	name := hookName(b.Moment, b.Name)
	if b.Moment != mulligan.OnTaskComplete {
		m.run(OfHook, name, at)
		return
	}
	a := Activity{Kind: OfHook, Name: name, Since: at}
	m.beside = append(m.beside, a)
	m.output.mark(a.String())
}

func (m *Model) hookEnded(number int64, b mulligan.HookEnded) {
	h := m.hook(b.Moment, b.Index, b.Name)
	h.Running, h.OK, h.Exit, h.Piped, h.Duration = false, b.Result.OK, Line(b.Result.Exit), b.Piped, b.Duration
	h.Runs = max(1, h.Runs)
	if !b.Result.OK {
		h.Failed++
	}
	if b.Piped && m.waits(b) {
		m.pend(number)
	}
	if b.Moment != mulligan.OnTaskComplete {
		m.idle()
		return
	}
	name := hookName(b.Moment, b.Name)
	if i := slices.IndexFunc(m.beside, func(a Activity) bool { return a.Name == name }); i >= 0 {
		m.beside = slices.Delete(m.beside, i, i+1)
	}
	if m.turn != nil {
		m.output.mark(m.mark(*m.turn)) // the agent's output goes on
	}
}

// waits says whether what a hook printed waits for the next iteration; the rest goes into a
// prompt of this one.
func (m *Model) waits(b mulligan.HookEnded) bool {
	switch b.Moment {
	case mulligan.PreIteration, mulligan.OnError:
		return false
	case mulligan.PostIteration:
		list := m.hooks[b.Moment]
		return m.now || b.Index < 0 || b.Index >= len(list) || !list[b.Index].Now
	}
	return true
}

// hook is the one at a place of the moment's list, made where it has not run before.
func (m *Model) hook(at mulligan.Moment, index int, name string) *Hook {
	at = mulligan.Moment(Line(string(at)))
	i := slices.IndexFunc(m.snap.Hooks, func(h Hook) bool { return !h.Agents && h.Moment == at && h.Index == index })
	if i < 0 {
		m.keepHook(Hook{Moment: at, Index: index})
		i = len(m.snap.Hooks) - 1
	}
	m.snap.Hooks[i].Name = Line(name)
	return &m.snap.Hooks[i]
}

func (m *Model) keepHook(h Hook) {
	m.snap.Hooks = append(m.snap.Hooks, h)
	m.snap.Hooks = m.snap.Hooks[max(0, len(m.snap.Hooks)-keptHooks):]
}

// hookName is a hook among other activities: "tests (post_iteration)".
func hookName(at mulligan.Moment, name string) string {
	return Line(name) + " (" + Line(string(at)) + ")"
}
