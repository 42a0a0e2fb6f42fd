package plot_test

import (
	"encoding/xml"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/view/plot"
	"mulligan/view/timeline"
	"mulligan/view/viewtest"
)

var now = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

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

func TestPicture(t *testing.T) {
	line := sampleTimeline()
	p := plot.Session(line, line.Last())
	checkSVG(t, p)
	got := standalone(p)
	const path = "testdata/session.svg" // docs/report.md shows it
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(path); err != nil || got != string(want) {
		t.Errorf("%s differs, %v (UPDATE_GOLDEN=1 go test writes it anew)", path, err)
	}
}

// standalone returns a picture as a file of its own.
func standalone(p plot.Picture) string {
	return strings.Replace(string(p.SVG), `<svg class="plot-svg"`, `<svg xmlns="http://www.w3.org/2000/svg" style="background:#fff;padding:10px"`, 1) + "\n"
}

// checkSVG holds a picture to what it promises: it is XML without styles, scripts and addresses.
func checkSVG(t *testing.T, p plot.Picture) {
	t.Helper()
	svg := string(p.SVG)
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(svg, "style=") || strings.Contains(svg, "<style") || strings.Contains(svg, "http") || strings.Contains(svg, "<script") {
		t.Error("it has styles, scripts or addresses")
	}
	if !strings.Contains(svg, "<title>") || !strings.Contains(svg, `role="img" aria-label="`+p.Title) {
		t.Error("it has no name for a screen reader")
	}
	colors := 0
	for _, c := range []string{"accent", "verified", "failed", "waiting", "running"} {
		if strings.Contains(svg, "var(--"+c+", ") {
			colors++
		}
	}
	if colors > 5 {
		t.Errorf("%d colours", colors)
	}
	if len(p.Rows) == 0 || len(p.Rows[0]) != len(p.Header) || !strings.Contains(p.Figures, " ") {
		t.Errorf("table of %d rows, figures %q", len(p.Rows), p.Figures)
	}
}

func TestNothingToDraw(t *testing.T) {
	if p := plot.Session(&timeline.Timeline{}, now); !p.Empty() || !strings.Contains(string(p.Figure()), "Nothing to show yet") {
		t.Errorf("%s", p.Figure())
	}
}

func TestNamesAreText(t *testing.T) {
	var line timeline.Timeline
	viewtest.Hostile().Play(line.Apply, nil)
	if got := string(plot.Session(&line, line.Last()).Figure()); strings.Contains(got, "<script") {
		t.Error(got)
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
