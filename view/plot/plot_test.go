package plot_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/history"
	"mulligan/view/plot"
	"mulligan/view/timeline"
	"mulligan/view/viewtest"
)

var now = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

// sampleSessions returns ten weeks of sessions that went as sessions go.
func sampleSessions() []history.Session {
	var list []history.Session
	seed := uint32(7)
	chance := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>16) % n
	}
	for i := range 180 {
		s := history.Session{ID: fmt.Sprint(i), Root: "/src/app", Pipeline: "default", Finished: now.Add(-time.Duration(i*9) * time.Hour), Ended: mulligan.Verified}
		switch chance(14) {
		case 0, 1:
			s.Ended = mulligan.GaveUp
		case 2:
			s.Ended = mulligan.LimitReached
		case 3:
			s.Ended = mulligan.Accepted
		case 4:
			s.Ended = mulligan.Interrupted
		}
		for j, name := range []string{"plan", "implement", "review"} {
			step := history.Step{Name: name, Status: history.StepVerified, Attempts: 1 + chance(2+2*(j%2))}
			if s.Ended != mulligan.Verified && j == 1+chance(2) {
				step.Status = history.StepFailed
			}
			for n := 2; n <= step.Attempts; n++ {
				r := history.Retry{Attempt: n, Strategy: []string{"retry", "retry", "fresh-start", "add-context", "escalate"}[chance(5)], Outcome: mulligan.Fail}
				if n == step.Attempts && step.Status == history.StepVerified {
					r.Outcome = mulligan.Pass
				}
				step.Retries = append(step.Retries, r)
			}
			step.Time = history.Times{Agent: time.Duration(60+chance(300)) * time.Second, Checks: time.Duration(10+chance(90)) * time.Second, Hooks: time.Duration(chance(9)) * time.Second}
			if chance(9) == 0 {
				step.Time.Waits = 10 * time.Minute
			}
			agent := history.AgentUse{Agent: "claude", Model: "sonnet", Turns: step.Attempts, CostUSD: 0.08 * float64(step.Attempts+chance(3))}
			if chance(4) == 0 {
				agent = history.AgentUse{Agent: "codex", Turns: step.Attempts, CostUSD: 0.05 * float64(step.Attempts+chance(3)), Estimated: true}
			}
			step.Agents = []history.AgentUse{agent}
			s.Steps = append(s.Steps, step)
		}
		for _, name := range []string{"go test ./...", "golangci-lint run --timeout 5m ./...", "make e2e"} {
			var took history.Spread
			runs := 1 + chance(4)
			for range runs {
				took.Add(time.Duration(1+chance(90)) * time.Second)
			}
			r := history.CheckRuns{Name: name, Runs: runs, Failed: chance(runs), Took: took}
			if name == "make e2e" && chance(9) == 0 {
				r.Flips = 1
			}
			s.Checks = append(s.Checks, r)
		}
		var took history.Spread
		took.Add(300 * time.Millisecond)
		s.Hooks = append(s.Hooks, history.HookRuns{Moment: "Stop", Name: "tests touched", Runs: 1, Blocks: chance(2), Took: took})
		list = append(list, s)
	}
	return list
}

// sampleTimeline returns the timeline of a session with a rate limit, a crash and four attempts.
func sampleTimeline() *timeline.Timeline {
	tape := viewtest.NewTape().Say(mulligan.SessionStarted{Plan: &mulligan.Plan{}}, mulligan.StepStarted{Step: "implement"})
	for n := 1; n <= 4; n++ {
		tape.Say(mulligan.AttemptStarted{Step: "implement", Attempt: n, Iteration: n}, mulligan.TurnStarted{Turn: n, Agent: "claude", Prompt: "Go on."})
		if n == 2 {
			tape.After(20 * time.Second).Say(mulligan.Waited{For: 40 * time.Second, Reason: "the agent is rate limited", Free: true}).After(40 * time.Second)
		}
		if n == 3 {
			tape.After(15*time.Second).Say(mulligan.Noted{Text: "half"}).After(3*time.Hour).Say(mulligan.SessionResumed{}, mulligan.TurnStarted{Turn: n, Agent: "claude", Again: true})
		}
		tape.After(time.Duration(100-15*n)*time.Second).Say(
			mulligan.TurnEnded{Turn: n, Result: mulligan.Result{Ending: mulligan.Finished}},
			mulligan.AgentHookStarted{Event: "Stop", Hooks: []string{"tests touched"}}).After(2 * time.Second).
			Say(mulligan.AgentHookEnded{Event: "Stop", Reply: mulligan.AgentHookReply{Decision: mulligan.Allow}}).
			Say(mulligan.GateStarted{Gate: "go vet ./..."}).After(6 * time.Second).Say(mulligan.GateEnded{Verdict: mulligan.Verdict{Status: mulligan.Pass, Gate: "go vet ./..."}}).
			Say(mulligan.GateStarted{Index: 1, Gate: "go test ./..."}).After(25 * time.Second)
		status := mulligan.Fail
		if n == 4 {
			status = mulligan.Pass
		}
		tape.Say(mulligan.GateEnded{Index: 1, Verdict: mulligan.Verdict{Status: status, Gate: "go test ./..."}},
			mulligan.AttemptEnded{Step: "implement", Attempt: n, Status: status, Counted: true})
	}
	tape.Say(mulligan.StepCommitting{}).After(time.Second).Say(mulligan.StepVerified{By: []string{"go test ./..."}, Commit: "1a2b3c4"}, mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Verified}})
	var t timeline.Timeline
	tape.Stream("sample").Play(t.Apply, nil)
	return &t
}

func pictures(sessions []history.Session, line *timeline.Timeline) []plot.Picture {
	return []plot.Picture{
		plot.Verdicts(sessions, now), plot.Attempts(sessions), plot.Failures(sessions, 0.25), plot.Times(sessions), plot.Costs(sessions),
		plot.Strategies(sessions), plot.Gates(sessions), plot.Session(line, line.Last()),
	}
}

func TestPictures(t *testing.T) {
	for _, p := range pictures(sampleSessions(), sampleTimeline()) {
		got := p.Standalone()
		checkSVG(t, p, got)
		path := filepath.Join("testdata", p.Name+".svg")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got+"\n" != string(want) {
			t.Errorf("%s differs (UPDATE_GOLDEN=1 go test writes it anew)", path)
		}
	}
}

// One session is not called several.
func TestFiguresOfOneSession(t *testing.T) {
	all := sampleSessions()
	for n, want := range map[int]string{0: "0 sessions", 1: ", n = 1 session", 2: ", n = 2 sessions"} {
		if got := plot.Costs(all[:n]).Figures; !strings.HasSuffix(got, want) {
			t.Errorf("%d: %q, want it to end with %q", n, got, want)
		}
	}
}

// checkSVG holds a picture to what every picture promises.
func checkSVG(t *testing.T, p plot.Picture, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
	}
	if strings.Contains(string(p.SVG), "style=") || strings.Contains(string(p.SVG), "<style") || strings.Contains(string(p.SVG), "http") || strings.Contains(svg, "<script") {
		t.Errorf("%s has styles, scripts or addresses", p.Name)
	}
	if !strings.Contains(svg, "<title>") || !strings.Contains(svg, `role="img" aria-label="`+p.Title) {
		t.Errorf("%s has no name for a screen reader", p.Name)
	}
	colors := 0
	for _, c := range []string{"accent", "verified", "failed", "waiting", "limit", "running"} {
		if strings.Contains(svg, "var(--"+c+", ") {
			colors++
		}
	}
	if colors > 5 {
		t.Errorf("%s has %d colours", p.Name, colors)
	}
	if len(p.Rows) == 0 || len(p.Rows[0]) != len(p.Header) || !strings.Contains(p.Figures, " ") {
		t.Errorf("%s: table of %d rows, figures %q", p.Name, len(p.Rows), p.Figures)
	}
}

func TestNothingToDraw(t *testing.T) {
	for _, p := range pictures(nil, &timeline.Timeline{}) {
		if !p.Empty() || !strings.Contains(string(p.Figure()), "Nothing to show yet") {
			t.Errorf("%s of nothing: %s", p.Title, p.Figure())
		}
	}
}

func TestNamesAreText(t *testing.T) {
	const bad = `<script>alert(1)</script>"&`
	s := history.Session{ID: "x", Finished: now, Ended: mulligan.Verified, Steps: []history.Step{{
		Name: bad, Status: history.StepVerified, Attempts: 1, Time: history.Times{Agent: time.Second},
		Agents: []history.AgentUse{{Agent: bad, Model: bad, CostUSD: 1}}, Retries: []history.Retry{{Strategy: bad, Outcome: mulligan.Pass}},
	}}, Checks: []history.CheckRuns{{Name: bad, Runs: 1}}}
	var line timeline.Timeline
	viewtest.Hostile().Play(line.Apply, nil)
	for _, p := range pictures([]history.Session{s}, &line) {
		if got := string(p.Figure()); strings.Contains(got, "<script") {
			t.Errorf("%s: %s", p.Name, got)
		}
	}
}

// TestManyAttempts draws a session with more attempts than a picture has room for.
func TestManyAttempts(t *testing.T) {
	var line timeline.Timeline
	for i := 1; i <= 3_000; i++ {
		line.Apply(mulligan.Event{Number: int64(i), Time: now.Add(time.Duration(i) * time.Second), Body: mulligan.AttemptStarted{Step: "a", Attempt: i, Iteration: i}})
	}
	p := plot.Session(&line, line.Last())
	if !strings.Contains(string(p.SVG), "2960 earlier rows") || len(p.SVG) > 40_000 {
		t.Errorf("%d bytes", len(p.SVG))
	}
}
