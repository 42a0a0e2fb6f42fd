package agenttest

import (
	"slices"
	"strings"
	"testing"

	"mulligan"
)

// A Fault is what a model's side does to an agent. Act returns it as an error, so that the fake of
// a backend can report it in its program's own terms.
type Fault string

// The faults.
const (
	RateLimit Fault = "rate limit" // 429
	Overload  Fault = "overload"   // 529
	Login     Fault = "login"      // 401
	Payment   Fault = "payment"    // 402
	Refusal   Fault = "refusal"
	Cut       Fault = "cut"    // the stream of an answer
	Length    Fault = "length" // a limit of the model's own
)

// Faults returns all of them.
func Faults() []Fault { return []Fault{RateLimit, Overload, Login, Payment, Refusal, Cut, Length} }

func (f Fault) Error() string { return "the fake agent's model: " + string(f) }

// expectedEndings are how a turn ends that met the fault, if the backend tells it from a crash.
var expectedEndings = map[Fault]mulligan.Result{
	RateLimit: {Ending: mulligan.RateLimited},
	Overload:  {Ending: mulligan.Unavailable, Cause: mulligan.Network},
	Cut:       {Ending: mulligan.Unavailable, Cause: mulligan.Network},
	Login:     {Ending: mulligan.Unavailable, Cause: mulligan.Auth},
	Payment:   {Ending: mulligan.Unavailable, Cause: mulligan.Billing},
	Refusal:   {Ending: mulligan.Refused},
	Length:    {Ending: mulligan.AtLimit},
}

// wantFault fails the test unless the turn ended as one that met the fault.
func (s *stage) wantFault(r mulligan.Result, f Fault) {
	s.t.Helper()
	want := mulligan.Result{Ending: mulligan.Crashed}
	if slices.Contains(s.harness.Tells, f) {
		want = expectedEndings[f]
	}
	s.wantEnding(r, want.Ending)
	if r.Cause != want.Cause || r.Reason == "" || strings.Contains(r.Reason, "\n") {
		s.t.Errorf("%s: cause %q, reason %q; want %q, and one line", f, r.Cause, r.Reason, want.Cause)
	}
}

// testFaults wants each fault to have its ending, with what was said before it.
func testFaults(t *testing.T, h Harness) {
	for _, f := range Faults() {
		s := newStage(t, h)
		r := s.take(Behaviour{Say: "so far", Fault: f})
		s.wantFault(r, f)
		if r.Message != "so far" {
			t.Errorf("%s: message = %q", f, r.Message)
		}
	}
}

// testAgain repeats the same turn after a rate limit, which has passed then.
func testAgain(t *testing.T, h Harness) {
	s := newStage(t, h)
	a := h.New(t, s.spec, s.deps, Behaviour{Say: "hello", Fault: RateLimit, Once: true})
	first := s.takeTurn(t.Context(), a)
	s.wantFault(first, RateLimit)
	s.turn.Conversation = first.Conversation
	second := s.takeTurn(t.Context(), a)
	s.wantEnding(second, mulligan.Finished)
	if second.Message != "hello" || first.Conversation != "" && second.Conversation != first.Conversation {
		t.Errorf("message %q; conversation %q went on as %q", second.Message, first.Conversation, second.Conversation)
	}
}

// testVanished checks that a program which ends in the middle of its turn, exit 0 or not, has not
// finished it.
func testVanished(t *testing.T, h Harness) {
	s := newStage(t, h)
	want := mulligan.Crashed
	if h.ExitEnds {
		want = mulligan.Finished
	}
	r := s.take(Behaviour{Say: "so far", Vanish: true})
	s.wantEnding(r, want)
	if r.Message != "so far" || (r.Reason == "") != h.ExitEnds {
		t.Errorf("message %q, reason %q", r.Message, r.Reason)
	}
}

// testInterrupted checks that a signal which mulligan did not send is not a cancellation.
func testInterrupted(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.wantEnding(s.take(Behaviour{Say: "so far", Interrupt: true}), mulligan.Crashed)
}

// testDenied checks that what the agent may not do is denied and reported, and that the turn
// continues. A backend that decides nothing denies nothing.
func testDenied(t *testing.T, h Harness) {
	for permissions, denies := range map[string]bool{"edits": h.Permits, "full": false} {
		s := newStage(t, h)
		s.spec.Permissions = permissions
		r := s.take(Behaviour{Wants: "remove-all", Say: "so be it"})
		s.wantEnding(r, mulligan.Finished)
		if r.Message != "so be it" || (len(r.Denied) == 1) != denies || len(r.Denied) > 1 {
			t.Errorf("%s: denied %q, message %q; log:\n%s", permissions, r.Denied, r.Message, s.log.String())
		}
		if denies && r.Denied[0] == "" {
			t.Errorf("%s: what was denied is not said", permissions)
		}
	}
}
