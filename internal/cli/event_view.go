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

func (a *App) newView(asJSON bool) runner.EventView {
	if asJSON {
		return jsonLines{a.Stdout}
	}
	return plain.New(a.Stdout, a.lineOptions())
}

// newFollowingView is a view of a session that goes on: on a terminal it counts waits down. The function
// that it gives is for its end.
func (a *App) newFollowingView(asJSON bool) (runner.EventView, func()) {
	if asJSON || !environ.IsTerminal(a.Screen) || a.Getenv("TERM") == "dumb" {
		return a.newView(asJSON), func() {}
	}
	counter := plain.NewCounter(a.Stdout, a.Screen, a.lineOptions())
	return counter, counter.Close
}

func (a *App) lineOptions() plain.Options {
	return plain.Options{Color: a.Color(), Zone: time.Local}
}
