package main

import (
	"math"

	"mulligan"
)

const (
	retries       = 5
	window        = 10 // sessions
	strongerPrice = 3  // times that of a token
	// blindShare is the share of a first try's chance that a blind one has, on a task that has defeated it.
	blindShare = 0.25
)

// keptPerTry is the share of its chance that a repair keeps with each further try in one conversation.
var keptPerTry = math.Exp(-0.5)

// What an attempt costs, in tokens.
const (
	readingTokens  = 6000 // the task and the code
	workTokens     = 4000
	feedbackTokens = 2000
	notesTokens    = 2000
)

// A scenario is a kind of tasks, and an agent that works on them.
type scenario struct {
	name   string
	first  float64 // chance that a first try gets a part of the work right
	repair float64 // chance that feedback has a failing part repaired, in a conversation that is new
	kept   float64 // share of that chance that each further try in the conversation keeps
	cured  float64 // share of what was lost that a fresh start brings back
	parts  int     // of a task, each of which may fail
	// wander is the chance that a repair which fails leaves another error than it found.
	wander float64
	// effect is what a strategy multiplies the chance of a repair with; 1 where it has none.
	effect map[string]float64
	plan   mulligan.RetryPlan
	// repeats marks a scenario in which the same failure comes again and again.
	repeats bool
}

// scenarios returns those that are played, in their order.
func scenarios() []scenario {
	escalate := map[string]mulligan.StrategySpec{mulligan.StrategyEscalate: {Agent: "stronger"}}
	list := mulligan.RetryPlan{Strategies: map[string][]string{step: {
		mulligan.StrategySimplifyPrompt, mulligan.StrategyAddContext, mulligan.StrategyIncremental,
	}}}
	all := []scenario{
		{name: "easy tasks", first: 0.75, repair: 0.7, parts: 1},
		{name: "ordinary tasks", first: 0.45, repair: 0.45, parts: 1},
		{name: "hard tasks", first: 0.15, repair: 0.2, parts: 1},
		{name: "failures repeat", first: 0.2, repair: 0.35, parts: 1, repeats: true},
		{name: "failures repeat, in two parts of the work", first: 0.3, repair: 0.4, parts: 2, repeats: true},
		{name: "failures differ", first: 0.4, repair: 0.45, parts: 4, wander: 0.9},
		{name: "an agent that does not decay", first: 0.3, repair: 0.35, kept: 1, parts: 1},
		{name: "a decay that a fresh start does not cure", first: 0.3, repair: 0.35, cured: -1, parts: 1},
		{name: "failures repeat, escalation defined", first: 0.15, repair: 0.2, parts: 1, repeats: true, plan: mulligan.RetryPlan{Define: escalate}},
		{name: "a list whose last entry works best", first: 0.2, repair: 0.3, parts: 1, repeats: true, plan: list, effect: map[string]float64{
			mulligan.StrategySimplifyPrompt: 0.8, mulligan.StrategyAddContext: 1, mulligan.StrategyIncremental: 2,
		}},
	}
	for i := range all {
		s := &all[i]
		if s.kept == 0 {
			s.kept = keptPerTry
		}
		switch s.cured {
		case 0:
			s.cured = 1
		case -1:
			s.cured = 0
		}
		s.plan.Threshold, s.plan.Window, s.plan.MaxRetries = 0.2, window, retries
	}
	return all
}
