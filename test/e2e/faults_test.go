package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/test/modeltest"
)

// A fault is something that goes wrong outside of the work.
type fault struct {
	name   string
	agent  string // lines of the agent's config
	files  map[string]string
	config string // what follows the agents; oneStep where it is empty
	args   []string
	// turn is what the model does first, as often as a column says; what follows is right.
	turn func(a actor) modeltest.Turn
	// meets is called before the session begins, and what it gives while it runs.
	meets func(s *stage) (during func())
	of    map[string]column
}

// A column is what a fault comes to with one of the programs.
type column struct {
	asks     int // requests of the program's own until it gives up; below 0 is for ever
	exit     int
	turns    []mulligan.Ending
	cause    mulligan.Cause // of the first turn
	reason   string         // of the first turn, or of the session where no turn has ended: it has one of these words
	attempts []int
	waits    int           // for a rate limit
	longest  time.Duration // of those
	again    int           // how often the connection was tried again: so often where it was in vain, else at least
}

// well: nothing was used but one turn of the first attempt, and it went well.
func well(c column) column {
	c.turns, c.attempts = []mulligan.Ending{mulligan.Finished}, []int{1}
	return c
}

// fails: the first turn ends the session.
func fails(ending mulligan.Ending, cause mulligan.Cause, c column) column {
	c.exit, c.turns, c.cause, c.attempts = 7, []mulligan.Ending{ending}, cause, []int{1}
	return c
}

// repeated: the first turn fails, and the attempt is taken again.
func repeated(ending mulligan.Ending, c column) column {
	c.turns, c.attempts = []mulligan.Ending{ending, mulligan.Finished}, []int{1, 1}
	return c
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		for name, want := range f.of {
			t.Run(f.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				f.happen(t, name, want)
			})
		}
	}
}

func (f fault) happen(t *testing.T, name string, want column) {
	s := onStage(t, setup{by: name, agent: f.agent, config: or(f.config, oneStep), files: f.files})
	script := s.right("Make the answer")
	if f.turn != nil && want.asks != 0 {
		turn := f.turn(s.actor).At("Make the answer")
		turn.Times = want.asks
		script = append([]modeltest.Turn{turn}, script...)
	}
	s.play(script...)
	over := make(chan struct{})
	if f.meets == nil {
		close(over)
	} else {
		during := f.meets(s)
		go func() {
			defer close(over)
			during()
		}()
	}
	r := s.run(want.exit, f.args...)
	<-over
	if want.exit == 0 {
		s.played()
	}
	want.compare(t, s, r)
}

func (c column) compare(t *testing.T, s *stage, r ran) {
	t.Helper()
	if len(s.model.Asked()) == 0 {
		t.Error("the model was never asked: it is something else that went wrong")
	}
	if got := r.attempts(); !slices.Equal(got, c.attempts) {
		t.Errorf("attempts %v, want %v", got, c.attempts)
	}
	if got := r.endings(); !slices.Equal(got, c.turns) {
		t.Errorf("turns ended %v, want %v", got, c.turns)
	}
	why, cause := r.outcome().Reason, mulligan.Cause("")
	if ended := all[mulligan.TurnEnded](r); len(ended) > 0 {
		why, cause = ended[0].Result.Reason, ended[0].Result.Cause
	}
	if said := func(word string) bool { return strings.Contains(why, word) }; cause != c.cause || !slices.ContainsFunc(strings.Split(c.reason, "|"), said) {
		t.Errorf("it was %s: %s; want %s: %s", cause, why, c.cause, c.reason)
	}
	waits := all[mulligan.Waited](r)
	limits := slices.DeleteFunc(slices.Clone(waits), func(w mulligan.Waited) bool { return !w.Free || w.Until.IsZero() })
	if len(limits) != c.waits || slices.ContainsFunc(limits, func(w mulligan.Waited) bool { return w.For > c.longest }) {
		t.Errorf("waited %+v, want %d times for a limit", waits, c.waits)
	}
	c.used(t, r)
	if tries := strings.Count(s.logs(), "trying again in"); tries < c.again || tries > c.again && (c.again == 0 || c.exit != 0) {
		t.Errorf("tried again %d times, want %d:\n%s", tries, c.again, s.logs())
	}
	if t.Failed() {
		t.Logf("%s\n%s", r.shown(), s.logs())
	}
}

// used: what was not the work's fault uses no retry, and a wait no turn.
func (c column) used(t *testing.T, r ran) {
	t.Helper()
	o := r.outcome()
	if o.Turns != max(len(c.turns), 1) || o.Iterations > len(c.attempts) || (o.Ended == mulligan.Verified) != (c.exit == 0) {
		t.Errorf("outcome %+v", o)
	}
	for i, a := range all[mulligan.AttemptEnded](r) {
		if i < len(c.turns) && c.turns[i] != mulligan.Finished && a.Counted {
			t.Errorf("attempts %+v", a)
		}
	}
}

// failing is a pipeline that goes on after a turn that failed.
var failing = strings.Replace(oneStep, "limits: {failed_iterations: 1}\n", "", 1)

var faults = []fault{
	{
		name: "rate limited",
		turn: limited,
		of: map[string]column{
			"claude": well(column{asks: 2, waits: 1, longest: 5 * time.Second}),
			"codex":  well(column{asks: 1, waits: 1, longest: 10 * time.Second}),
			"gemini": well(column{asks: 1, waits: 1, longest: time.Minute}),
		},
	},
	{
		name: "rate limited and nobody waits", args: []string{"--no-wait"},
		turn: answers(modeltest.Fault{Status: 429, RetryAfter: 1}),
		of: map[string]column{
			"claude": {asks: -1, exit: 7, reason: "rate limited", attempts: []int{1}},
			"codex":  {asks: -1, exit: 7, reason: "rate limited", attempts: []int{1}},
			"gemini": {asks: -1, exit: 7, reason: "rate limited", attempts: []int{1}},
		},
	},
	{
		name: "no key",
		turn: answers(modeltest.Fault{Status: 401}),
		of: map[string]column{
			"claude":   fails(mulligan.Unavailable, mulligan.Auth, column{asks: -1}),
			"codex":    fails(mulligan.Unavailable, mulligan.Auth, column{asks: -1}),
			"gemini":   fails(mulligan.Unavailable, mulligan.Auth, column{asks: -1}),
			"opencode": fails(mulligan.Crashed, "", column{asks: -1}),
		},
	},
	{
		name: "overloaded for long",
		turn: answers(modeltest.Fault{Status: 529}),
		of: map[string]column{
			"claude": fails(mulligan.Unavailable, mulligan.Network, column{asks: -1, again: 5}),
			"codex":  fails(mulligan.Unavailable, mulligan.Network, column{asks: -1, again: 5}),
			"gemini": fails(mulligan.Unavailable, mulligan.Network, column{asks: -1, again: 5}),
		},
	},
	{
		name: "stream cut",
		turn: func(actor) modeltest.Turn {
			return modeltest.Turn{Answer: modeltest.Answer{Text: "It is a long story, and nobody has heard all of it yet.", Cut: true}}
		},
		of: map[string]column{
			"claude": well(column{asks: 3, again: 1}),
			"codex":  well(column{asks: 2, again: 1}),
			"gemini": well(column{asks: 1, again: 1}),
		},
	},
	{
		name: "connection refused", meets: nobodyAtFirst,
		of: map[string]column{
			"claude": well(column{again: 1}),
			"codex":  well(column{}),
			"gemini": well(column{again: 1}),
		},
	},
	// It is no success though the answer is there and the program ends with 0, as Claude Code does.
	// How much that says depends on how far it was.
	{
		name: "interrupted alone", config: failing, files: map[string]string{"answer": "right\n"}, meets: interrupted,
		turn: func(actor) modeltest.Turn {
			return modeltest.Turn{Answer: modeltest.Answer{Text: "too late", Delay: outer}}
		},
		of: map[string]column{
			"claude": repeated(mulligan.Crashed, column{asks: 1, reason: "interrupted|without a result"}),
			"codex":  repeated(mulligan.Crashed, column{asks: 1, reason: "interrupt"}),
			"gemini": repeated(mulligan.Crashed, column{asks: 1}),
		},
	},
	{
		name: "interrupted alone in a tool", config: failing, files: map[string]string{"answer": "right\n"},
		turn: func(a actor) modeltest.Turn { return a.runs("kill -INT $PPID; sh -c 'sleep 30'") },
		of: map[string]column{
			"claude": repeated(mulligan.Crashed, column{asks: 1, reason: "interrupted|without a result"}),
			"codex":  repeated(mulligan.Crashed, column{asks: 1, reason: "interrupt"}),
		},
	},
	{
		name: "silent", agent: "    idle_timeout: 60s\n", config: failing, // a busy machine takes some of them to start the program
		turn: func(actor) modeltest.Turn {
			return modeltest.Turn{Answer: modeltest.Answer{Text: "a long story", Hang: true}}
		},
		of: map[string]column{
			"claude": repeated(mulligan.TimedOut, column{asks: 1, reason: "silent for 1m0s"}),
			"codex":  repeated(mulligan.TimedOut, column{asks: 1, reason: "silent for 1m0s"}),
			"gemini": repeated(mulligan.TimedOut, column{asks: 1, reason: "silent for 1m0s"}),
		},
	},
}

func answers(f modeltest.Fault) func(actor) modeltest.Turn {
	return func(actor) modeltest.Turn { return modeltest.Fail(f) }
}

// limited is a rate limit with its end, in the form from which a program understands it. Gemini
// CLI tells of none: that it is one is all that is known, and it is waited for half a minute.
func limited(a actor) modeltest.Turn {
	if a.program != "codex" {
		return modeltest.Fail(modeltest.Fault{Status: 429, RetryAfter: 1})
	}
	reset := time.Now().Add(8 * time.Second).Unix()
	turn := modeltest.Fail(modeltest.Fault{Status: 429, Body: fmt.Sprintf(`{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"pro","resets_at":%d}}`, reset)})
	turn.Header = map[string]string{
		"x-codex-primary-used-percent": "100", "x-codex-primary-window-minutes": "300", "x-codex-primary-reset-at": fmt.Sprint(reset),
	}
	return turn
}

// TestSubscriptionUsedUp: a limit that says when it ends is waited for until then.
func TestSubscriptionUsedUp(t *testing.T) {
	t.Parallel()
	s := onStage(t, setup{config: oneStep})
	until := time.Now().Add(10 * time.Second).Truncate(time.Second)
	s.play(append([]modeltest.Turn{modeltest.Limited(until).At("Make the answer")}, s.right("Make the answer")...)...)
	s.env = modeltest.Subscribed(s.env)
	r := s.run(0)
	s.played()
	// On a machine so busy that it is over before the program says so, the shortest wait is left.
	waits := all[mulligan.Waited](r)
	if len(waits) != 1 || !waits[0].Free || waits[0].Until.Before(until) || time.Now().Before(until) {
		t.Errorf("waited %+v for %v", waits, until)
	}
	if u := s.status().Spent.Usage; !u.Estimated || u.CostUSD <= 0 {
		t.Errorf("what a subscription spent is no estimate: %+v", u)
	}
}

// TestSpent: the turn that reaches a limit is examined, and then the session ends and says what
// was spent. Only Claude Code tells what it cost.
func TestSpent(t *testing.T) {
	limits := map[string]string{"claude": "cost_usd: 1", "codex": "tokens: 1000", "gemini": "tokens: 1000"}
	with(t, []string{"claude", "codex", "gemini"}, func(t *testing.T, name string) {
		costly := modeltest.Say("Done, I think.")
		costly.Usage = modeltest.Usage{Input: 2_000_000, Output: 100_000}
		s := onStage(t, setup{by: name, config: strings.Replace(oneStep, "failed_iterations: 1", limits[name], 1)}).play(costly.Always())
		r := s.run(4)
		o := r.outcome()
		limit, _, _ := strings.Cut(limits[name], ":")
		if o.Ended != mulligan.LimitReached || !strings.Contains(o.Limit, limit) || o.Turns != 1 || o.Usage.InputTokens != 2_000_000 || (o.Usage.CostUSD >= 1) != (name == "claude") {
			t.Errorf("outcome %+v", o)
		}
		if len(all[mulligan.GateEnded](r)) != 1 {
			t.Error("the work of the last turn was not examined")
		}
		if st := s.status(); st.Spent.Usage != o.Usage || st.Ended != string(mulligan.LimitReached) {
			t.Errorf("status %+v", st)
		}
	})
}
