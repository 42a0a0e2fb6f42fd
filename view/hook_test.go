package view_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/view"
	"mulligan/view/viewtest"
)

func run(name, decision, exit, reason string) mulligan.AgentHookRun {
	return mulligan.AgentHookRun{Name: name, Decision: decision, Exit: exit, Reason: reason, Duration: 300 * time.Millisecond}
}

func TestRemarksOfAgentHooks(t *testing.T) {
	ok := "exit status 0"
	for _, c := range []struct {
		event    string
		runs     []mulligan.AgentHookRun
		messages []string
		want     []string
	}{
		{"Stop", nil, nil, nil},
		{"Stop", []mulligan.AgentHookRun{run("a", "allow", ok, "")}, nil, []string{`Stop hook "a" allows  0.3s`}},
		{
			"Stop",
			[]mulligan.AgentHookRun{run("a", "allow", ok, ""), run("b", "allow", "answered", ""), run("c", "allow", "HTTP 204 No Content", "")},
			nil,
			[]string{`Stop hooks "a", "b", "c" allow  0.3s`},
		},
		{
			"Stop",
			[]mulligan.AgentHookRun{run("a", "allow", ok, ""), run("b", "block", "exit status 2", "3 fail")},
			nil,
			[]string{`Stop hook "a" allows  0.3s`, `Stop hook "b" blocks  0.3s  3 fail`},
		},
		{
			"Stop",
			[]mulligan.AgentHookRun{run("a", "allow", "exit status 1", "")},
			[]string{"a: exit status 1: one\ntwo"},
			[]string{`Stop hook "a" allows  0.3s  exit status 1`, "| one", "| two"},
		},
		{
			"Stop",
			[]mulligan.AgentHookRun{run("a", "allow", "exit status 1", "")},
			[]string{"a: exit status 1"},
			[]string{`Stop hook "a" allows  0.3s  exit status 1`},
		},
		{
			"Stop",
			[]mulligan.AgentHookRun{run("a", "allow", ok, "")},
			[]string{"a: hello", "of nobody"},
			[]string{`Stop hook "a" allows  0.3s`, "| hello", "Stop hooks say  of nobody"},
		},
		{ // a broken one that another outdoes is said once
			"Stop",
			[]mulligan.AgentHookRun{run("a", "broken", "timed out after 2s", "a: timed out after 2s"), run("b", "block", "exit status 2", "no")},
			[]string{"a: timed out after 2s"},
			[]string{`Stop hook "a" could not tell  0.3s  timed out after 2s`, `Stop hook "b" blocks  0.3s  no`},
		},
		{"Stop", []mulligan.AgentHookRun{run("a", "halt", ok, "enough")}, nil, []string{`Stop hook "a" ends the session  0.3s  enough`}},
		{"UserPromptSubmit", []mulligan.AgentHookRun{run("a", "block", "exit status 2", "no secrets")}, nil, []string{`UserPromptSubmit hook "a" blocks  0.3s  no secrets`}},
		{"SessionStart", []mulligan.AgentHookRun{run("a", "allow", ok, ""), run("b", "allow", ok, "")}, nil, []string{`SessionStart hooks "a", "b" ok  0.3s`}},
		{"SessionEnd", []mulligan.AgentHookRun{run("a", "block", "exit status 2", "too late")}, nil, []string{`SessionEnd hook "a" failed  0.3s  too late`}},
	} {
		var got []string
		reply := mulligan.AgentHookReply{Runs: c.runs, Messages: c.messages}
		for _, r := range view.Remarks(mulligan.AgentHookEnded{Event: c.event, Reply: reply}, view.Snapshot{}) {
			got = append(got, r.String())
			for _, line := range r.Under {
				got = append(got, "| "+line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %v, messages %q:\n%q, want\n%q", c.event, c.runs, c.messages, got, c.want)
		}
		if len(c.messages) > 0 && strings.Join(reply.Messages, "") == "" {
			t.Errorf("the event's own messages were changed: %q", reply.Messages)
		}
	}
}

func TestLongMessagesSayWhereTheRestIs(t *testing.T) {
	r := run("a", "allow", "exit status 1", "")
	r.Whole = "/hooks/1.log"
	reply := mulligan.AgentHookReply{Runs: []mulligan.AgentHookRun{r}, Messages: []string{"a: exit status 1: " + strings.Repeat("line\n", 9)}}
	got := view.Remarks(mulligan.AgentHookEnded{Event: "Stop", Reply: reply}, view.Snapshot{})[0].Under
	if len(got) != 7 || got[6] != "… 3 more lines; all of it: /hooks/1.log" {
		t.Errorf("got %q", got)
	}
}

func TestAHookRetryIsThatAndNoAttempt(t *testing.T) {
	m, s := fold(t, "stop-retrying")
	snap := m.Snapshot(s.Now)
	if snap.Running == nil || snap.Running.SentBack == nil || snap.Running.SentBack.String() != "[Hook retry 1/2: 3 tests fail]" || snap.Running.Why() != "hook retry 1/2" {
		t.Fatalf("what runs is %+v", snap.Running)
	}
	if snap.Evidence == nil || snap.Evidence.Gate != "Stop hook ./tests.sh" || !snap.FedBack {
		t.Errorf("the evidence is %+v, fed back %v", snap.Evidence, snap.FedBack)
	}
	if !strings.Contains(texts(m), "agent local, hook retry 1/2\n[Hook retry 1/2: 3 tests fail]\n") {
		t.Errorf("the output is\n%s", texts(m))
	}
	m, s = fold(t, "stop-delivery")
	if got := m.Snapshot(s.Now).Running.Why(); got != "hook retry 1/2, final delivery" {
		t.Errorf("in the final delivery it is %q", got)
	}
}

// The evidence of a Stop hook goes when it allows, or is waived, and stays when the attempt fails.
func TestEvidenceOfStopHooks(t *testing.T) {
	for name, want := range map[string]string{
		"stop-verified": "", "stop-accepted": "", "stop-ignored": "",
		"stop-asking": "Stop hook ./tests.sh", "stop-failed": "Stop hook ./tests.sh", "stop-delivery": "",
	} {
		m, s := fold(t, name)
		got := ""
		if v := m.Snapshot(s.Now).Evidence; v != nil {
			got = v.Gate
		}
		if got != want {
			t.Errorf("%s: the evidence is that of %q, want %q", name, got, want)
		}
	}
}

// A claim survives the hook retry that follows it; another prompt ends it.
func TestAClaimAndAHookRetry(t *testing.T) {
	m, s := fold(t, "loop-working")
	at := func(b mulligan.Body) bool {
		m.Apply(mulligan.Event{Session: "s", Time: s.Now, Body: b})
		return m.Snapshot(s.Now).Claimed
	}
	at(mulligan.Claimed{Turn: 2})
	if !at(mulligan.TurnStarted{Turn: 3, Purpose: mulligan.ForHook}) {
		t.Error("a hook retry takes the claim back")
	}
	if at(mulligan.TurnStarted{Turn: 4, Purpose: mulligan.ForNow}) {
		t.Error("a turn for something else leaves the claim")
	}
}

func TestWaivers(t *testing.T) {
	m, s := fold(t, "stop-ignored")
	if got := m.Snapshot(s.Now).Waived(); len(got) != 1 || !strings.Contains(got[0], "ignored a Stop hook") {
		t.Fatalf("waived is %q", got)
	}
	m.Apply(mulligan.Event{Time: s.Now, Body: mulligan.AttemptStarted{Step: "implement", Attempt: 2, Iteration: 2}})
	if got := m.Snapshot(s.Now).Waived(); len(got) > 0 {
		t.Errorf("in the next attempt waived is %q", got)
	}
	m, s = fold(t, "stop-accepted")
	step := m.Snapshot(s.Now).Step()
	if step.Status != view.Accepted || step.AcceptedWords() != "a hook was waived" || len(step.Waived) != 1 {
		t.Errorf("the step is %+v", step)
	}
}

func TestRunsOfAgentHooks(t *testing.T) {
	m, s := fold(t, "stop-verified")
	for _, h := range m.Snapshot(s.Now).Hooks {
		if h.Name == "./tests.sh" && (h.Runs != 3 || h.Blocked != 2 || h.Failed != 0 || !h.OK || h.Running) {
			t.Errorf("it is %+v", h)
		}
	}
	// Two of the same name are two; one that is ignored later leaves the other's place alone.
	m = view.NewModel()
	started := mulligan.AgentHookStarted{Event: "Stop", Hooks: []string{"a", "a", "b"}, Try: 1}
	reply := mulligan.AgentHookReply{Runs: []mulligan.AgentHookRun{run("a", "allow", "", ""), run("a", "block", "", ""), run("b", "allow", "", "")}}
	only := mulligan.AgentHookReply{Runs: []mulligan.AgentHookRun{run("b", "broken", "", "")}}
	for _, b := range []mulligan.Body{
		started,
		mulligan.AgentHookEnded{Event: "Stop", Reply: reply},
		mulligan.AgentHookStarted{Event: "Stop", Hooks: []string{"b"}, Try: 1},
		mulligan.AgentHookEnded{Event: "Stop", Reply: only},
	} {
		m.Apply(mulligan.Event{Time: viewtest.Begun, Body: b})
	}
	hooks := m.Snapshot(viewtest.Begun).Hooks
	if len(hooks) != 3 || !hooks[0].OK || hooks[1].OK || hooks[2].Name != "b" || hooks[2].Runs != 2 || hooks[2].Failed != 1 {
		t.Errorf("the hooks are %+v", hooks)
	}
}

// Hooks inside an agent leave its turn running, and are told of only where they do more than allow.
func TestHooksInsideAnAgent(t *testing.T) {
	m, s := fold(t, "loop-working")
	before := texts(m)
	inside := func(decision string) view.Snapshot {
		reply := mulligan.AgentHookReply{Decision: decision, Reason: "no", Runs: []mulligan.AgentHookRun{run("guard", decision, "exit status 0", "no")}}
		m.Apply(mulligan.Event{Session: "s", Time: s.Now, Body: mulligan.AgentHookEnded{Event: "PreToolUse", Try: 1, Reply: reply, Inside: true}})
		return m.Snapshot(s.Now)
	}
	snap := inside(mulligan.Allow)
	if snap.Running == nil || snap.Running.Kind != view.OfAgent || texts(m) != before {
		t.Errorf("%v runs, and the output is\n%s", snap.Running, texts(m))
	}
	snap = inside(mulligan.Block)
	if snap.Running == nil || !strings.Contains(texts(m), `PreToolUse hook "guard" blocks  0.3s  no`) {
		t.Errorf("%v runs, and the output is\n%s", snap.Running, texts(m))
	}
	if h := snap.Hooks[len(snap.Hooks)-1]; h.Name != "guard" || h.Runs != 2 || h.Blocked != 1 {
		t.Errorf("the hook is %+v", h)
	}
}
