package modeltest

import (
	"fmt"
	"slices"
	"testing"
)

func TestPick(t *testing.T) {
	say := func(role, text string) Message { return Message{Role: role, Text: text} }
	for _, test := range []struct {
		name  string
		turns []Turn
		asked [][]Message
		want  []int
	}{
		{
			"in order",
			[]Turn{Say("a"), Say("b")},
			[][]Message{{say("user", "x")}, {say("user", "x")}, {say("user", "x")}},
			[]int{0, 1, -1},
		},
		{
			"by what the newest message contains",
			[]Turn{Say("a").At("one"), Say("b").At("two")},
			[][]Message{{say("user", "two")}, {say("user", "two"), say("assistant", "b"), say("user", "one")}},
			[]int{1, 0},
		},
		{
			"what was said before the model last spoke does not count",
			[]Turn{Say("a").At("one")},
			[][]Message{{say("user", "one"), say("assistant", "a"), say("user", "more")}},
			[]int{-1},
		},
		{
			"several messages since then are one",
			[]Turn{Say("a").At("one")},
			[][]Message{{say("assistant", "a"), {Role: "tool", Results: []Result{{Text: "one"}}}, say("user", "reminder")}},
			[]int{0},
		},
		{
			"nearest to the end",
			[]Turn{Say("a").At("one").Always(), Say("b").At("two").Always()},
			[][]Message{{say("user", "one two")}, {say("user", "two one")}, {say("user", "one two one")}},
			[]int{1, 0, 0},
		},
		{
			"a needle goes before the order",
			[]Turn{Say("a"), Say("b").At("one")},
			[][]Message{{say("user", "one")}, {say("user", "one")}},
			[]int{1, 0},
		},
		{
			"so many times",
			[]Turn{{Times: 2, Answer: Answer{Text: "a"}}, Say("b")},
			[][]Message{{say("user", "x")}, {say("user", "x")}, {say("user", "x")}},
			[]int{0, 0, 1},
		},
		{
			"only in its conversation",
			[]Turn{{In: "agent 7", When: "go on"}, {In: "agent 8", When: "go on"}},
			[][]Message{{say("user", "agent 8"), say("assistant", "a"), say("user", "go on")}, {say("user", "agent 9 go on")}},
			[]int{1, -1},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			used := make([]int, len(test.turns))
			var got []int
			for _, messages := range test.asked {
				got = append(got, pickTurn(test.turns, used, Request{Messages: messages}))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("picked %v, want %v", got, test.want)
			}
		})
	}
}

func TestPickWithoutTools(t *testing.T) {
	turns := []Turn{Say("a"), Say("b").At("x").WithoutTools()}
	used := make([]int, len(turns))
	ask := func(side bool) int {
		return pickTurn(turns, used, Request{Side: side, Messages: []Message{{Role: "user", Text: "x"}}})
	}
	if got := []int{ask(true), ask(true), ask(false), ask(false)}; !slices.Equal(got, []int{1, -1, 0, -1}) {
		t.Errorf("picked %v", got)
	}
}

func TestChunksAreWhole(t *testing.T) {
	for _, text := range []string{"", "a", "abc", "grüße 日本", fmt.Sprintf("%01000d", 7)} {
		whole := ""
		for _, c := range splitText(text) {
			whole += c
		}
		if whole != text || len(splitText(text)) > 4 {
			t.Errorf("%q in %d chunks is %q", text, len(splitText(text)), whole)
		}
	}
}
