package cli

import (
	"context"
	"fmt"

	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// A listenAddress is the value of --listen.
type listenAddress string

func (l *listenAddress) String() string { return string(*l) }
func (l *listenAddress) Type() string   { return "address" }

// Set refuses what other machines could reach, before anything has begun.
func (l *listenAddress) Set(text string) error {
	if _, _, err := jetstream.Loopback(text); err != nil {
		return err
	}
	*l = listenAddress(text)
	return nil
}

// heard runs f while other programs can hear its events, where the person wants that.
func (h *house) heard(ctx context.Context, f func(context.Context, *house) error) error {
	if h.opt.Listen == "" {
		return f(ctx, h)
	}
	l, err := h.store.Listen(string(h.opt.Listen))
	if err != nil {
		return usererror.Usage(err.Error(), "name a port that is free, or 0 for any that is")
	}
	defer l.Close()
	h.confide(fmt.Sprintf("events: %s subject %s", l.URL(), jetstream.EventSubjects))
	return f(ctx, h)
}

// confide says a thing to the person, and to no file: a session that is a process of its own
// tells it to whoever launched it.
func (h *house) confide(text string) {
	switch {
	case h.ready.file != nil:
		h.ready.text(text)
	case h.opt.JSON:
		fmt.Fprintln(h.app.Stderr, text)
	default:
		fmt.Fprintln(h.app.Stdout, text)
	}
}
