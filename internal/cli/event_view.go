package cli

import (
	"io"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/runner"
	"mulligan/journal"
	"mulligan/view/plain"
)

// jsonLines prints events in the shape that docs/json.md describes.
type jsonLines struct{ w io.Writer }

func (j jsonLines) Event(e mulligan.Event) {
	line, err := journal.Encode(e)
	if err != nil {
		return
	}
	j.w.Write(append(line, '\n'))
}

func (jsonLines) Past(mulligan.Event) {}

// newView returns a view that prints events to standard output.
func (a *App) newView(asJSON bool) runner.EventView {
	if asJSON {
		return jsonLines{a.Stdout}
	}
	return plain.New(a.Stdout, a.lineOptions())
}

// newWorkingView returns a view of a session that continues, with what the agent says and does while a turn
// goes on. closeView must be called after the last event.
func (a *App) newWorkingView(asJSON bool) (view runner.EventView, closeView func()) {
	events, closeEvents := a.newFollowingView(asJSON)
	shown, ok := events.(workPrinter)
	if !ok {
		return events, closeEvents
	}
	w := newWorkView(shown)
	return w, func() {
		w.close()
		closeEvents()
	}
}

// newFollowingView returns a view of a session that continues: on a terminal it counts waits down.
// closeView must be called after the last event.
func (a *App) newFollowingView(asJSON bool) (view runner.EventView, closeView func()) {
	if asJSON || !environ.IsTerminal(a.Screen) || a.Getenv("TERM") == "dumb" {
		return a.newView(asJSON), func() {}
	}
	counter := plain.NewCounter(a.Stdout, a.Screen, a.lineOptions())
	return counter, counter.Close
}

func (a *App) lineOptions() plain.Options {
	return plain.Options{Color: a.Color(), Zone: time.Local, Width: a.Width()}
}
