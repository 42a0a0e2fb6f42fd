package e2e

import (
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/test/modeltest"
)

// TestRateLimitedMidway: a turn that meets a rate limit after it has done something goes on in the
// same conversation, which it had begun itself: the model is told what was done before.
func TestRateLimitedMidway(t *testing.T) {
	with(t, []string{"claude", "codex"}, func(t *testing.T, name string) {
		a := cast[name]
		s := onStage(t, setup{by: name, config: oneStep})
		fails := limited(a).At("half-is-made")
		fails.Times = 1
		if name == "claude" {
			fails.Times = 2 // it tries once more itself
		}
		s.play(append([]modeltest.Turn{a.runs("echo half > half; echo half-is-made").At("Make the answer"), fails}, s.right("Make the answer")...)...)
		r := s.run(0)
		s.played()
		if got := r.attempts(); !slices.Equal(got, []int{1}) {
			t.Errorf("attempts %v", got)
		}
		waits := all[mulligan.Waited](r)
		if len(waits) != 1 || !waits[0].Free || waits[0].Conversation == "" {
			t.Errorf("waited %+v", waits)
		}
		if ended := all[mulligan.TurnEnded](r); len(ended) != 1 || ended[0].Result.Conversation != waits[0].Conversation {
			t.Errorf("turns %+v", ended)
		}
		asked := s.model.Asked()
		last := asked[len(asked)-1].Conversation()
		if !strings.Contains(last, "half-is-made") || strings.Count(last, "Make the answer") != 2 {
			t.Errorf("the conversation began anew: %s", last)
		}
	})
}
