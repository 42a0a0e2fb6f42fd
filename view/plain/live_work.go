package plain

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mulligan/internal/turnlog"
	"mulligan/state"
	"mulligan/view"
)

// How much of a turn is written while it goes on. `mulligan show` has the rest.
const (
	wordsWidth   = 100 // where lines of words are wrapped
	messageLines = 12  // of what an agent says between two tool calls
	turnLines    = 200 // of a turn in all
)

// A liveWork counts what was written of the turn under way.
type liveWork struct {
	turn    int
	message int // lines since the last call
	lines   int
	missing bool // something was left out
}

// State returns the session's state. It stays the Plain's.
func (p *Plain) State() *state.State { return p.model.State() }

// Work writes a line of the log of the turn under way, short: the agent's words and its tool calls, and
// not what tools print. A call of the session's own tools is told by its event.
func (p *Plain) Work(l turnlog.Line) {
	switch shown := strings.TrimSpace(showWork(l)); {
	case shown == "" || l.More:
	case l.Own:
		p.work.message = 0
	case l.Kind == turnlog.Call:
		p.work.message = 0
		p.writeWork("> "+ansi.Truncate(shown, wordsWidth, "…"), bold)
	case l.Kind == turnlog.Words:
		for line := range strings.Lines(ansi.Wrap(strings.TrimRight(showWork(l), " "), wordsWidth, "")) {
			p.work.message++
			p.writeWork(wordsBar+" "+strings.TrimRight(line, "\n"), dim)
		}
	}
}

// SkipWork notes that lines of the log are left out.
func (p *Plain) SkipWork() { p.work.missing = true }

// writeWork writes a line of the agent's work under the last line of the session, unless there are too
// many.
func (p *Plain) writeWork(line string, t tone) {
	if p.work.lines >= turnLines || p.work.message > messageLines {
		p.work.missing = true
		return
	}
	p.work.lines++
	p.opt.writeLine(p.w, strings.Repeat(" ", clockWidth+2+nameWidth(p.snap.Steps)+2), part{tone: t, text: line})
}

// endWork writes where the rest of the turn's work is, if something was left out.
func (p *Plain) endWork() {
	if p.work.missing {
		p.work.message, p.work.lines = 0, 0
		p.writeWork("… more: mulligan show "+view.Line(p.snap.Session)+" "+strconv.Itoa(p.work.turn), dim)
	}
	p.work = liveWork{}
}
