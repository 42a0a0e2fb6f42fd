package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/history"
	"mulligan/internal/environ"
	"mulligan/view/viewtest"
)

// TestInsightsAreShown: every table and line, for sessions that have all there is to tell.
func TestInsightsAreShown(t *testing.T) {
	var list []history.Session
	for i := range 24 {
		at := time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC).AddDate(0, 0, 2*i)
		var took history.Spread
		took.Add(time.Duration(i+1) * 100 * time.Millisecond)
		s := history.Session{
			ID: at.Format("20060102") + "-120000-abcd", Root: "/src/app", Pipeline: "default", Finished: at, Ended: mulligan.Verified, Turns: 2,
			Worked: 3*time.Minute + time.Duration(i%5)*time.Second, Usage: mulligan.Usage{InputTokens: 12000, OutputTokens: 800, CostUSD: 0.12}, BilledUSD: 0.1,
			Steps: []history.Step{
				{Name: "plan", Status: history.StepVerified, Attempts: 1, Worked: 30 * time.Second, Usage: mulligan.Usage{CostUSD: 0.02}, Agents: []history.AgentUse{{Agent: "claude", Model: "small", Turns: 1, CostUSD: 0.02}}},
				{
					Name: "make\x1b[31m it", Status: history.StepVerified, Attempts: 2, Worked: 2 * time.Minute, Usage: mulligan.Usage{CostUSD: 0.1},
					Retries: []history.Retry{{Strategy: "fresh-start", Outcome: mulligan.Pass}},
				},
				{Name: "review", Status: history.StepUnreached},
			},
			Checks: []history.CheckRuns{{Name: "go test", Runs: 2, Failed: 1, Flips: i % 9 / 8, Took: took}},
			Hooks:  []history.HookRuns{{Moment: "Stop", Name: "./tests.sh", Runs: 3, Blocks: 2, Helped: 2, Took: took}},
		}
		if i%4 == 3 {
			s.Ended, s.Steps[1].Status, s.Hooks[0].Helped = mulligan.GaveUp, history.StepFailed, 0
			s.Steps[1].Retries[0] = history.Retry{Strategy: "retry", Outcome: mulligan.Fail}
		}
		if i == 10 {
			s.Worked, s.Steps[1].Attempts = 2*time.Hour, 9
		}
		list = append(list, s)
	}
	var out strings.Builder
	a := &App{Env: &environ.Env{Stdout: &out, Stderr: os.Stderr}}
	if err := a.printInsights(insightsJSON{Sessions: len(list), Insights: history.Examine(list)}, false); err != nil {
		t.Fatal(err)
	}
	viewtest.Golden(t, "insights", out.String())
}

func TestParseMoment(t *testing.T) {
	now := time.Date(2026, 11, 16, 18, 30, 0, 0, time.FixedZone("", 3600))
	for text, want := range map[string]string{
		"2026-11-01": "2026-11-01T00:00:00+01:00", "2026-11-01T08:30:00Z": "2026-11-01T08:30:00Z", "72h": "2026-11-13T18:30:00+01:00",
		"14d": "2026-11-02T18:30:00+01:00", "2w": "2026-11-02T18:30:00+01:00", "90m": "2026-11-16T17:00:00+01:00", "0s": "2026-11-16T18:30:00+01:00",
	} {
		if got, err := parseMoment(text, now); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, %v, want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	for _, text := range []string{"", "yesterday", "2026-02-30", "2026-11-01 08:30", "-3h", "1y", "d", "99999999d", "2026-11-01T25:00:00Z"} {
		if got, err := parseMoment(text, now); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
}
