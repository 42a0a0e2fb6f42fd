package runner

import (
	"fmt"

	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// publishEvents runs f, and meanwhile publishes the events to other programs if the person wants that.
func (r *Runner) publishEvents(f func() error) error {
	if r.Options.Listen == "" {
		return f()
	}
	l, err := r.journal.Listen(r.Options.Listen)
	if err != nil {
		return usererror.Usage(err.Error(), "name a port that is free, or 0 for any that is")
	}
	defer l.Close()
	// No file may keep the address: a session that is a process of its own tells it to its launcher alone.
	text := fmt.Sprintf("events: %s subject %s", l.URL(), jetstream.EventSubjects)
	if r.launcher.isOpen() {
		r.launcher.send(protocol.News{Text: text})
	} else {
		fmt.Fprintln(r.messages(), text)
	}
	return f()
}
