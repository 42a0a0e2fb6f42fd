package main

import (
	"strings"
	"testing"
)

const testTasks, testSeed = 150, 9

// Feedback is worth more than a blind retry, and the ladder is nowhere worse than feedback in one
// conversation and clearly better where failures repeat.
func TestLadderIsWorthIt(t *testing.T) {
	for _, s := range scenarios() {
		all := ways()
		blind, feedback, ladder := play(s, all[0], testTasks, testSeed), play(s, all[1], testTasks, testSeed), play(s, all[2], testTasks, testSeed)
		if feedback.solved < blind.solved {
			t.Errorf("%s: feedback solves %d, a blind retry %d", s.name, feedback.solved, blind.solved)
		}
		if ladder.solved < feedback.solved || ladder.perThousand() < feedback.perThousand() {
			t.Errorf("%s: the ladder solves %d, %.4f for 1,000 tokens; feedback %d, %.4f", s.name, ladder.solved, ladder.perThousand(), feedback.solved, feedback.perThousand())
		}
		if s.repeats && ladder.perThousand() < 1.15*feedback.perThousand() {
			t.Errorf("%s: the ladder solves only %.4f for 1,000 tokens, feedback %.4f", s.name, ladder.perThousand(), feedback.perThousand())
		}
	}
}

// What past sessions tell costs nothing: as many are solved, for as many tokens but for a few percent, which
// escalating earlier may cost.
func TestHistoryIsWorthIt(t *testing.T) {
	for _, s := range scenarios() {
		all := ways()
		ladder, history := play(s, all[2], testTasks, testSeed), play(s, all[3], testTasks, testSeed)
		if float64(history.solved) < 0.98*float64(ladder.solved) || history.perThousand() < 0.95*ladder.perThousand() {
			t.Errorf("%s: with history %d solved, %.4f for 1,000 tokens; without %d, %.4f", s.name, history.solved, history.perThousand(), ladder.solved, ladder.perThousand())
		}
	}
}

// The published figures hold for the agents that are played: 60 to 80 % of the chance is gone after two
// or three attempts, and a fresh start brings it back.
func TestAgentsDecayAsPublished(t *testing.T) {
	j := newJob(scenarios()[1], testSeed, 0)
	fresh := j.repairChance("retry")
	j.talk.repairs = 2
	if lost := 1 - j.repairChance("retry")/fresh; lost < 0.6 || lost > 0.8 {
		t.Errorf("%.2f is gone after two", lost)
	}
	j.talk.repairs = 3
	if lost := 1 - j.repairChance("retry")/fresh; lost < 0.6 || lost > 0.8 {
		t.Errorf("%.2f is gone after three", lost)
	}
	j.beginConversation(false)
	if got := j.repairChance("retry"); got != fresh {
		t.Errorf("a fresh start has %.2f, the first had %.2f", got, fresh)
	}
}

// The same seed gives the same table.
func TestTableIsTheSame(t *testing.T) {
	var a, b strings.Builder
	printTable(&a, 20, testSeed)
	printTable(&b, 20, testSeed)
	if a.String() != b.String() || !strings.Contains(a.String(), "ladder with history") {
		t.Errorf("got\n%s\nand\n%s", a.String(), b.String())
	}
}
