package plain

import (
	"fmt"
	"io"

	"github.com/charmbracelet/x/ansi"

	"mulligan/internal/text"
	"mulligan/view"
)

const listedTasks = 5

// board says how the agent's tasks stand, and which come next.
func (o Options) board(w io.Writer, s view.Snapshot) {
	if s.Tasks.All > 0 {
		o.field(w, "tasks", say("%s", s.Tasks))
	}
	if s.Over() {
		return
	}
	list := s.Tasks.List[:min(listedTasks, len(s.Tasks.List))]
	for _, t := range list {
		mark, state := taskMark(t)
		o.field(w, "", mark.say("%s %d", state, t.ID), say("%s", t.Content), dim.say("%s", view.About(t.TaskItem)))
	}
	if more := s.Tasks.Open - len(list); more > 0 {
		o.field(w, "", dim.say("… %d more open", more))
	}
	if s.Summary != "" {
		o.field(w, "summary", say("%s", s.Summary))
	}
	if s.Claimed {
		o.field(w, "claim", say("the agent says it is complete; the checks decide"))
	}
}

func taskMark(t view.Task) (tone, string) {
	switch {
	case t.Blocked:
		return dim, "◌"
	case t.Status == "in_progress":
		return bold, "●"
	}
	return usual, "○"
}

// hooks lists those that failed when they ran last, and counts the rest.
func (o Options) hooks(w io.Writer, s view.Snapshot) {
	well := 0
	for _, h := range s.Hooks {
		switch {
		case h.Running, h.Blocks() && isOfStopHooks(s): // what runs now is told apart, and so is evidence
		case h.OK && h.Blocked == 0:
			well++
		case h.Agents:
			o.field(w, "hook", say("%s", h.Name), say("%s", h.Moment), said(h), dim.say("%s", runs(h)))
		default:
			o.field(w, "hook", say("%s", h.Name), say("%s", h.Moment), bad.say("failed: %s", h.Exit), dim.say("%s", runs(h)))
		}
	}
	if well > 0 {
		o.field(w, "hooks", say("%d ok", well))
	}
}

// isOfStopHooks reports whether the evidence that is shown is that of Stop hooks.
func isOfStopHooks(s view.Snapshot) bool {
	v := s.Evidence
	if s.Over() {
		v = s.Outcome.Evidence
	}
	return v != nil && s.StopHooks(*v) != ""
}

// said is what a hook of the agent's decided last.
func said(h view.Hook) part {
	if h.OK {
		return good.say("%s", h.Said())
	}
	return bad.say("%s: %s", h.Said(), ansi.Truncate(h.Why(), toldWidth, "…"))
}

func runs(h view.Hook) string {
	if h.Runs < 2 {
		return ""
	}
	if h.Blocked > 0 {
		return fmt.Sprintf("blocked in %d of %d runs", h.Blocked, h.Runs)
	}
	return fmt.Sprintf("%d of %d runs", h.Failed, h.Runs)
}

// people says what waits for whom.
func (o Options) people(w io.Writer, s view.Snapshot) {
	for _, q := range s.Questions {
		o.field(w, "question", say("%d", q.ID), warn.say("%s", view.Line(q.Text)))
		o.field(w, "", bold.say("%s", answerWith(q.Question)), dim.say("%s", patience(q)))
		for _, what := range meanings(s, q.Question) {
			o.field(w, "", dim.say("%s", what))
		}
	}
	for _, q := range s.Settled {
		o.settled(w, q)
	}
	if s.Pending > 0 {
		o.field(w, "pending", say("%s for the agent's next turn", text.Count(s.Pending, "text")))
	}
}
