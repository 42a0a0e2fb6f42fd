package modeltest

import (
	"testing"
	"time"
)

func TestProbe(t *testing.T) {
	for _, a := range []Answer{
		{Fault: &Fault{Status: 400, Message: "bad thing"}},
		{Fault: &Fault{Status: 401}},
		{Fault: &Fault{Status: 403}},
		{Fault: &Fault{Status: 429, RetryAfter: 2}},
		{Fault: &Fault{Status: 500}},
		{Text: "some words that are said", Cut: true},
		{Text: "some words", Stop: "MAX_TOKENS"},
		{Text: "some words", Stop: "SAFETY"},
	} {
		s := start(t, Turn{Times: -1, Answer: a})
		got := converse(t, t.TempDir(), Env(t, s, "gemini"), Agent(t, "gemini"), "--acp")
		f := Fault{}
		if a.Fault != nil {
			f = *a.Fault
		}
		t.Logf("GEMINI %d cut=%v stop=%s: %v in %v, %d requests\n%s\n%s", f.Status, a.Cut, a.Stop, got.exit, got.exit.Duration.Round(time.Millisecond), len(s.Log()), tail(got.stdout, 700), tail(got.stderr, 200))
	}
}
