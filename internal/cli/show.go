package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/journal"
	"mulligan/view/plain"
)

// An eventView shows events one by one. Those of an earlier process it only takes note of.
type eventView interface {
	Event(mulligan.Event)
	Past(mulligan.Event)
}

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

func (a *App) view(asJSON bool) eventView {
	if asJSON {
		return jsonLines{a.Stdout}
	}
	return plain.New(a.Stdout, a.lines())
}

// following is a view of a session that goes on: on a terminal it counts waits down. The function
// that it gives is for its end.
func (a *App) following(asJSON bool) (eventView, func()) {
	if asJSON || !environ.IsTerminal(a.Screen) || a.Getenv("TERM") == "dumb" {
		return a.view(asJSON), func() {}
	}
	counter := plain.NewCounter(a.Stdout, a.Screen, a.lines())
	return counter, counter.Close
}

func (a *App) lines() plain.Options {
	return plain.Options{Color: a.Color(), Zone: time.Local}
}

// watched says whether the session was begun by a person who looks on: on this terminal, or on the
// launcher's.
func (j *job) watched() bool {
	if j.ready.file != nil {
		return j.ready.watched
	}
	return !j.opt.JSON && environ.IsTerminal(j.app.Screen)
}

// showing is how long the last events of a session may take to come back from the journal: on a machine
// that is very busy, long.
const showing = time.Minute

// show prints a session's events as the journal has them, beside the session. The
// function that it gives waits until the last one is shown, where there is one.
func (j *job) show(ctx context.Context, id string) func(ended bool) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	view, closeView := j.app.following(j.opt.JSON)
	if j.watched() && j.ready.file == nil {
		go attend(ctx, j.store.Store, id)
	}
	go func() {
		defer close(done)
		defer closeView()
		for e, err := range j.store.Follow(ctx, id, 1) {
			if err != nil {
				if ctx.Err() == nil {
					j.warn(fmt.Sprintf("showing the session: %v", err))
				}
				return
			}
			if e.Number < j.began {
				view.Past(e)
				continue
			}
			view.Event(e)
			if _, over := e.Body.(mulligan.SessionEnded); over {
				return
			}
		}
	}()
	return func(ended bool) {
		if ended {
			select {
			case <-done:
			case <-time.After(showing):
			}
		}
		cancel()
		<-done
	}
}
