package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mulligan"
	"mulligan/internal/runner"
	"mulligan/view"
	"mulligan/view/plain"
)

// outputLines is how many lines of an output `log --output` prints of its beginning, and of its end.
const outputLines = 100

// An outputView shows events, and under the end of a turn, a check or a hook what it printed.
type outputView struct {
	workPrinter
	app    *App
	folder string // of the session's outputs
	agent  string // of the turn under way
	turn   int
}

// withOutput returns a view that shows outputs too, if it shows lines and not JSON.
func (a *App) withOutput(id string, view runner.EventView) (runner.EventView, error) {
	where, err := a.Folders()
	lines, ok := view.(workPrinter)
	if err != nil || !ok {
		return view, err
	}
	return &outputView{workPrinter: lines, app: a, folder: where.Session(id)}, nil
}

// Event shows an event, and what the thing printed that ended with it.
func (o *outputView) Event(e mulligan.Event) {
	if b, ok := e.Body.(mulligan.TurnStarted); ok {
		o.agent, o.turn = b.Agent, b.Turn
	}
	o.workPrinter.Event(e)
	name := runner.OutputFile(e, o.turn)
	if name == "" {
		return
	}
	_, isTurn := e.Body.(mulligan.TurnEnded)
	path := filepath.Join(o.folder, name)
	w := plain.NewWorkWriter(o.app.Stdout, o.agent, o.app.lineOptions())
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return // a check that prints nothing has no file, and old sessions may have lost theirs
	}
	w.Place(path)
	if err := readLog(path, !isTurn || view.WritesRawLog(o.State(), o.agent), outputLines, w.Line, w.Gap); err != nil {
		w.Unread(err)
	}
}
