package main

import (
	"fmt"
	"math/rand/v2"

	"mulligan"
)

// A conversation is what an agent remembers, and what that costs.
type conversation struct {
	repairs  int     // tries in it that had feedback
	lost     float64 // share of the chance that was lost for good before it began
	size     int     // tokens
	stronger bool
}

// A job is one task under way.
type job struct {
	scenario
	luck   *rand.Rand // draws the same numbers whatever is decided
	factor float64    // of the task's chances
	broken []bool     // parts that fail
	class  []int      // of each part's error
	talk   conversation
	tokens float64
	reread float64 // of the tokens: reading again what the conversation holds
}

// newJob returns the task with a number. Its luck depends on the seed and the number alone.
func newJob(s scenario, seed uint64, number int) *job {
	luck := rand.New(rand.NewPCG(seed, uint64(number)))
	j := &job{scenario: s, luck: luck, factor: 0.4 + 1.2*luck.Float64(), broken: make([]bool, s.parts), class: make([]int, s.parts)}
	for i := range j.broken {
		j.broken[i] = true
	}
	return j
}

// try has the agent take an attempt in the conversation. Every attempt draws the same numbers, so that
// two ways to retry which decide alike have the same luck.
func (j *job) try(strategy string, told bool) {
	chance := j.first
	switch {
	case told:
		chance = j.repairChance(strategy)
		j.talk.repairs++
	case strategy != "":
		chance *= blindShare
	}
	for i := range j.broken {
		solves, wanders := j.luck.Float64(), j.luck.Float64()
		if !j.broken[i] {
			continue
		}
		if solves < min(chance*j.factor, 0.95) {
			j.broken[i] = false
		} else if wanders < j.wander {
			j.class[i]++
		}
	}
}

// repairChance returns the chance that the next try in the conversation repairs a part.
func (j *job) repairChance(strategy string) float64 {
	chance := j.repair * (1 - j.talk.lost)
	for range j.talk.repairs {
		chance *= j.kept
	}
	if effect, ok := j.effect[strategy]; ok {
		chance *= effect
	}
	if j.talk.stronger {
		chance = min(0.9, chance+0.3)
	}
	return chance
}

// beginConversation begins a new one. What a fresh start does not cure stays lost.
func (j *job) beginConversation(stronger bool) {
	left := 1 - j.talk.lost
	for range j.talk.repairs {
		left *= j.kept
	}
	j.talk = conversation{lost: (1 - left) * (1 - j.cured), stronger: stronger || j.talk.stronger}
}

// pay counts the tokens of an attempt that had so many to read.
func (j *job) pay(reading int) {
	price := 1.0
	if j.talk.stronger {
		price = strongerPrice
	}
	fresh := reading + workTokens
	again := float64(j.talk.size) + float64(fresh)/2
	j.tokens += price * (float64(fresh) + again)
	j.reread += price * again
	j.talk.size += fresh
}

// attempt returns the state of an attempt as the checks leave it.
func (j *job) attempt(number int, strategy string) mulligan.AttemptState {
	a := mulligan.AttemptState{Number: number, Strategy: strategy, Status: mulligan.Pass}
	f := &mulligan.Finding{Command: "make check", Exit: "exit status 1"}
	for i, broken := range j.broken {
		if broken {
			f.Failing = append(f.Failing, mulligan.Item{
				Name: fmt.Sprintf("TestPart%d", i), Place: fmt.Sprintf("part_test.go:%d", 10*number),
				Message: fmt.Sprintf("error E%03d: got %d on port %d", j.class[i], number, 40000+j.luck.IntN(9999)),
			})
		} else {
			j.luck.IntN(9999)
		}
	}
	if len(f.Failing) == 0 {
		return a
	}
	f.Counts.Failed = len(f.Failing)
	a.Status = mulligan.Fail
	a.Verdicts = []mulligan.Verdict{{Gate: "tests", Status: mulligan.Fail, Finding: f}}
	return a
}
