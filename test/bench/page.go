package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/journal/jetstream"
	"mulligan/state"
)

const pageEvents = 10_000

// measurePage measures how long the page of a long session takes beside that of a young one, and an event's way from its
// append to an open page.
func measurePage(s *site, t *table) error {
	if err := s.dropState(); err != nil {
		return err
	}
	store, err := jetstream.Open(context.Background(), jetstream.Options{Dir: filepath.Join(s.dir, "state", "mulligan"), Version: environ.Version, Mode: jetstream.Session})
	if err != nil {
		return err
	}
	defer store.Close()
	young := &pageWriter{store: store, dir: s.dir, id: "20261101-000000-yyyy"}
	old := &pageWriter{store: store, dir: s.dir, id: "20261101-000001-oooo"}
	if err := errors.Join(young.writeAttempts(10), old.writeAttempts(pageEvents)); err != nil {
		return err
	}
	for _, w := range []*pageWriter{young, old} {
		stop, err := store.Serve(w.id, func(string) (string, error) { return "{}", nil })
		if err != nil {
			return err
		}
		defer stop()
	}
	browser, err := s.openPage()
	if err != nil {
		return err
	}
	defer browser.close()
	if err := browser.measurePaint(t, young.id, old.id); err != nil {
		return err
	}
	return browser.measureLag(t, old)
}

// A pageWriter writes the events of one session as its process would.
type pageWriter struct {
	store *jetstream.Store
	dir   string
	id    string
	last  int64
	state state.State
}

// write appends events in one frame.
func (w *pageWriter) write(bodies ...mulligan.Body) error {
	var events []mulligan.Event
	for i, b := range bodies {
		e := mulligan.Event{Session: w.id, Number: w.last + int64(i) + 1, Time: time.Now(), Body: b}
		if err := w.state.Apply(e); err != nil {
			return err
		}
		events = append(events, e)
	}
	err := w.store.Append(context.Background(), w.id, w.last, events, w.state.Summary())
	w.last += int64(len(bodies))
	return err
}

// writeAttempts writes attempts that fail, until the session has so many events.
func (w *pageWriter) writeAttempts(events int64) error {
	err := w.write(mulligan.SessionStarted{PID: os.Getpid(), Plan: &mulligan.Plan{
		Task: mulligan.Task{Path: "task.md", Text: "task"}, Steps: []mulligan.Step{{Name: "work", Agent: "actor", Retry: 100_000}},
	}, Place: mulligan.Place{Dir: w.dir, Root: w.dir}}, mulligan.StepStarted{Step: "work"})
	text := strings.Repeat("a line of what was asked, said and found\n", 40)
	for i := 1; w.last < events && err == nil; i++ {
		err = w.write(mulligan.AttemptStarted{Step: "work", Attempt: i, Iteration: i}, mulligan.TurnStarted{Turn: i, Agent: "actor", Prompt: text},
			mulligan.TurnEnded{Turn: i, Result: mulligan.Result{Ending: mulligan.Finished, Message: text}},
			mulligan.GateStarted{Gate: "tests", Try: 1},
			mulligan.GateEnded{Try: 1, Verdict: mulligan.Verdict{Gate: "tests", Status: mulligan.Fail, Finding: &mulligan.Finding{Text: text}}},
			mulligan.AttemptEnded{Step: "work", Attempt: i, Status: mulligan.Fail, Counted: true},
			mulligan.Decided{Decision: mulligan.Decision{Retry: true}, By: mulligan.ByPolicy})
	}
	return err
}

// A browser is logged in to a page of its own.
type browser struct {
	client  *http.Client
	base    string
	process *os.Process
}

// openPage starts `mulligan ui` and logs in with the address that it prints.
func (s *site) openPage() (*browser, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	p, err := os.StartProcess(s.program, []string{s.program, "ui", "--no-open"}, &os.ProcAttr{Dir: s.dir, Env: s.env, Files: []*os.File{null, w, os.Stderr}})
	w.Close()
	if err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	b := &browser{client: &http.Client{Jar: jar, Timeout: time.Minute}, process: p}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err == nil {
		var address *url.URL
		if address, err = url.Parse(strings.TrimSpace(line)); err == nil {
			b.base = "http://" + address.Host
			_, err = b.get("/?" + address.RawQuery)
		}
	}
	if err != nil {
		b.close()
		return nil, fmt.Errorf("mulligan ui: %w", err)
	}
	return b, nil
}

// close ends the page.
func (b *browser) close() {
	_ = b.process.Signal(os.Interrupt)
	_, _ = b.process.Wait()
}

// get fetches a page whole, and returns how long that took.
func (b *browser) get(path string) (time.Duration, error) {
	start := time.Now()
	r, err := b.client.Get(b.base + path)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return 0, err
	}
	if r.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %s", path, r.Status)
	}
	return time.Since(start), nil
}

// measurePaint measures the page of a long session, the first time and after that, beside that of a young one.
func (b *browser) measurePaint(t *table, young, old string) error {
	quick, err := b.get("/s/" + young)
	if err != nil {
		return err
	}
	cold, err := b.get("/s/" + old)
	if err != nil {
		return err
	}
	t.addTime(fmt.Sprintf("the page of a session with %d events, first time", pageEvents), cold, quick, "one with 10 events", 0)
	again := func(id string) (time.Duration, error) {
		return median(15, func() (time.Duration, error) { return b.get("/s/" + id) })
	}
	if quick, err = again(young); err != nil {
		return err
	}
	warm, err := again(old)
	if err != nil {
		return err
	}
	t.addTime("  the page again", warm, quick, "one with 10 events", 0)
	return nil
}

// measureLag measures an event's way from its append to an open page.
func (b *browser) measureLag(t *table, w *pageWriter) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+"/s/"+w.id+"/live", nil)
	if err != nil {
		return err
	}
	answer, err := b.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewReaderSize(answer.Body, 1<<20)
	await := func(text string) error {
		for {
			line, err := lines.ReadString('\n')
			if err != nil || strings.Contains(line, text) {
				return err
			}
		}
	}
	if err := await(`id="session"`); err != nil {
		return err
	}
	number := 0
	took, err := median(31, func() (time.Duration, error) {
		time.Sleep(150 * time.Millisecond)
		number++
		note, start := fmt.Sprintf("note number %d.", number), time.Now()
		if err := w.write(mulligan.Told{Text: note}); err != nil {
			return 0, err
		}
		err := await(note)
		return time.Since(start), err
	})
	if err != nil {
		return err
	}
	t.addTime("  an event, from its append to the open page, p50", took, 0, "", 50*time.Millisecond)
	return nil
}
