package scripted

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
)

func TestMain(m *testing.M) { agenttest.Main(m) }

func build(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, s Script) *Agent {
	t.Helper()
	return agenttest.Build(t, New, spec, deps, Options{Path: "rehearsal.yaml", Script: s})
}

func TestConformance(t *testing.T) {
	agenttest.Run(t, agenttest.Harness{
		Continues: true, ExitEnds: true, Tells: agenttest.Faults(),
		New: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, b agenttest.Behaviour) mulligan.Agent {
			turn := rehearsed(b)
			return build(t, spec, deps, Script{Turns: []Turn{turn, turn, turn, turn, turn, turn}})
		},
	})
}

// rehearsed returns a behaviour of the suite as a turn of a script.
func rehearsed(b agenttest.Behaviour) Turn {
	turn := Turn{{Do: doExpect, Wants: []string{b.Expect}}}
	if b.Say != "" {
		turn = append(turn, Action{Do: doSay, Text: b.Say})
	}
	if b.Flood > 0 {
		var text strings.Builder
		for n := range b.Flood {
			text.WriteString(agenttest.FloodLine(n + 1))
		}
		turn = append(turn, Action{Do: doSay, Text: text.String()})
	}
	for path, content := range b.Write {
		turn = append(turn, Action{Do: doWrite, Path: path, Content: content})
	}
	if b.Env != "" {
		turn = append(turn, Action{Do: doRun, Text: "env > " + b.Env})
	}
	if b.Remember != "" {
		turn = append(turn, Action{Do: doRun, Text: agenttest.RememberCommand(b.Remember)})
	}
	if b.Spawn != "" {
		turn = append(turn, Action{Do: doRun, Text: agenttest.SpawnCommand(b.Spawn)})
	}
	if b.Hang {
		turn = append(turn, Action{Do: doHang})
	}
	if b.Crash || b.Interrupt {
		turn = append(turn, Action{Do: doCrash})
	}
	if b.Fault != "" {
		turn = append(turn, met(b))
	}
	return turn
}

// met returns a fault of the suite as an action. (One that vanishes has no more actions.)
func met(b agenttest.Behaviour) Action {
	a := map[agenttest.Fault]Action{
		agenttest.RateLimit: {Do: doRateLimit, For: time.Minute},
		agenttest.Overload:  {Do: doUnavailable, Cause: string(mulligan.Network)},
		agenttest.Cut:       {Do: doUnavailable, Cause: string(mulligan.Network)},
		agenttest.Login:     {Do: doUnavailable, Cause: string(mulligan.Auth)},
		agenttest.Payment:   {Do: doUnavailable, Cause: string(mulligan.Billing)},
		agenttest.Refusal:   {Do: doRefuse},
		agenttest.Length:    {Do: doLimit},
	}[b.Fault]
	if b.Once {
		a.Times = 1
	}
	return a
}

// play parses a script and takes one turn of it.
func play(t *testing.T, script string, turn mulligan.Turn) (mulligan.Result, string) {
	t.Helper()
	s, err := Parse("rehearsal.yaml", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	turn.Log = &log
	if turn.Dir == "" {
		turn.Dir = t.TempDir()
	}
	r, err := build(t, mulligan.AgentSpec{}, agent.Deps{Pool: agenttest.Pool(t), Environ: os.Environ()}, s).Turn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return r, log.String()
}

func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		action string
		want   mulligan.Ending
		cause  mulligan.Cause
		reason string
	}{
		{"say: fine", mulligan.Finished, "", ""},
		{"crash", mulligan.Crashed, "", "exit status 1"},
		{"crash: out of memory", mulligan.Crashed, "", "out of memory"},
		{"fail: no idea", mulligan.Crashed, "", "no idea"},
		{"fail: {reason: no idea, times: 1}", mulligan.Crashed, "", "no idea"},
		{"refuse: not that", mulligan.Refused, "", "not that"},
		{"limit", mulligan.AtLimit, "", "the agent reached a limit of its own"},
		{"unavailable: network", mulligan.Unavailable, mulligan.Network, "the script says: network"},
		{"unavailable: {cause: auth, reason: log in first}", mulligan.Unavailable, mulligan.Auth, "log in first"},
		{"rate_limit: {after: 90s}", mulligan.RateLimited, "", "rate limited for 1m30s"},
		{"expect_prompt: task", mulligan.Finished, "", ""},
		{"expect_prompt: [the task, sorely missed]", mulligan.Crashed, "", `rehearsal.yaml:3: the prompt lacks "sorely missed"`},
		{"delete: nothing", mulligan.Crashed, "", "rehearsal.yaml:3: delete nothing: no such file or directory"},
		{"run: exit 3", mulligan.Finished, "", ""},
	} {
		t.Run(tt.action, func(t *testing.T) {
			r, log := play(t, "turns:\n- - say: hello\n  - "+tt.action+"\n", mulligan.Turn{Session: "s", Number: 1, Prompt: "do the task"})
			if r.Ending != tt.want || r.Cause != tt.cause || r.Reason != tt.reason {
				t.Errorf("got %s %s %q, want %s %s %q; log %q", r.Ending, r.Cause, r.Reason, tt.want, tt.cause, tt.reason, log)
			}
			if (r.Ending == mulligan.RateLimited) != (!r.Until.IsZero()) {
				t.Errorf("until = %v", r.Until)
			}
		})
	}
}

func TestActionsChangeTheWorkspace(t *testing.T) {
	dir := t.TempDir()
	r, log := play(t, `
turns:
  - - say: |
        first
        second
    - write: {path: src/new/a.txt, content: "one\n"}
    - append: {path: src/new/a.txt, content: "two\n"}
    - append: {path: b.txt, content: made}
    - write: {path: run.sh, content: "echo ran > ran.txt\necho out; echo err >&2\n", mode: 0755}
    - run: ./run.sh
    - write: {path: gone/x, content: ""}
    - delete: gone
    - say: done
`, mulligan.Turn{Number: 1, Dir: dir})
	if r.Ending != mulligan.Finished || r.Message != "done" {
		t.Fatalf("%s (%s), message %q; log:\n%s", r.Ending, r.Reason, r.Message, log)
	}
	for path, want := range map[string]string{"src/new/a.txt": "one\ntwo\n", "b.txt": "made", "ran.txt": "ran\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v; want %q", path, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); err == nil {
		t.Error("gone was not deleted")
	}
	for _, want := range []string{"first\nsecond\n", "> write run.sh\n", "> run ./run.sh\n| out\n| err\n", "done\n"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
}

// A script that was changed after its plan, or a link that was made meanwhile, leads nowhere.
func TestNothingOutsideTheWorkspaceIsTouched(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "work")
	outside := filepath.Join(base, "outside")
	for _, folder := range []string{dir, outside} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, a := range []Action{
		{Do: doWrite, Path: "../outside/x"},
		{Do: doWrite, Path: filepath.Join(outside, "x")},
		{Do: doWrite, Path: "link/x"},
		{Do: doAppend, Path: "link/x"},
		{Do: doDelete, Path: "link/kept"},
		{Do: doDelete, Path: "../outside"},
	} {
		agt := build(t, mulligan.AgentSpec{}, agent.Deps{}, Script{Turns: []Turn{{a}}})
		r, err := agt.Turn(t.Context(), mulligan.Turn{Number: 1, Dir: dir})
		if err != nil || r.Ending != mulligan.Crashed {
			t.Errorf("%s %s: %s (%s), %v; want crashed", a.Do, a.Path, r.Ending, r.Reason, err)
		}
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside has %v, %v; want the one file that was there", entries, err)
	}
}

func TestWhichTurnIsPlayed(t *testing.T) {
	const flat = "turns: [say: one, say: two]"
	const steps = "steps: {plan: [say: p1], build: [say: b1, say: b2]}"
	for _, tt := range []struct {
		name, script    string
		turn            mulligan.Turn
		message, reason string
	}{
		{"first", flat, mulligan.Turn{Number: 1, Attempt: 9}, "one", ""},
		{"by number", flat, mulligan.Turn{Number: 2, Attempt: 1}, "two", ""},
		{"beyond", flat, mulligan.Turn{Number: 3}, "", "the script has no turn 3: rehearsal.yaml has 2"},
		{"by step", steps, mulligan.Turn{Step: "build", Attempt: 1, Number: 5}, "b1", ""},
		{"by attempt", steps, mulligan.Turn{Step: "build", Attempt: 2, Number: 1}, "b2", ""},
		{"attempt beyond", steps, mulligan.Turn{Step: "plan", Attempt: 2}, "", "the script has no turn for attempt 2 of step plan: rehearsal.yaml has 1"},
		{"no such step", steps, mulligan.Turn{Step: "test", Attempt: 1}, "", `the script has no step "test": rehearsal.yaml has build, plan`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := play(t, tt.script, tt.turn)
			if r.Message != tt.message || r.Reason != tt.reason {
				t.Errorf("message %q, reason %q; want %q, %q", r.Message, r.Reason, tt.message, tt.reason)
			}
			if (r.Ending == mulligan.Crashed) != (tt.reason != "") {
				t.Errorf("ending = %s", r.Ending)
			}
		})
	}
}

// The same turn is taken again after a rate limit, and then must not meet it again.
func TestTimesCountsTheTakingsOfATurn(t *testing.T) {
	s, err := Parse("x", []byte("turns: [[rate_limit: 1s, say: on], [fail: {times: 2}, say: on]]"))
	if err != nil {
		t.Fatal(err)
	}
	a := build(t, mulligan.AgentSpec{}, agent.Deps{}, s)
	take := func(number int, want mulligan.Ending) {
		t.Helper()
		r, err := a.Turn(t.Context(), mulligan.Turn{Number: number, Dir: t.TempDir()})
		if err != nil || r.Ending != want {
			t.Errorf("turn %d: %s (%s), %v; want %s", number, r.Ending, r.Reason, err, want)
		}
	}
	take(1, mulligan.RateLimited)
	take(1, mulligan.Finished)
	take(2, mulligan.Crashed)
	take(2, mulligan.Crashed)
	take(2, mulligan.Finished)
}

func TestPaceAndSleepTakeTime(t *testing.T) {
	s, err := Parse("x", []byte("pace: 2s\nturns: [[say: \"a\\nb\\nc\", sleep: 1h]]"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a := build(t, mulligan.AgentSpec{IdleTimeout: 2 * time.Hour}, agent.Deps{}, s)
		r, err := a.Turn(context.Background(), mulligan.Turn{Number: 1, Dir: "/"})
		if err != nil || r.Ending != mulligan.Finished {
			t.Fatalf("%+v, %v", r, err)
		}
		if took := time.Since(start); took != time.Hour+6*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// What is said in time keeps the silence away; an hour of sleep does not.
func TestSilence(t *testing.T) {
	s, err := Parse("x", []byte("pace: 50s\nturns: [[say: \"a\\nb\\nc\", hang]]"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a := build(t, mulligan.AgentSpec{IdleTimeout: time.Minute, Timeout: time.Hour}, agent.Deps{}, s)
		r, err := a.Turn(context.Background(), mulligan.Turn{Number: 1, Dir: "/"})
		if err != nil || r.Ending != mulligan.TimedOut || r.Reason != "silent for 1m0s" || r.Message != "a\nb\nc" {
			t.Fatalf("%+v, %v", r, err)
		}
		if took := time.Since(start); took != 100*time.Second+time.Minute {
			t.Errorf("took %v", took)
		}
	})
}
