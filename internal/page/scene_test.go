package page

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/redact"
	"mulligan/journal/jetstream"
	"mulligan/state"
)

const (
	token   = "TOKEN"
	session = "20261115-214609-x7q2"
)

// A scene is a server, a state folder, and a browser that is logged in.
type scene struct {
	t       *testing.T
	env     *environ.Env
	server  *Server
	browser *http.Client
	base    string
	host    *jetstream.Store
	last    int64
	state   state.State
}

func newEnv(t *testing.T) *environ.Env {
	t.Helper()
	return &environ.Env{
		Environ: []string{"XDG_STATE_HOME=" + t.TempDir(), "XDG_RUNTIME_DIR=" + t.TempDir()}, Dir: t.TempDir(), Stderr: os.Stderr, Stdout: io.Discard,
		Secrets: redact.New(nil),
	}
}

// serve starts a server of an environment, until the test ends or stop is called.
func serve(t *testing.T, c Config) (s *Server, base string, stop func()) {
	t.Helper()
	if c.Token == "" {
		c.Token = token
	}
	s, err := Listen(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the server does not end")
		}
	}
	t.Cleanup(stop)
	return s, "http://127.0.0.1:" + s.port, stop
}

func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Timeout: time.Minute}
}

// newScene starts a server and logs a browser in.
func newScene(t *testing.T, change func(*Config)) *scene {
	t.Helper()
	s := &scene{t: t, env: newEnv(t), browser: newBrowser(t)}
	c := Config{Env: s.env}
	if change != nil {
		change(&c)
	}
	s.server, s.base, _ = serve(t, c)
	if code, _ := s.get("/?token=" + token); code != http.StatusOK {
		t.Fatalf("the token does not let in: %d", code)
	}
	return s
}

// get returns a page.
func (s *scene) get(path string) (code int, body string) {
	s.t.Helper()
	r, err := s.browser.Get(s.base + path)
	return readAnswer(s.t, r, err)
}

func readAnswer(t *testing.T, r *http.Response, err error) (code int, body string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(data)
}

// formOf returns the token that a page's forms carry.
func formOf(t *testing.T, html string) string {
	t.Helper()
	m := regexp.MustCompile(`name="form" value="([0-9a-f]+)"`).FindStringSubmatch(html)
	if m == nil {
		t.Fatalf("the page has no form:\n%s", html)
	}
	return m[1]
}

// post sends a form with the headers that a browser would.
func (s *scene) post(path string, fields map[string]string, headers map[string]string) (code int, body string) {
	s.t.Helper()
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	r, err := http.NewRequest(http.MethodPost, s.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.base)
	for name, value := range headers {
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	answer, err := s.browser.Do(r)
	return readAnswer(s.t, answer, err)
}

// write stores events of the session, as its process would.
func (s *scene) write(bodies ...mulligan.Body) {
	s.t.Helper()
	if s.host == nil {
		host, err := s.env.OpenJournal(s.t.Context(), jetstream.Session)
		if err != nil {
			s.t.Fatal(err)
		}
		s.host = host
		s.t.Cleanup(func() { host.Close() })
	}
	var events []mulligan.Event
	for i, b := range bodies {
		e := mulligan.Event{Number: s.last + int64(i) + 1, Time: time.Now(), Session: session, Body: b}
		if err := s.state.Apply(e); err != nil {
			s.t.Fatal(err)
		}
		events = append(events, e)
	}
	if err := s.host.Append(s.t.Context(), session, s.last, events, s.state.Summary()); err != nil {
		s.t.Fatal(err)
	}
	s.last += int64(len(bodies))
}

// begin returns the first events of a session with a turn under way.
func (s *scene) begin(task string) []mulligan.Body {
	return []mulligan.Body{
		mulligan.SessionStarted{PID: os.Getpid(), Plan: &mulligan.Plan{
			Task: mulligan.Task{Path: task, Text: task}, Steps: []mulligan.Step{{Name: "work", Agent: "actor"}},
			People: mulligan.People{AskTimeout: time.Hour}, Agents: map[string]mulligan.AgentSpec{"actor": {Name: "actor", Type: "scripted"}},
		}, Place: mulligan.Place{Dir: s.env.Dir, Root: s.env.Dir, Branch: "mulligan/" + task}},
		mulligan.StepStarted{Step: "work"},
		mulligan.AttemptStarted{Step: "work", Attempt: 1, Iteration: 1},
		mulligan.TurnStarted{Turn: 1, Agent: "actor", Prompt: task},
	}
}

// answerPings has the session's process answer, and returns what else it is sent.
func (s *scene) answerPings() <-chan string {
	s.t.Helper()
	heard := make(chan string, 16)
	stop, err := s.host.Serve(session, func(text string) (string, error) {
		if strings.HasPrefix(text, "{") || text == "stop" {
			heard <- text
		}
		return "{}", nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(stop)
	return heard
}
