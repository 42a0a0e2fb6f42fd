package plain

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mulligan/internal/text"
	"mulligan/view"
)

const listedTasks = 5

// writeTasks writes how many of the agent's tasks are done, and which come next.
func (o Options) writeTasks(w io.Writer, s view.Snapshot) {
	o.writeFilled(w, "tasks", say("%s", s.Tasks))
	if s.Over() {
		return
	}
	list := s.Tasks.List[:min(listedTasks, len(s.Tasks.List))]
	for _, t := range list {
		mark, style := t.Mark()
		o.writeField(w, "", tone(style).say("%s %d", mark, t.ID), say("%s", t.Content), dim.say("%s", view.TaskDetails(t.TaskItem)))
	}
	if more := s.Tasks.Open - len(list); more > 0 {
		o.writeField(w, "", dim.say("… %d more open", more))
	}
	o.writeFilled(w, "summary", say("%s", s.Summary))
	if s.Claimed {
		o.writeField(w, "claim", say("the agent says it is complete; the checks decide"))
	}
}

// writeHooks lists the hooks that failed when they ran last, and counts the rest.
func (o Options) writeHooks(w io.Writer, s view.Snapshot) {
	well := 0
	for _, h := range s.Hooks {
		switch {
		case h.Running, h.Blocks() && isOfStopHooks(s): // what runs now has its own line, and so has the evidence
		case h.OK && h.Blocked == 0:
			well++
		case h.Agents:
			o.writeField(w, "hook", say("%s", h.Name), say("%s", h.Moment), describeDecision(h), dim.say("%s", countRuns(h)))
		default:
			o.writeField(w, "hook", say("%s", h.Name), say("%s", h.Moment), bad.say("failed: %s", h.Exit), dim.say("%s", countRuns(h)))
		}
	}
	if well > 0 {
		o.writeField(w, "hooks", say("%d ok", well))
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

// describeDecision returns what a hook of an agent's moment decided last.
func describeDecision(h view.Hook) part {
	if h.OK {
		return good.say("%s", h.DecisionWords())
	}
	return bad.say("%s: %s", h.DecisionWords(), ansi.Truncate(h.Why(), toldWidth, "…"))
}

// countRuns returns in how many of its runs a hook failed or blocked, "" if it has run once.
func countRuns(h view.Hook) string {
	if h.Runs < 2 {
		return ""
	}
	if h.Blocked > 0 {
		return fmt.Sprintf("blocked in %d of %d runs", h.Blocked, h.Runs)
	}
	return fmt.Sprintf("%d of %d runs", h.Failed, h.Runs)
}

// writeQuestions writes what waits for a person, and what waits for the agent.
func (o Options) writeQuestions(w io.Writer, s view.Snapshot) {
	for _, q := range s.Questions {
		first, under := view.QuestionLines(q.Question)
		o.writeField(w, "question", say("%d", q.ID), warn.say("%s", first))
		o.writeQuote(w, strings.Repeat(" ", labelWidth+2), under)
		o.writeField(w, "", bold.say("%s", view.AnswerCommand(q.Question)), dim.say("%s", patienceWords(q)))
		for _, what := range explainOptions(s, q.Question) {
			o.writeField(w, "", dim.say("%s", what))
		}
	}
	for _, q := range s.Settled {
		o.writeSettled(w, q)
	}
	if s.Pending > 0 {
		o.writeField(w, "pending", say("%s for the agent's next turn", text.Count(s.Pending, "text")))
	}
}
