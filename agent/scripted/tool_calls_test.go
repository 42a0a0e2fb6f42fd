package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/task"
)

// playTools plays one turn of a script, and gives what was called and printed.
func playTools(t *testing.T, script string, turn mulligan.Turn, refuse string) (calls []string, log string, r mulligan.Result) {
	t.Helper()
	s, err := Parse("s.yaml", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	deps := agent.Deps{Tools: func(_ context.Context, in mulligan.Turn, tool string, args any) (json.RawMessage, error) {
		data, err := json.Marshal(args)
		if err != nil {
			t.Error(err)
		}
		if in.Number != turn.Number {
			t.Errorf("called for turn %d", in.Number)
		}
		calls = append(calls, tool+" "+string(data))
		switch refuse {
		case "":
			return json.RawMessage(`{"fine":true}`), nil
		case "broken":
			return nil, errors.New("the door is gone")
		}
		return nil, &task.Refusal{Message: refuse}
	}}
	var out bytes.Buffer
	turn.Log, turn.Dir = &out, t.TempDir()
	r, err = build(t, mulligan.AgentSpec{Name: "play"}, deps, s).Turn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return calls, out.String(), r
}

func TestToolActions(t *testing.T) {
	tests := []struct{ action, want string }{
		{`task: {add: "write it", priority: 0, depends: [1, 2], status: blocked}`, `task_add {"content":"write it","depends":[1,2],"priority":0,"status":"blocked"}`},
		{`task: {add: x}`, `task_add {"content":"x"}`},
		{`task: {add_many: [a, {content: b, after: [1], depends: 3}]}`, `task_add_many {"tasks":[{"content":"a"},{"after":[1],"content":"b","depends":[3]}]}`},
		{`task: next`, `task_next {}`},
		{`task: list`, `task_list {}`},
		{`task: {list: [remaining, blocked], limit: 5}`, `task_list {"limit":5,"status":["remaining","blocked"]}`},
		{`task: {start: 3}`, `task_update {"id":3,"status":"in_progress"}`},
		{`task: {done: 3}`, `task_update {"id":3,"status":"completed"}`},
		{`task: {block: 3, reason: no key}`, `task_update {"id":3,"reason":"no key","status":"blocked"}`},
		{`task: {cancel: 3}`, `task_update {"id":3,"status":"cancelled"}`},
		{`task: {reopen: 3}`, `task_update {"id":3,"status":"remaining"}`},
		{`task: {update: 3, priority: 0, depends: [], content: y, status: blocked}`, `task_update {"content":"y","depends":[],"id":3,"priority":0,"status":"blocked"}`},
		{`note: remember`, `note_add {"text":"remember"}`},
		{`note: {text: remember, type: decision}`, `note_add {"text":"remember","type":"decision"}`},
		{`ask: why`, `ask {"question":"why"}`},
		{`ask: {question: why, options: [a, b], default: a}`, `ask {"default":"a","options":["a","b"],"question":"why"}`},
		{`summary: did it`, `iteration_summary {"text":"did it"}`},
		{`complete`, `session_complete {}`},
		{`complete: all`, `session_complete {"text":"all"}`},
		{`complete: {text: all, must: true}`, `session_complete {"text":"all"}`},
	}
	for _, test := range tests {
		calls, log, r := playTools(t, "turns:\n  - - "+test.action+"\n", mulligan.Turn{Number: 1}, "")
		if strings.Join(calls, "\n") != test.want {
			t.Errorf("%s: called %v, want %s", test.action, calls, test.want)
		}
		if log != ">: mulligan."+test.want+"\n|: {\"fine\":true}\n" || r.Ending != mulligan.Finished {
			t.Errorf("%s: %s: printed %q", test.action, r.Ending, log)
		}
	}
}

// A refusal is printed and played over, as an agent would; one that must not be crashes.
func TestRefusedTool(t *testing.T) {
	_, log, r := playTools(t, "turns:\n  - - complete\n    - say: on\n", mulligan.Turn{Number: 1}, "task 1 is open")
	if r.Ending != mulligan.Finished || log != ">: mulligan.session_complete {}\n[session_complete refused: task 1 is open]\non\n" {
		t.Errorf("%+v, %q", r, log)
	}
	_, _, r = playTools(t, "turns:\n  - - task: {done: 1, must: true}\n    - say: on\n", mulligan.Turn{Number: 1}, "no task 1")
	if r.Ending != mulligan.Crashed || r.Reason != "rehearsal.yaml:2: task_update was refused: no task 1" {
		t.Errorf("%+v", r)
	}
	_, _, r = playTools(t, "turns:\n  - - task: {done: 1}\n", mulligan.Turn{Number: 1}, "broken")
	if r.Ending != mulligan.Crashed || !strings.Contains(r.Reason, "the door is gone") {
		t.Errorf("%+v", r)
	}
}

// Turns that belong to no attempt have their own place in a script, or nothing to do.
func TestOtherTurns(t *testing.T) {
	const script = "steps:\n  build:\n    - say: attempt\nrecovery:\n  - say: recovering\ndelivery: {say: delivered}\n"
	for purpose, want := range map[mulligan.Purpose]string{
		mulligan.ForAttempt: "attempt\n", mulligan.ForRecovery: "recovering\n", mulligan.ForDelivery: "delivered\n", mulligan.ForNow: "",
	} {
		_, log, r := playTools(t, script, mulligan.Turn{Number: 2, Step: "build", Attempt: 1, Purpose: purpose}, "")
		if log != want || r.Ending != mulligan.Finished {
			t.Errorf("%q: %q, %+v", purpose, log, r)
		}
	}
	const numbered = "turns:\n  - say: one\n  - say: two\ndelivery: {say: delivered}\n"
	for i, want := range []string{"one\n", "two\n", ""} {
		if _, log, _ := playTools(t, numbered, mulligan.Turn{Number: i + 1, Purpose: mulligan.ForRecovery}, ""); log != want {
			t.Errorf("turn %d: %q", i+1, log)
		}
	}
	if _, log, _ := playTools(t, numbered, mulligan.Turn{Number: 1, Purpose: mulligan.ForDelivery}, ""); log != "delivered\n" {
		t.Errorf("delivery: %q", log)
	}
}

// J6: an agent that waits for a person is not silent by its own fault.
func TestAskingIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asking atomic.Bool
		s, err := Parse("s.yaml", []byte("turns:\n  - - ask: why\n    - hang\n"))
		if err != nil {
			t.Fatal(err)
		}
		deps := agent.Deps{Tools: func(ctx context.Context, _ mulligan.Turn, _ string, _ any) (json.RawMessage, error) {
			asking.Store(true)
			defer asking.Store(false)
			select {
			case <-time.After(time.Hour):
				return json.RawMessage(`{}`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		var out bytes.Buffer
		began := time.Now()
		a := build(t, mulligan.AgentSpec{Name: "play", IdleTimeout: time.Minute}, deps, s)
		r, err := a.Turn(t.Context(), mulligan.Turn{Number: 1, Log: &out, Dir: t.TempDir(), Asking: asking.Load})
		if err != nil || r.Ending != mulligan.TimedOut || out.String() != ">: mulligan.ask {\"question\":\"why\"}\n|: {}\n" {
			t.Errorf("%+v, %v, %q", r, err, out.String())
		}
		if took := time.Since(began); took < time.Hour || took > time.Hour+2*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// The programs of both agents find the tools by Turn.Env.
func TestEnvReachesPrograms(t *testing.T) {
	env := agent.Deps{Environ: []string{"PATH=/bin", "MULLIGAN_DOOR=/of/another"}}.Env(mulligan.AgentSpec{InheritEnv: true},
		mulligan.Turn{Env: []string{"MULLIGAN_DOOR=/x", "MULLIGAN_TOKEN=y"}}, "c", agent.Variables{})
	for _, want := range []string{"MULLIGAN_DOOR=/x", "MULLIGAN_TOKEN=y", "PATH=/bin"} {
		if n := strings.Count(fmt.Sprintf("%q", env), fmt.Sprintf("%q", want)); n != 1 {
			t.Errorf("%s is there %d times: %q", want, n, env)
		}
	}
}
