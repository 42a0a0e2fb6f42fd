// Package page serves the local web page: what waits for a person, what runs and what ended, drawn from the
// journal by view/web, live, and with the answers that a person gives there. It listens on the loopback address
// alone, lets one browser in by a token that works once, and refuses what an agent, a check or a hook of a
// session has started.
package page

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"mulligan/internal/environ"
	"mulligan/view/web"
)

// A Config is what a server needs.
type Config struct {
	Env      *environ.Env
	Port     int          // 0: any that is free
	Token    string       // lets one browser in
	ReadOnly bool         // nothing can be answered, told or stopped
	Metrics  http.Handler // served as /metrics without a login; nil for none
	// Resume begins to run a session again that has stopped, in a process of its own.
	Resume func(ctx context.Context, session string) error
}

// A Server serves the page.
type Server struct {
	config   Config
	listener net.Listener
	port     string
	state    string // the state folder
	logins   *logins
	gallery  *gallery
	pages    *web.Pages
	now      func() time.Time
}

// Listen opens the port. Nothing is served before Serve.
func Listen(ctx context.Context, c Config) (*Server, error) {
	state, err := c.Env.StateDir()
	if err != nil {
		return nil, err
	}
	pages, err := web.New()
	if err != nil {
		return nil, err
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)))
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	now := c.Env.SessionClock().Now
	return &Server{
		config: c, listener: l, port: port, state: state, pages: pages, now: now,
		logins: newLogins(state, c.Token, now), gallery: newGallery(c.Env),
	}, nil
}

// URL returns the address that lets one browser in.
func (s *Server) URL() string {
	return fmt.Sprintf("http://127.0.0.1:%s/?token=%s", s.port, s.config.Token)
}

// Serve serves the page until ctx ends.
func (s *Server) Serve(ctx context.Context) error {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.gallery.run(serving)
	}()
	server := &http.Server{
		Handler: s.handler(), ConnContext: s.withCaller, BaseContext: func(net.Listener) context.Context { return serving },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	context.AfterFunc(serving, func() { _ = server.Close() }) // open pages reconnect when the server is back
	err := server.Serve(s.listener)
	stop()
	s.gallery.close()
	<-done
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
