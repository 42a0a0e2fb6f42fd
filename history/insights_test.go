package history

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"mulligan"
)

// manySessions returns sessions of one pipeline, a day apart, of which every fourth gives up at "make", and
// the tenth takes long.
func manySessions(n int) []Session {
	var list []Session
	for i := range n {
		at := time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC).AddDate(0, 0, i)
		s := Session{
			ID: fmt.Sprintf("s%02d", i), Root: "/src/app", Pipeline: "default", Started: at, Finished: at.Add(time.Minute), Ended: mulligan.Verified,
			Turns: 2, Worked: time.Minute + time.Duration(i%5)*time.Second, Usage: mulligan.Usage{InputTokens: 1000, OutputTokens: 100, CostUSD: 1}, BilledUSD: 0.75,
			Steps: []Step{
				{Name: "plan", Status: StepVerified, Attempts: 1, Worked: 10 * time.Second, Usage: mulligan.Usage{CostUSD: 0.25}},
				{Name: "make", Status: StepVerified, Attempts: 2, Worked: 50 * time.Second, Usage: mulligan.Usage{CostUSD: 0.75}, Retries: []Retry{
					{Attempt: 2, Strategy: "fresh-start", Outcome: mulligan.Pass},
				}},
			},
		}
		if i%4 == 3 {
			s.Ended, s.Steps[1].Status, s.Steps[1].Retries[0] = mulligan.GaveUp, StepFailed, Retry{Attempt: 2, Strategy: "retry", Outcome: mulligan.Fail}
		}
		if i == 9 {
			s.Worked, s.Usage.CostUSD = time.Hour, 1.3
		}
		list = append(list, s)
	}
	return list
}

func TestExamine(t *testing.T) {
	place := Place{"/src/app", "default"}
	list := manySessions(20)
	interrupted := list[0]
	interrupted.ID, interrupted.Ended = "interrupted", mulligan.Interrupted
	interrupted.Steps = []Step{{Name: "plan", Status: StepOpen, Attempts: 1}}
	got := Examine(append(list, interrupted))
	wantSteps := []StepFigures{
		{Place: place, Step: "make", Sessions: 20, Reached: 20, Failed: 5, FailureRate: 0.25, FailureRateAll: 0.25, Attempts: 40, Retries: 20, Worked: 1000 * time.Second, Usage: mulligan.Usage{CostUSD: 15}},
		{Place: place, Step: "plan", Sessions: 20, Reached: 20, Attempts: 21, Worked: 200 * time.Second, Usage: mulligan.Usage{CostUSD: 5}},
	}
	if !reflect.DeepEqual(got.Steps, wantSteps) {
		t.Errorf("steps: got %+v, want %+v", got.Steps, wantSteps)
	}
	wantStrategies := []StrategyFigures{
		{Place: place, Step: "make", Strategy: "fresh-start", Tried: 15, Worked: 15, Rate: 1},
		{Place: place, Step: "make", Strategy: "retry", Tried: 5},
	}
	if !reflect.DeepEqual(got.Strategies, wantStrategies) {
		t.Errorf("strategies: got %+v, want %+v", got.Strategies, wantStrategies)
	}
	if a := got.Anomalies; len(a) != 1 || a[0].Session != "s09" || a[0].Figure != "time" || a[0].Value != 3600 || a[0].Median != 62 || a[0].MAD != 1 || math.Abs(a[0].Above-80.6) > 1e-9 || a[0].Of != 20 {
		t.Errorf("anomalies: %+v", a)
	}
	if b := got.Bottlenecks; len(b) != 2 || b[0].Name != "make" || b[0].Took != 1000*time.Second || math.Abs(b[0].CostShare-15/21.3) > 1e-9 {
		t.Errorf("bottlenecks: %+v", b)
	}
	if c := got.Cost; math.Abs(c.CostUSD-21.3) > 1e-9 || c.Good != 15 || math.Abs(c.UnverifiedUSD-6) > 1e-9 || math.Abs(c.EstimatedUSD-(21.3-0.75*21)) > 1e-9 || c.Turns != 42 {
		t.Errorf("cost: %+v", c)
	}
	if w := got.Trends; len(w) != 3 || w[0].Week != "2026-10-05" || w[0].Sessions != 8 || w[0].Counted != 7 || w[0].Failed != 1 || w[2].Sessions != 6 || w[1].FailureRate != 2.0/7 {
		t.Errorf("trends: %+v", w)
	}
}

// TestExamineNothing: no sessions have figures that are empty, not missing.
func TestExamineNothing(t *testing.T) {
	got := Examine(nil)
	if got.Steps == nil || got.Trends == nil || got.Anomalies == nil || got.Strategies == nil || got.Hooks == nil || got.Checks == nil || got.Bottlenecks == nil || got.Agents == nil {
		t.Errorf("%+v", got)
	}
}

// TestTooFewToCompare: distances tell nothing among seven sessions.
func TestTooFewToCompare(t *testing.T) {
	list := manySessions(7)
	list[6].Worked = 5 * time.Minute
	if got := findAnomalies(list); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	if got := findAnomalies(append(list, manySessions(8)[7])); len(got) != 1 {
		t.Errorf("of eight: %+v", got)
	}
}

// TestTenTimesTheMedian: a session of ten times the usual time is unusual among a few, among sessions of every length,
// and however it ended. A little less among a few is not.
func TestTenTimesTheMedian(t *testing.T) {
	worked := func(ended mulligan.Ended, took ...float64) []Session {
		var list []Session
		for i, minutes := range took {
			list = append(list, Session{ID: fmt.Sprint(i), Ended: mulligan.Verified, Worked: time.Duration(minutes * float64(time.Minute))})
		}
		list[len(list)-1].Ended = ended
		return list
	}
	for _, test := range []struct {
		name  string
		list  []Session
		found bool
	}{
		{"a few", worked(mulligan.Verified, 1, 1, 10), true},
		{"less", worked(mulligan.Verified, 1, 1, 9.9), false},
		{"two", worked(mulligan.Verified, 1, 20), false},
		{"of every length", worked(mulligan.GaveUp, 0.5, 1, 1.5, 2, 2.5, 6, 7, 8, 9, 25), true},
		{"short ones", worked(mulligan.Verified, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.01), true},
		{"interrupted", worked(mulligan.Interrupted, 1, 1, 1, 10), true},
		{"it still runs", worked("", 1, 1, 1, 10), false},
	} {
		got := findAnomalies(test.list)
		if len(got) > 0 != test.found {
			t.Errorf("%s: %+v", test.name, got)
		}
		if test.found && (got[0].Session != fmt.Sprint(len(test.list)-1) || got[0].Figure != "time") {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// TestAgents: what was spent on steps that were not verified is in the cost of a verified step.
func TestAgents(t *testing.T) {
	use := []AgentUse{{Agent: "claude", Model: "small", Turns: 2, CostUSD: 0.5}}
	sessions := []Session{{Steps: []Step{
		{Name: "build", Status: StepVerified, Agents: append(use, AgentUse{Agent: "codex", Turns: 1, CostUSD: 0.25, Estimated: true})},
		{Name: "build", Status: StepVerified, Agents: use},
		{Name: "test", Status: StepFailed, Agents: use},
	}}}
	want := []AgentFigures{
		{Agent: "claude", Model: "small", Turns: 6, Verified: 1, CostUSD: 1.5, PerVerifiedUSD: 1.5},
		{Agent: "codex", Turns: 1, Verified: 1, CostUSD: 0.25, PerVerifiedUSD: 0.25, Estimated: true},
	}
	if got := Examine(sessions).Agents; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestWeeks: a week begins on its Monday in UTC, weeks without a session are there, and no more than half a
// year.
func TestWeeks(t *testing.T) {
	at := func(text string) Session {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return Session{Finished: when, Ended: mulligan.GaveUp, Worked: time.Second}
	}
	got := weeksOf([]Session{at("2026-11-16T00:00:00Z"), at("2026-11-15T23:59:59Z"), at("2026-10-26T01:00:00+02:00"), at("2020-01-01T00:00:00Z")})
	var weeks []string
	for _, w := range got[len(got)-6:] {
		weeks = append(weeks, fmt.Sprint(w.Week, " ", w.Sessions))
	}
	want := []string{"2026-10-12 0", "2026-10-19 1", "2026-10-26 0", "2026-11-02 0", "2026-11-09 1", "2026-11-16 1"}
	if !reflect.DeepEqual(weeks, want) || len(got) != maxWeeks {
		t.Errorf("got %v of %d, want %v", weeks, len(got), want)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		list []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 5}, 5}} {
		if got := medianOf(test.list); got != test.want {
			t.Errorf("%v: %v, want %v", test.list, got, test.want)
		}
	}
}

func TestSpreadTotal(t *testing.T) {
	var s Spread
	for i := range 1000 {
		s.Add(time.Duration(i) * ms)
	}
	if got, want := s.Total(), 499500*ms; settled(got, want) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
