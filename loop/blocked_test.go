package loop_test

import (
	"fmt"
	"slices"
	"testing"

	"mulligan"
	"mulligan/state"
)

// remembering notes what a prompt can know of earlier blocks.
type remembering struct {
	words
	known *[]string
}

func (r remembering) HookFeedback(st *state.State, reply mulligan.AgentHookReply) string {
	before := "nothing"
	if st.StopHooks.LastBlock != nil {
		before = st.StopHooks.LastBlock.Reason
	}
	*r.known = append(*r.known, fmt.Sprintf("%s after %s: %d", reply.Reason, before, st.StopHooks.SameBlock))
	return r.words.HookFeedback(st, reply)
}

// TestBlockedBefore (F4): what hooks said when they blocked before is known since the last prompt
// that they did not cause, and how often in a row it was the same; a retry begins anew.
func TestBlockedBefore(t *testing.T) {
	w := newWorld(mulligan.Pass)
	h := &stopHooks{replies: []mulligan.AgentHookReply{
		block("a"), block("a"), block(" a\n"), block("b"), block("never"), // the limit: the attempt has failed
		block("never"), allow,
	}}
	var known []string
	s := w.session()
	s.AgentHooks, s.Prompts.HookFeedback = h, remembering{words{w}, &known}.HookFeedback
	if err := s.Start(id, stopping(planOf(1, "one"), 4), mulligan.Place{Dir: "/workspace"}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
		t.Fatalf("%+v, %v", o, err)
	}
	want := []string{"a after nothing: 1", "a after a: 2", " a\n after a: 3", "b after  a\n: 1", "never after nothing: 1"}
	if !slices.Equal(known, want) {
		t.Errorf("known: %q\n want: %q", known, want)
	}
	if st := w.state(t); st.StopHooks.LastBlock == nil || st.StopHooks.SameBlock != 1 {
		t.Errorf("the journal tells otherwise: %+v, %d", st.StopHooks.LastBlock, st.StopHooks.SameBlock)
	}
}
