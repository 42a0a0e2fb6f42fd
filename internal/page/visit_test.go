package page

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mulligan"
)

// A lateClock is the system's, put forward.
type lateClock struct{ by atomic.Int64 }

func (c *lateClock) Now() time.Time                           { return time.Now().Add(time.Duration(c.by.Load())) }
func (c *lateClock) Sleep(_ context.Context, _ time.Duration) {}
func (c *lateClock) forward(d time.Duration)                  { c.by.Add(int64(d)) }

const sinceVisit = "Ended since your last visit"

// marks returns the part of the list that ended since the last visit, "" if there is none.
func marks(html string) string {
	_, rest, _ := strings.Cut(html, sinceVisit)
	part, _, _ := strings.Cut(rest, "</section>")
	return part
}

// What ended since the person looked last is listed apart, as long as this visit lasts: also after a reload, in the
// parts of a list that stays open, and if the browser is let in anew.
func TestEndedSinceLastVisit(t *testing.T) {
	clock := &lateClock{}
	clock.forward(-time.Hour) // the first visit is an hour before the session ends
	s := newScene(t, func(c *Config) { c.Env.Clock = clock })
	s.write(s.begin("slugs")...)
	ended := []mulligan.Body{
		mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}},
		mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.GaveUp, Reason: "no attempt is left"}},
	}
	list := func() string {
		t.Helper()
		code, body := s.get("/")
		if code != http.StatusOK {
			t.Fatalf("%d\n%s", code, body)
		}
		return body
	}
	if html := list(); strings.Contains(html, sinceVisit) {
		t.Errorf("the first visit has one before it:\n%s", html)
	}
	clock.forward(time.Hour)
	s.write(ended...)
	time.Sleep(2 * listAge)
	first := list()
	if m := marks(first); !strings.Contains(m, "slugs") || !strings.Contains(m, "gave up") {
		t.Errorf("what has ended is not marked:\n%s", first)
	}
	live := regexp.MustCompile(`data-live="([^"]+)"`).FindStringSubmatch(first)[1] // of a tab that stays open

	clock.forward(visitGap / 2)
	if html := list(); marks(html) == "" {
		t.Errorf("a reload takes the mark away:\n%s", html)
	}
	_, base, _ := serve(t, Config{Env: s.env, Token: "OTHER"})
	r, err := s.browser.Get(base + "/?token=OTHER")
	if _, html := readAnswer(t, r, err); marks(html) == "" {
		t.Errorf("a new token takes the mark away:\n%s", html)
	}
	clock.forward(2 * visitGap)
	if html := list(); strings.Contains(html, sinceVisit) || !strings.Contains(html, "slugs") {
		t.Errorf("the next visit marks what was seen:\n%s", html)
	}
	parts, stop := s.openStream(live, "")
	defer stop()
	if part := await(t, parts, `id="overview"`); marks(part) == "" {
		t.Errorf("the list that stayed open does not mark it now:\n%s", part)
	}
}
