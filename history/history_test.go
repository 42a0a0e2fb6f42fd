package history

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"mulligan"
)

const ms = time.Millisecond

func event(session string, body mulligan.Body) mulligan.Event {
	return mulligan.Event{Session: session, Body: body}
}

func ran(name, decision string, ok bool, took time.Duration) mulligan.AgentHookRun {
	return mulligan.AgentHookRun{Name: name, Decision: decision, OK: ok, Duration: took}
}

func stop(runs ...mulligan.AgentHookRun) mulligan.AgentHookEnded {
	return mulligan.AgentHookEnded{Event: mulligan.EventStop, Try: 1, Reply: mulligan.AgentHookReply{Runs: runs}}
}

func lifecycle(at mulligan.Moment, name string, ok bool, took time.Duration) mulligan.HookEnded {
	return mulligan.HookEnded{Moment: at, Name: name, Result: mulligan.HookResult{OK: ok}, Duration: took}
}

// settled is want, where a quantile is as near to it as one has to be.
func settled(got, want time.Duration) time.Duration {
	if math.Abs(float64(got-want)) <= 0.01*float64(want) {
		return want
	}
	return got
}

// S9: every way in which a run can end is counted once.
func TestHooks(t *testing.T) {
	var h Hooks
	for _, e := range []mulligan.Event{
		event("a", mulligan.Noted{Text: "nothing of a hook"}),
		event("a", lifecycle(mulligan.SessionEnd, "bye", true, ms)),
		event("a", mulligan.HookStarted{Moment: mulligan.SessionEnd, Name: "cut off"}),
		event("a", stop(ran("tests", mulligan.Block, false, 10*ms), ran("lint", mulligan.Allow, true, ms))),
		event("a", stop(ran("tests", mulligan.Block, false, 20*ms), ran("lint", mulligan.Allow, false, ms))),
		event("b", stop(ran("tests", mulligan.HookBroken, false, time.Second))),
		event("b", stop(ran("tests", mulligan.Allow, false, 30*ms))), // it fails open
		event("b", stop(ran("tests", mulligan.Allow, true, 30*ms))),
		event("b", stop(ran("tests", mulligan.Allow, true, 30*ms))),
		event("b", stop(ran("tests", mulligan.Halt, false, 30*ms))),
		event("b", mulligan.AgentHookEnded{Event: mulligan.EventPrompt, Reply: mulligan.AgentHookReply{
			Runs: []mulligan.AgentHookRun{ran("tests", mulligan.Allow, true, ms)},
		}}),
		event("b", lifecycle(mulligan.SessionStart, "build", false, 2*ms)),
	} {
		h.Apply(e)
	}
	want := []Hook{
		{Moment: "session_start", Name: "build", Sessions: 1, Runs: 1, Failures: 1, P50: 2 * ms, P95: 2 * ms, Max: 2 * ms},
		{Moment: "UserPromptSubmit", Name: "tests", Sessions: 1, Runs: 1, P50: ms, P95: ms, Max: ms},
		{Moment: "Stop", Name: "tests", Sessions: 2, Runs: 7, Blocks: 2, Halts: 1, Broken: 1, Failures: 1, P50: 30 * ms, P95: time.Second, Max: time.Second},
		{Moment: "Stop", Name: "lint", Sessions: 1, Runs: 2, Failures: 1, P50: ms, P95: ms, Max: ms},
		{Moment: "session_end", Name: "bye", Sessions: 1, Runs: 1, P50: ms, P95: ms, Max: ms},
	}
	got := h.List()
	for i := range min(len(got), len(want)) {
		got[i].P50, got[i].P95 = settled(got[i].P50, want[i].P50), settled(got[i].P95, want[i].P95)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if len((&Hooks{}).List()) != 0 {
		t.Error("no events, and there are figures")
	}
}

func TestChecks(t *testing.T) {
	var c Checks
	for _, v := range []mulligan.Verdict{
		{Gate: "go vet", Status: mulligan.Pass, Duration: ms},
		{Gate: "go test", Status: mulligan.Fail, Duration: 5 * ms},
		{Gate: "go test", Status: mulligan.Broken, Duration: 5 * ms},
		{Gate: "go test", Status: mulligan.Pass, Duration: 5 * ms},
	} {
		c.Apply(event("a", mulligan.GateEnded{Verdict: v}), "")
	}
	c.Apply(event("b", mulligan.GateEnded{Verdict: mulligan.Verdict{Gate: "go vet", Status: mulligan.Fail, Duration: ms}}), "")
	want := []Check{
		{Name: "go test", Sessions: 1, Runs: 3, Failed: 1, Broken: 1, P50: 5 * ms, P95: 5 * ms, Max: 5 * ms},
		{Name: "go vet", Sessions: 2, Runs: 2, Failed: 1, P50: ms, P95: ms, Max: ms},
	}
	if got := c.List(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A quantile is off by a hundredth at most, and memory does not grow with the runs.
func TestSpread(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var s Spread
	var all []time.Duration
	for range 100_000 {
		d := time.Duration(math.Exp(random.NormFloat64()*3) * float64(50*ms))
		all = append(all, d)
		s.Add(d)
	}
	slices.Sort(all)
	for _, part := range []float64{0, 0.01, 0.5, 0.95, 0.999, 1} {
		want := all[max(1, int(math.Ceil(part*float64(len(all)))))-1]
		if got := s.Quantile(part); settled(got, want) != want {
			t.Errorf("quantile %v is %v, want %v", part, got, want)
		}
	}
	if s.Max() != all[len(all)-1] {
		t.Errorf("max is %v, want %v", s.Max(), all[len(all)-1])
	}
	if len(s.steps) > 2000 {
		t.Errorf("%d counters for %d runs", len(s.steps), len(all))
	}
}

func TestSpreadAtItsEdges(t *testing.T) {
	var none, odd Spread
	if none.Quantile(0.5) != 0 || none.Max() != 0 {
		t.Error("no runs, and they took time")
	}
	for _, d := range []time.Duration{-time.Second, 0, math.MaxInt64} {
		odd.Add(d)
	}
	if odd.Quantile(0.5) != 0 || odd.Quantile(1) < math.MaxInt64/100*99 || odd.Max() != math.MaxInt64 {
		t.Errorf("p50 %v, p100 %v, max %v", odd.Quantile(0.5), odd.Quantile(1), odd.Max())
	}
}
