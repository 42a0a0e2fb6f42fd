package history_test

import (
	"math"
	"testing"
	"time"

	"mulligan"
	"mulligan/history"
)

func TestCharts(t *testing.T) {
	day := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	session := func(ago int, ended mulligan.Ended, steps ...history.Step) history.Session {
		return history.Session{Finished: day.AddDate(0, 0, -ago), Ended: ended, Steps: steps}
	}
	use := []history.AgentUse{{Agent: "claude", Model: "small", Turns: 2, CostUSD: 0.5}}
	sessions := []history.Session{
		session(0, mulligan.Verified, history.Step{Name: "build", Status: history.StepVerified, Attempts: 1, Agents: use, Time: history.Times{Agent: time.Minute, Checks: time.Second}}),
		session(0, mulligan.GaveUp, history.Step{
			Name: "build", Status: history.StepFailed, Attempts: 3, Agents: use,
			Retries: []history.Retry{{Strategy: "retry", Outcome: mulligan.Fail}, {Strategy: "fresh-start", Outcome: mulligan.Fail}},
		}),
		session(8, mulligan.Accepted, history.Step{Name: "build", Status: history.StepAccepted, Attempts: 6, Retries: []history.Retry{{Strategy: "retry", Outcome: mulligan.Pass}}}),
		session(2, mulligan.Interrupted, history.Step{Name: "build", Status: history.StepOpen, Attempts: 1}),
		session(40, mulligan.Verified),
	}
	days := history.Days(sessions, day, 14)
	if len(days) != 14 || days[13].Verified != 1 || days[13].GaveUp != 1 || days[11].Other != 1 || days[5].Accepted != 1 || days[0].Total() != 0 {
		t.Errorf("days: %+v", days)
	}
	attempts := history.CountAttempts(sessions)
	if len(attempts) != 1 || attempts[0].Passed != [4]int{1, 0, 0, 1} || attempts[0].Failed != 1 {
		t.Errorf("attempts: %+v", attempts)
	}
	weeks, trends := history.StepTrends(sessions)
	if n := len(weeks); n != 7 || trends[0].Reached[n-1] != 2 || trends[0].Failed[n-1] != 1 || trends[0].Reached[n-2] != 1 {
		t.Errorf("trends: %v %+v", weeks, trends)
	}
	if costs := history.SumCosts(sessions); len(costs) != 1 || costs[0].Verified != 1 || costs[0].CostUSD != 1 || costs[0].Turns != 4 {
		t.Errorf("costs: %+v", costs)
	}
	if times := history.SumTimes(sessions); len(times) != 1 || times[0].Total() != 61*time.Second {
		t.Errorf("times: %+v", times)
	}
	strategies := history.SumStrategies(sessions)
	if len(strategies) != 2 || strategies[0].Strategy != "retry" || strategies[0].Worked != 1 || strategies[0].Tried != 2 {
		t.Fatalf("strategies: %+v", strategies)
	}
	if s := strategies[0]; math.Abs(s.Low-0.095) > 0.005 || math.Abs(s.High-0.905) > 0.005 {
		t.Errorf("one of two: %v to %v", s.Low, s.High)
	}
}
