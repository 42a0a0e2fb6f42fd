package runner

import (
	"fmt"

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
	r.sayPrivately(fmt.Sprintf("events: %s subject %s", l.URL(), jetstream.EventSubjects))
	return f()
}

// sayPrivately tells the person something that no file may keep: a session that is a process of its
// own tells it to its launcher.
func (r *Runner) sayPrivately(text string) {
	switch {
	case r.launcher.isOpen():
		r.launcher.sendText(text)
	case r.Options.JSON:
		fmt.Fprintln(r.Env.Stderr, text)
	default:
		fmt.Fprintln(r.Env.Stdout, text)
	}
}
