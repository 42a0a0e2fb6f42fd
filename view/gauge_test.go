package view

import (
	"slices"
	"testing"
	"time"

	"mulligan"
)

func TestGaugeLimits(t *testing.T) {
	account := mulligan.Account{
		Worked: 70 * time.Minute, WorkedBefore: 10 * time.Minute,
		Spent:       mulligan.Spending{Turns: 7, Judged: 1, Billed: 1.5, Usage: mulligan.Usage{InputTokens: 9000, OutputTokens: 2000, CostUSD: 9}},
		SpentBefore: mulligan.Spending{Turns: 4, Billed: 0.5, Usage: mulligan.Usage{InputTokens: 1000}},
	}
	agent := &Activity{Kind: OfAgent, Elapsed: 30 * time.Minute}
	for name, c := range map[string]struct {
		limits  mulligan.Limits
		running *Activity
		want    []Gauge
	}{
		"none":          {mulligan.Limits{FailedIterations: 3}, agent, nil},
		"time":          {mulligan.Limits{Duration: 2 * time.Hour}, nil, []Gauge{{"time", "1h of 2h", 0.5}}},
		"a turn counts": {mulligan.Limits{Duration: 2 * time.Hour}, agent, []Gauge{{"time", "1h30m of 2h", 0.75}}},
		"a wait for a rate limit does not": {
			mulligan.Limits{Duration: 2 * time.Hour}, &Activity{Kind: OfWait, Elapsed: time.Hour}, []Gauge{{"time", "1h of 2h", 0.5}},
		},
		"over": {mulligan.Limits{Duration: 50 * time.Second}, nil, []Gauge{{"time", "1h of 50s", 1}}},
		"money is what was billed since": {
			mulligan.Limits{CostUSD: 4, Tokens: 20_000, Turns: 8},
			nil,
			[]Gauge{{"cost", "$1.00 of $4.00", 0.25}, {"tokens", "10.0k of 20.0k", 0.5}, {"turns", "4 of 8", 0.5}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := gaugeLimits(c.limits, account, c.running); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
