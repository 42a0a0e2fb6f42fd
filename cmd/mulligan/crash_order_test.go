package main

import (
	"math/rand/v2"
	"testing"
)

// kindsAtOnce is how many kinds of sessions the complete matrix goes through side by side. A kind that waits for
// seconds then runs beside those that work, and the kinds are done one after the other, not all at the end.
const kindsAtOnce = 12

// interleave draws an order in which every scenario soon has its turn, or with -crash.all in which a few have it.
func interleave(kills []kill) []kill {
	random := rand.New(rand.NewPCG(*crashSeed, 1))
	byScenario := map[*scenario][]kill{}
	var order []*scenario
	for _, k := range kills {
		if byScenario[k.scenario] == nil {
			order = append(order, k.scenario)
		}
		byScenario[k.scenario] = append(byScenario[k.scenario], k)
	}
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var lists [][]kill
	for _, s := range order {
		list := byScenario[s]
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		lists = append(lists, list)
	}
	atOnce := len(lists)
	if *crashAll {
		atOnce = kindsAtOnce
	}
	return takeTurns(lists, atOnce)
}

// takeTurns returns what the lists have, one of each at a time and of so many lists at once: where one is over, the next
// begins.
func takeTurns[T any](lists [][]T, atOnce int) (all []T) {
	atOnce = min(atOnce, len(lists))
	active, waiting := append([][]T(nil), lists[:atOnce]...), lists[atOnce:]
	for len(active) > 0 {
		var still [][]T
		for _, list := range active {
			if len(list) > 0 {
				all = append(all, list[0])
				list = list[1:]
			}
			if len(list) == 0 && len(waiting) > 0 {
				list, waiting = waiting[0], waiting[1:]
			}
			if len(list) > 0 {
				still = append(still, list)
			}
		}
		active = still
	}
	return all
}

func TestTakeTurns(t *testing.T) {
	lists := [][]string{{"a1", "a2"}, {"b1"}, {"c1", "c2", "c3"}, {"d1"}}
	for atOnce, want := range map[int]string{
		1: "a1 a2 b1 c1 c2 c3 d1",
		2: "a1 b1 a2 c1 d1 c2 c3",
		4: "a1 b1 c1 d1 a2 c2 c3",
		9: "a1 b1 c1 d1 a2 c2 c3",
	} {
		got := ""
		for _, item := range takeTurns(lists, atOnce) {
			got += " " + item
		}
		if got != " "+want {
			t.Errorf("%d at once:%s, want %s", atOnce, got, want)
		}
	}
}
