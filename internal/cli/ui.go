package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mulligan/internal/client"
	"mulligan/internal/page"
	"mulligan/internal/process"
	"mulligan/internal/runner"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
)

// uiOptions are the flags of `ui`.
type uiOptions struct {
	NoOpen   bool
	ReadOnly bool
	Port     int
}

func newUI(a *App) *cobra.Command {
	var opt uiOptions
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Show all sessions on a page in the browser, live, and answer there",
		Long: `UI serves a page on this machine: what waits for you, what runs and what ended, of every repository;
each session with its timeline, attempt by attempt, and with the agent's words, the evidence and the
diff. You answer questions there, send the agent messages, and stop, pause and
resume sessions. It runs until Ctrl-C; sessions do not depend on it.

It prints an address that lets one browser in, once, and opens it. The browser then stays logged in
for a week, also when the page is started again; --port keeps its address the same. Only this machine
can reach it, and no agent, check or hook of a session.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.Port < 0 || opt.Port > 65535 {
				return usererror.Usage(fmt.Sprintf("--port %d: a port is a number up to 65535", opt.Port), "leave it out for one that is free")
			}
			return a.serveUI(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.NoOpen, "no-open", false, "print the address and leave the browser alone")
	f.BoolVar(&opt.ReadOnly, "read-only", false, "show everything, and change nothing")
	f.IntVar(&opt.Port, "port", 0, "the port (default one that is free)")
	return cmd
}

// serveUI serves the page until it is interrupted.
func (a *App) serveUI(ctx context.Context, opt uiOptions) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	s, err := page.Listen(ctx, page.Config{
		Env: a.Env, Port: opt.Port, Token: rand.Text(), ReadOnly: opt.ReadOnly, Resume: a.resumeApart, Metrics: a.metricsSource().Handler(),
	})
	if errors.Is(err, syscall.EADDRINUSE) {
		return usererror.Usage(fmt.Sprintf("port %d is taken", opt.Port), "another `mulligan ui` may serve it; give another --port, or none")
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout, s.URL())
	if !opt.NoOpen {
		go a.openBrowser(ctx, s.URL())
	}
	return s.Serve(ctx)
}

// openBrowser opens an address with the program that the system has for it, if there is one.
func (a *App) openBrowser(ctx context.Context, url string) {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	_, _ = process.Tool{Argv: []string{program, url}, Env: a.Environ}.Output(ctx) // the address is printed
}

// resumeApart resumes a session in a process of its own, wherever its repository is. What that process says is for
// the page that asked, and not for the terminal that the page is served from.
func (a *App) resumeApart(ctx context.Context, id string) error {
	s, err := a.client().Find(ctx, id, nil)
	if err != nil {
		return err
	}
	if !sessions.CanResume(s) {
		return sessions.OverError(s)
	}
	env := *a.Env
	var words bytes.Buffer
	env.Dir, env.Stdout, env.Stderr = s.Root, io.Discard, &words
	if err := runner.SettleKilled(ctx, &env, s.Root); err != nil {
		return err
	}
	err = client.New(&env).Launch(ctx, []string{"resume", s.ID, "--foreground", "--quiet"}, nil)
	var code usererror.Exit
	if errors.As(err, &code) {
		said := strings.TrimPrefix(strings.TrimSpace(words.String()), "mulligan: ")
		return usererror.New(int(code), "the session could not be resumed", cmp.Or(said, "`mulligan resume "+s.ID+"` in a terminal says why"))
	}
	return err
}
