package page

import (
	"context"
	"sync"
	"time"

	"mulligan"
	"mulligan/journal/jetstream"
)

const (
	// titlePatience is how long a reading of the list may look for titles: the next one goes on.
	titlePatience = 200 * time.Millisecond
	// maxTitled is how many sessions, the newest ones, have their titles looked up.
	maxTitled = 200
)

// titles are the first lines of the tasks that are files, by session. The summary of a session has the file's name
// alone; the task itself is in the first event, which never changes.
type titles struct {
	mu    sync.Mutex
	known map[string]string
}

// fill gives the newest sessions of a list their titles.
func (t *titles) fill(ctx context.Context, store *jetstream.Store, list []entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := time.Now().Add(titlePatience)
	for i := range list[:min(len(list), maxTitled)] {
		e := &list[i]
		title, known := t.known[e.ID]
		if !known && time.Now().Before(end) && ctx.Err() == nil {
			title = readTitle(ctx, store, e.ID)
			if ctx.Err() == nil {
				t.known[e.ID] = title
			}
		}
		e.title = title
	}
}

// readTitle returns the title of a session's task, "" if the task is no file or cannot be read.
func readTitle(ctx context.Context, store *jetstream.Store, session string) string {
	for e, err := range store.Read(ctx, session, 1) {
		if err != nil {
			return "" // its own page says what is damaged
		}
		started, ok := e.Body.(mulligan.SessionStarted)
		if !ok || started.Plan == nil || started.Plan.Task.Path == "" {
			return ""
		}
		return started.Plan.Task.Title()
	}
	return ""
}
