package page

import (
	"bufio"
	"context"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal"
	"mulligan/view/viewtest"
)

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

const planted = `<script>planted()</script>`

func TestEmpty(t *testing.T) {
	s := newScene(t, nil)
	if code, body := s.get("/"); code != http.StatusOK || !strings.Contains(body, "Nothing has run here yet") {
		t.Errorf("%d\n%s", code, body)
	}
}

func TestPages(t *testing.T) {
	s := newScene(t, nil)
	s.write(s.begin(planted)...)
	folders, err := s.env.Folders()
	if err != nil {
		t.Fatal(err)
	}
	dir := folders.Session(session)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "turn-0001.log")
	if err := os.WriteFile(log, []byte("words\n> Bash "+planted+"\n| "+planted+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.write(mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished, Message: planted}},
		mulligan.GateStarted{Gate: "tests", Try: 1},
		mulligan.GateEnded{Try: 1, Verdict: mulligan.Verdict{Gate: "tests", Status: mulligan.Fail, Summary: planted, Finding: &mulligan.Finding{
			Text: "\x1b[31m" + planted, Failing: []mulligan.Item{{Name: planted, Message: planted}}, Whole: log,
		}}})
	for path, want := range map[string]string{
		"/": "work", "/s/" + session: "tests", "/s/" + session + "/a/1": "What it changed", "/s/" + session + "/diff": "What changed",
		"/s/" + session + "/tasks": "tracks no tasks", "/s/" + session + "/notes": "no notes", "/s/" + session + "/events": "turn.ended",
		"/s/" + session + "/output/turn-0001.log": "Bash", "/settings": "Config", "/insights": "Insights",
	} {
		code, body := s.get(path)
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, without %q:\n%s", path, code, want, body)
		}
		if strings.Contains(body, planted) {
			t.Errorf("%s has what the agent printed as markup", path)
		}
	}
	if code, body := s.get("/s/" + session + "/output/turn-0001.log?raw=1"); code != http.StatusOK || !strings.Contains(body, planted) {
		t.Errorf("the raw output: %d\n%s", code, body)
	}
	for path, want := range map[string]int{
		"/s/x7q2": http.StatusOK, "/s/none": http.StatusNotFound, "/s/" + session + "/a/9": http.StatusNotFound,
		"/s/" + session + "/output/none.log": http.StatusNotFound, "/s/" + session + "/output/..%2f..%2fhost.lock": http.StatusNotFound,
		"/s/" + session + "/output/%2e%2e": http.StatusNotFound, "/nothing": http.StatusNotFound,
	} {
		if code, _ := s.get(path); code != want {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
	}
}

// A question is shown, answered in place, and the page leads back.
func TestAnswer(t *testing.T) {
	s := newScene(t, nil)
	s.write(s.begin("task")...)
	s.write(mulligan.Asked{Question: mulligan.Question{ID: 1, Text: "Which one?", Options: []string{"left\x1b[1m one", "right"}, Asker: mulligan.AskerAgent, Asked: time.Now()}})
	heard := s.answerPings()
	_, page := s.get("/")
	if !strings.Contains(page, "Needs you") || !strings.Contains(page, "Which one?") {
		t.Fatalf("the question is not there:\n%s", page)
	}
	code, body := s.post("/s/"+session+"/answer", map[string]string{"form": formOf(t, page), "question": "1", "answer": "left one", "back": "/"}, nil)
	if code != http.StatusOK || !strings.Contains(body, "Answered.") {
		t.Errorf("%d\n%s", code, body)
	}
	select {
	case text := <-heard:
		if !strings.Contains(text, `left\u001b[1m one`) {
			t.Errorf("the session heard %s", text)
		}
	case <-time.After(10 * time.Second):
		t.Error("the session heard nothing")
	}
}

// openStream returns the parts that a page is sent.
func (s *scene) openStream(path, last string) (<-chan string, func()) {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", last)
	answer, err := (&http.Client{Jar: s.browser.Jar}).Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	parts := make(chan string, 100)
	go func() {
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		var part strings.Builder
		for lines.Scan() {
			if part.WriteString(lines.Text() + "\n"); lines.Text() == "" {
				parts <- part.String()
				part.Reset()
			}
		}
		_ = lines.Err() // a stream ends where its server or its page does
		close(parts)
	}()
	return parts, stop
}

// await returns the next part that has a text.
func await(t *testing.T, parts <-chan string, text string) string {
	t.Helper()
	for end := time.After(20 * time.Second); ; {
		select {
		case part, ok := <-parts:
			if !ok {
				t.Fatalf("the stream has ended without %q", text)
			}
			if strings.Contains(part, text) {
				return part
			}
		case <-end:
			t.Fatalf("nothing has %q", text)
		}
	}
}

// An open page is sent what happens, and one that connects again only what it does not have.
func TestLive(t *testing.T) {
	s := newScene(t, nil)
	s.write(s.begin("task")...)
	s.answerPings()
	parts, stop := s.openStream("/s/"+session+"/live", "")
	defer stop()
	overview, leave := s.openStream("/live", "")
	defer leave()
	await(t, parts, `id="session"`)
	await(t, overview, "Running")
	s.write(mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished, Message: "I am done."}})
	await(t, parts, "I am done.")
	s.write(mulligan.Noted{Text: "A word."},
		mulligan.AttemptEnded{Step: "work", Attempt: 1, Status: mulligan.Pass, Counted: true},
		mulligan.StepVerified{Step: "work", Attempt: 1, By: []string{"tests"}},
		mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Verified, Steps: []mulligan.StepOutcome{{Step: "work", Status: "verified", By: []string{"tests"}}}}})
	part := await(t, parts, "Verified")
	await(t, overview, "verified")
	_, id, _ := strings.Cut(part, "id: ")
	id, _, _ = strings.Cut(id, "\n")
	again, gone := s.openStream("/s/"+session+"/live", id)
	defer gone()
	await(t, again, "retry:")
	select {
	case part := <-again:
		t.Errorf("it was sent again:\n%s", part)
	case <-time.After(500 * time.Millisecond):
	}
}

// An open page shows that the process of its session is gone, and that one runs it again, before that one writes anything.
func TestLiveProcess(t *testing.T) {
	s := newScene(t, nil)
	s.write(s.begin("task")...)
	parts, stop := s.openStream("/s/"+session+"/live", "")
	defer stop()
	await(t, parts, "Its process is gone.")
	s.answerPings()
	part := await(t, parts, "Running")
	if strings.Contains(part, "/resume") {
		t.Errorf("a session that runs can be resumed:\n%s", part)
	}
}

// An output of many megabytes is shown in pages.
func TestLargeOutput(t *testing.T) {
	s := newScene(t, nil)
	s.write(s.begin("task")...)
	folders, err := s.env.Folders()
	if err != nil {
		t.Fatal(err)
	}
	dir := folders.Session(session)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("x", 99) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "turn-0001-check-1.log"), []byte("first\n"+strings.Repeat(line, 500_000)+"last\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	path := "/s/" + session + "/output/turn-0001-check-1.log"
	code, body := s.get(path)
	if code != http.StatusOK || !strings.Contains(body, "first") || strings.Contains(body, ">last<") || len(body) > 1<<20 {
		t.Errorf("the first page: %d, %d bytes", code, len(body))
	}
	if !strings.Contains(body, "later output") {
		t.Error("it does not lead on")
	}
	if code, body := s.get(path + "?to=50000011"); code != http.StatusOK || !strings.Contains(body, "last") || !strings.Contains(body, "earlier output") {
		t.Errorf("the last page: %d, %d bytes", code, len(body))
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// What a check prints is shown while it runs.
func TestCheckPrints(t *testing.T) {
	s := newScene(t, nil)
	s.write(s.begin("task")...)
	s.write(mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}}, mulligan.GateStarted{Gate: "tests", Try: 1})
	s.answerPings()
	folders, err := s.env.Folders()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folders.Session(session), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folders.Session(session), "turn-0001-check-1.log")
	if err := os.WriteFile(path, []byte("> no call, but a line of the tests\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, body := s.get("/s/" + session)
	if !strings.Contains(body, `<li class="words">&gt; no call, but a line of the tests</li>`) {
		t.Errorf("it is not shown:\n%s", body)
	}
}

// A task that was claimed too often waits for a person's word, which can be said on the list and on the session's page.
func TestDecide(t *testing.T) {
	s := newScene(t, nil)
	for _, beat := range viewtest.GuardWaiting().Beats {
		if beat.Event.Body != nil {
			s.write(beat.Event.Body)
		}
	}
	_, page := s.get("/s/" + session)
	if !strings.Contains(page, "Claimed to be done too often") || !strings.Contains(page, "A division by zero panics.") {
		t.Fatalf("the item is not there:\n%s", page)
	}
	if _, list := s.get("/"); !strings.Contains(list, `value="approve"`) {
		t.Errorf("the list does not offer it:\n%s", list)
	}
	item := regexp.MustCompile(`name="item" value="([^"]+)"`).FindStringSubmatch(page)
	if item == nil {
		t.Fatal("no form names the item")
	}
	fields := map[string]string{"form": formOf(t, page), "item": html.UnescapeString(item[1]), "word": "nonsense"}
	if code, _ := s.post("/s/"+session+"/decide", fields, nil); code != http.StatusConflict {
		t.Errorf("a word that does not exist: %d", code)
	}
	fields["word"] = "approve"
	if code, body := s.post("/s/"+session+"/decide", fields, nil); code != http.StatusOK || !strings.Contains(body, "Decided.") {
		t.Errorf("%d\n%s", code, body)
	}
	state, err := journal.Fold(s.host.Read(t.Context(), session, 1))
	if err != nil {
		t.Fatal(err)
	}
	approved := func(i mulligan.GuardItem) bool { return i.Status == mulligan.ItemApproved }
	if !slices.ContainsFunc(state.Guard.Items, approved) {
		t.Errorf("no item is approved: %+v", state.Guard.Items)
	}
}
