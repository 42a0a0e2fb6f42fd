package page

import (
	"fmt"
	"net/http"
	"os"
	"slices"
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

// A session of 10,000 events opens without a stall, and what happens in it comes to the page in a moment.
func TestLongSession(t *testing.T) {
	s := newScene(t, nil)
	s.playAttempts(10_000)
	s.answerPings()
	began := time.Now()
	code, body := s.get("/s/" + session)
	first := time.Since(began)
	began = time.Now()
	s.get("/s/" + session)
	again := time.Since(began)
	t.Logf("%d events: %v to open, %v again, %d bytes", s.last, first, again, len(body))
	if code != http.StatusOK || !strings.Contains(body, "earlier rows") || len(body) > 1<<20 {
		t.Errorf("%d, %d bytes", code, len(body))
	}
	if first > 10*time.Second || again > 2*time.Second {
		t.Error("it stalls")
	}
	parts, stop := s.openStream("/s/"+session+"/live", "")
	defer stop()
	await(t, parts, `id="session"`)
	var took []time.Duration
	for i := range 15 {
		time.Sleep(150 * time.Millisecond)
		note := fmt.Sprintf("note number %d.", i)
		began := time.Now()
		s.write(mulligan.Told{Text: note})
		await(t, parts, note)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("from an append to the page: p50 %v, most %v", took[len(took)/2], took[len(took)-1])
	if took[len(took)/2] > 2*time.Second {
		t.Error("the page lags behind")
	}
}
