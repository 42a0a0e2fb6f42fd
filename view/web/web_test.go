package web

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/view"
	"mulligan/view/timeline"
	"mulligan/view/viewtest"
)

// planted is what an agent may print: it must stay text in every place.
const planted = `"><script>planted()</script><img src=x onerror=planted()>'{{.}}`

// draw renders every page of a session whose model and timeline have had these events.
func draw(t *testing.T, pages *Pages, events []mulligan.Event, now time.Time) map[string]string {
	t.Helper()
	model, line := view.NewModel(), &timeline.Timeline{}
	for _, e := range events {
		model.Apply(e)
		line.Apply(e)
	}
	snap, st := model.Snapshot(now), model.State()
	l := Listed{Summary: st.Summary(), Running: st.Outcome == nil, Snap: &snap}
	f := Frame{Title: planted, Here: "/", Live: "/live-address", Now: now, Form: "form", Session: &Heading{ID: "s", Name: planted, Repository: planted}}
	src := TimelineSource{
		Session: "s", Line: line, Now: now, Output: func(string) string { return "" },
		Event: func(n int64) mulligan.Body { return events[n-1].Body },
	}
	session := NewSession(f, l, st)
	session.Timeline = NewTimeline(src)
	session.Output = &Output{Name: planted, Lines: []OutputLine{{"words", planted}, {"call", planted}}}
	var lines []EventLine
	for _, e := range events {
		lines = append(lines, NewEventLine(e, snap, 1))
	}
	all := map[string]any{
		"session": session, "tasks": NewTasks(f, snap, &st.Board), "notes": NewNotes(f, &st.Board),
		"events": Events{Frame: f, Events: lines}, "overview": NewOverview(f, []Listed{l}, Filter{Text: ""}),
		"diff":    Diff{f, NewPatch(planted, []byte("diff --git a/"+planted+" b/"+planted+"\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-"+planted+"\n+"+planted+"\n"))},
		"message": Message{Frame: f, Heading: planted, Lines: []string{planted}},
	}
	for _, r := range line.Rows() {
		if row := NewAttemptRow(src, r.Iteration); row != nil {
			all["attempt"] = Attempt{Frame: f, Row: *row}
		}
	}
	drawn := map[string]string{}
	for name, data := range all {
		var b bytes.Buffer
		if err := pages.Write(&b, name, data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if drawn[name] = b.String(); !strings.Contains(drawn[name], `<body data-live="/live-address">`) {
			t.Errorf("%s does not say where its changes come from", name)
		}
	}
	return drawn
}

func newPages(t *testing.T) *Pages {
	t.Helper()
	pages, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// checkHTML fails if a page has what the policy forbids, or a control character.
func checkHTML(t *testing.T, name, html string) {
	t.Helper()
	for what, pattern := range map[string]string{
		"a script of its own": `<script[^>]*>[^<]`, "a foreign script": `(?i)<script>|<img`, "a style": ` style="|<style`,
		"a handler": `<[a-z]+[^>"]* on[a-z]+=`, "an address elsewhere": `(?:src|href|action)="(?:https?:)?//`,
		"a control character": "[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]",
	} {
		if found := regexp.MustCompile(pattern).FindStringIndex(html); found != nil {
			t.Errorf("%s has %s: %q", name, what, html[max(0, found[0]-80):found[1]])
		}
	}
}

func TestNothingNastyIsDrawn(t *testing.T) {
	pages := newPages(t)
	for _, events := range viewtest.NastyEvents() {
		for name, html := range draw(t, pages, events, viewtest.Begun.Add(time.Minute)) {
			checkHTML(t, name, html)
		}
	}
}

func TestEveryStreamIsDrawn(t *testing.T) {
	pages := newPages(t)
	for _, s := range viewtest.Streams() {
		t.Run(s.Name, func(t *testing.T) {
			var events []mulligan.Event
			s.Play(func(e mulligan.Event) { events = append(events, e) }, nil)
			for name, html := range draw(t, pages, events, s.Now) {
				checkHTML(t, name, html)
				if strings.Count(html, "<main") != 1 || !strings.Contains(html, "</html>") {
					t.Errorf("%s is not a whole page", name)
				}
				checkIDs(t, name, html)
			}
		})
	}
}

// checkIDs fails if two elements have one id: what is morphed is told by it.
func checkIDs(t *testing.T, name, html string) {
	t.Helper()
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if seen[m[1]] {
			t.Errorf("%s has the id %q twice", name, m[1])
		}
		seen[m[1]] = true
	}
}

// A session of many attempts is drawn in bounded size.
func TestLongSessionIsBounded(t *testing.T) {
	var events []mulligan.Event
	say := func(bodies ...mulligan.Body) {
		for _, b := range bodies {
			n := int64(len(events) + 1)
			events = append(events, mulligan.Event{Session: "s", Number: n, Time: viewtest.Begun.Add(time.Duration(n) * time.Second), Body: b})
		}
	}
	say(mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "work", Retry: 100000}}}}, mulligan.StepStarted{Step: "work"})
	prompt := strings.Repeat("a line of the prompt\n", 400)
	for i := 1; len(events) < 10_000; i++ {
		say(mulligan.AttemptStarted{Step: "work", Attempt: i, Iteration: i}, mulligan.TurnStarted{Turn: i, Agent: "a", Prompt: prompt},
			mulligan.TurnEnded{Turn: i, Result: mulligan.Result{Ending: mulligan.Finished, Message: prompt}},
			mulligan.GateStarted{Gate: "tests"}, mulligan.GateEnded{Verdict: mulligan.Verdict{Gate: "tests", Status: mulligan.Fail, Finding: &mulligan.Finding{Text: prompt}}},
			mulligan.AttemptEnded{Step: "work", Attempt: i, Status: mulligan.Fail, Counted: true})
	}
	pages := newPages(t)
	model, line := view.NewModel(), &timeline.Timeline{}
	for _, e := range events {
		model.Apply(e)
		line.Apply(e)
	}
	snap := model.Snapshot(viewtest.Begun)
	page := NewSession(Frame{}, Listed{Summary: model.State().Summary(), Snap: &snap}, model.State())
	page.Timeline = NewTimeline(TimelineSource{
		Session: "s", Line: line, Now: viewtest.Begun, Output: func(string) string { return "" },
		Event: func(n int64) mulligan.Body { return events[n-1].Body },
	})
	var b bytes.Buffer
	began := time.Now()
	if err := pages.Write(&b, "session", page); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 400<<10 || time.Since(began) > time.Minute {
		t.Errorf("it has %d bytes and took %v", b.Len(), time.Since(began))
	}
	if !strings.Contains(b.String(), "earlier rows") {
		t.Error("it does not say that there is more")
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		12 * time.Millisecond: "12ms", 1200 * time.Millisecond: "1.2s", 42 * time.Second: "42s", 80 * time.Second: "1m 20s",
		59*time.Second + 700*time.Millisecond: "1m 00s", 125 * time.Minute: "2h 05m",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := groupDigits(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	now := viewtest.Begun
	for d, want := range map[time.Duration]string{
		0: "just now", time.Minute: "1 minute ago", 3 * time.Hour: "3 hours ago", 50 * time.Hour: "2 days ago",
	} {
		if got := writeAgo(now, now.Add(-d)); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func BenchmarkSession(b *testing.B) {
	pages, err := New()
	if err != nil {
		b.Fatal(err)
	}
	s := viewtest.Streams()[0]
	model, line := view.NewModel(), &timeline.Timeline{}
	s.Play(func(e mulligan.Event) { model.Apply(e); line.Apply(e) }, nil)
	for b.Loop() {
		snap := model.Snapshot(s.Now)
		if err := pages.Write(io.Discard, "session", NewSession(Frame{}, Listed{Snap: &snap}, model.State())); err != nil {
			b.Fatal(err)
		}
	}
}
