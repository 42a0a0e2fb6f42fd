package plain

import (
	"io"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/internal/turnlog"
	"mulligan/view"
)

const (
	promptLines = 8 // of a turn's prompt that are shown
	outputLines = 6 // of what a tool printed
	workIndent  = "  "
	wordsBar    = "│" // before what an agent says, so that no words look like anything else
)

// A ShownTurn is a turn as its heading tells of it.
type ShownTurn struct {
	Number  int
	Step    string
	Attempt int
	Agent   string
	Purpose mulligan.Purpose
	Prompt  string
}

// Turn writes the heading of a turn: what it was for, and the first lines of its prompt.
func Turn(w io.Writer, t ShownTurn, opt Options) {
	why := view.PurposeWords(t.Purpose)
	parts := []part{bold.say("turn %d", t.Number)}
	if t.Step != "" {
		parts = append(parts, say("step %s", t.Step))
	}
	if t.Attempt > 0 && why == "" {
		parts = append(parts, say("attempt %d", t.Attempt))
	}
	opt.writeLine(w, "", append(parts, say("%s", why), say("agent %s", t.Agent))...)
	lines := strings.Split(strings.TrimSpace(view.Text(text.Clip(t.Prompt, 64<<10))), "\n")
	more := max(0, len(lines)-promptLines)
	lines = lines[:len(lines)-more]
	if more > 0 {
		lines = append(lines, "… "+text.Count(more, "more line")+" of the prompt")
	}
	for i, line := range lines {
		word := "prompt"
		if i > 0 {
			word = "      "
		}
		opt.writeLine(w, workIndent, dim.say("%s", word), part{tone: dim, text: line})
	}
}

// A WorkWriter writes what an agent said and did in a turn: its words, its tool calls, and the first lines of what
// each tool printed.
type WorkWriter struct {
	w       io.Writer
	agent   string
	opt     Options
	outputs int // lines of output since the last that was none
}

// NewWorkWriter returns a WorkWriter for one turn of an agent.
func NewWorkWriter(w io.Writer, agent string, opt Options) *WorkWriter {
	return &WorkWriter{w: w, agent: agent, opt: opt}
}

// Line writes a line of the turn's log.
func (w *WorkWriter) Line(l turnlog.Line) {
	if l.Kind == turnlog.Output {
		if w.outputs++; w.outputs <= outputLines {
			w.opt.writeLine(w.w, workIndent, part{tone: dim, text: "  " + showWork(l)})
		}
		return
	}
	w.endOutput()
	switch l.Kind {
	case turnlog.Call:
		mark := ">"
		if l.More {
			mark = " "
		}
		w.opt.writeLine(w.w, workIndent, part{tone: bold, text: mark + " " + showWork(l)})
	case turnlog.Thought, turnlog.Remark:
		w.opt.writeLine(w.w, workIndent, part{tone: dim, text: showWork(l)})
	default:
		w.opt.writeLine(w.w, workIndent, part{tone: dim, text: wordsBar}, part{text: showWork(l), near: true})
	}
}

// endOutput writes how much of an output was left out.
func (w *WorkWriter) endOutput() {
	if more := w.outputs - outputLines; more > 0 {
		w.opt.writeLine(w.w, workIndent, dim.say("  … %s", text.Count(more, "more line")))
	}
	w.outputs = 0
}

// Place writes the path of a file whose lines follow.
func (w *WorkWriter) Place(path string) {
	w.opt.writeLine(w.w, workIndent, part{tone: dim, text: "output " + view.Document(path)})
}

// Unread writes why a file cannot be read.
func (w *WorkWriter) Unread(err error) { w.opt.writeLine(w.w, workIndent, warn.say("%s", err.Error())) }

// Gap writes that lines are left out, and where they are.
func (w *WorkWriter) Gap(lines int64, path string) {
	w.endOutput()
	w.opt.writeLine(w.w, workIndent, warn.say("… %s left out; all of it: %s", text.Count(int(lines), "line"), path))
}

// End writes how the turn ended and what it used.
func (w *WorkWriter) End(b mulligan.TurnEnded) {
	w.endOutput()
	ending := say("%s", strings.ReplaceAll(string(b.Result.Ending), "_", " "))
	if b.Result.Ending != mulligan.Finished {
		ending.tone = warn
	}
	w.opt.writeLine(w.w, "", ending, formatTook(b.Duration), say("%s", b.Result.Reason), dim.say("%s", view.Spent(b.Result.Usage)))
	w.opt.writeDenials(b.Result, w.agent, func(parts ...part) { w.opt.writeLine(w.w, "", parts...) })
}

// writeDenials writes what the agent was not allowed, and what would allow it.
func (o Options) writeDenials(r mulligan.Result, agent string, writeLine func(...part)) {
	for _, use := range r.DeniedUses(agent) {
		writeLine(warn.say("denied"), say("%s", use), dim.say("to allow it: %s", view.Line(use.Allow)))
	}
	for _, refused := range r.Refused {
		writeLine(warn.say("refused"), say("writing %s", view.Line(refused.Path)), dim.say("to allow it: %s", view.Line(refused.Allow)))
	}
}

// showWork returns the text of a line as it is fit for a terminal, at its whole length.
func showWork(l turnlog.Line) string {
	shown := strings.TrimRight(strings.ReplaceAll(view.Document(l.Text), "\t", "    "), " ")
	if l.Cut {
		shown += "…"
	}
	return shown
}
