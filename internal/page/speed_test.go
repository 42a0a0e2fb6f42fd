//go:build !race

package page

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// playAttempts writes attempts that fail, until the session has so many events.
func (s *scene) playAttempts(events int64) {
	s.t.Helper()
	s.write(mulligan.SessionStarted{PID: os.Getpid(), Plan: &mulligan.Plan{
		Task: mulligan.Task{Path: "task.md", Text: "task"}, Steps: []mulligan.Step{{Name: "work", Agent: "actor", Retry: 100_000}},
	}, Place: mulligan.Place{Dir: s.env.Dir, Root: s.env.Dir}}, mulligan.StepStarted{Step: "work"})
	text := strings.Repeat("a line of what was asked, said and found\n", 40)
	for i := 1; s.last < events; i++ {
		s.write(mulligan.AttemptStarted{Step: "work", Attempt: i, Iteration: i}, mulligan.TurnStarted{Turn: i, Agent: "actor", Prompt: text},
			mulligan.TurnEnded{Turn: i, Result: mulligan.Result{Ending: mulligan.Finished, Message: text}},
			mulligan.GateStarted{Gate: "tests", Try: 1},
			mulligan.GateEnded{Try: 1, Verdict: mulligan.Verdict{Gate: "tests", Status: mulligan.Fail, Finding: &mulligan.Finding{Text: text}}},
			mulligan.AttemptEnded{Step: "work", Attempt: i, Status: mulligan.Fail, Counted: true},
			mulligan.Decided{Decision: mulligan.Decision{Retry: true}, By: mulligan.ByPolicy})
	}
}

// A session of 10,000 events is bounded on its page, is not folded anew when it is opened again, and what happens in it comes
// to the page. How long each takes is for `make bench`.
func TestLongSession(t *testing.T) {
	s := newScene(t, nil)
	s.playAttempts(10_000)
	s.answerPings()
	open := func() (time.Duration, string) {
		t.Helper()
		began := time.Now()
		code, body := s.get("/s/" + session)
		if code != http.StatusOK || !strings.Contains(body, "earlier rows") || len(body) > 1<<20 {
			t.Errorf("%d, %d bytes", code, len(body))
		}
		return time.Since(began), body
	}
	first, body := open()
	again, _ := open()
	for range 2 { // whichever the machine disturbed least
		took, _ := open()
		again = min(again, took)
	}
	t.Logf("%d events: %v to open, %v again, %d bytes", s.last, first, again, len(body))
	if again > first/2 {
		t.Error("it takes as long to open again as at first")
	}
	parts, stop := s.openStream("/s/"+session+"/live", "")
	defer stop()
	await(t, parts, `id="session"`)
	for i := range 15 {
		time.Sleep(150 * time.Millisecond)
		note := fmt.Sprintf("note number %d.", i)
		s.write(mulligan.Told{Text: note})
		await(t, parts, note)
	}
}
