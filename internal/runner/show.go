package runner

import (
	"context"
	"fmt"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/protocol"
)

// An EventView shows events one by one.
type EventView interface {
	Event(mulligan.Event)
	// Past takes note of an event of an earlier process, and does not show it.
	Past(mulligan.Event)
}

// A teeView gives events to two views.
type teeView [2]EventView

func (t teeView) Event(e mulligan.Event) {
	t[0].Event(e)
	t[1].Event(e)
}

func (t teeView) Past(e mulligan.Event) {
	t[0].Past(e)
	t[1].Past(e)
}

// showPatience is how long the last events of a session may take to come back from the journal: on a
// machine that is very busy, long.
const showPatience = time.Minute

// isWatched reports whether a person who began the session watches it: on this terminal, or on the
// launcher's.
func (j *job) isWatched() bool {
	if j.launcher.isOpen() {
		return j.launcher.watches
	}
	return !j.Options.JSON && environ.IsTerminal(j.Env.Screen)
}

// showEvents prints a session's events as the journal has them, beside the session. stop waits until
// the last one is shown if the session has ended.
func (j *job) showEvents(ctx context.Context, id string) (stop func(ended bool)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	view, closeView := j.NewView()
	if j.telemetry != nil {
		view = teeView{j.telemetry.Session(), view}
	}
	if j.isWatched() && !j.launcher.isOpen() {
		go protocol.Attend(ctx, j.journal, id)
	}
	go func() {
		defer close(done)
		defer closeView()
		for e, err := range j.journal.Follow(ctx, id, 1) {
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
			case <-time.After(showPatience):
			}
		}
		cancel()
		<-done
	}
}
