package plan

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/config"
)

// agentFrame has a second agent, who can be asked.
const agentFrame = "version: 1\nagent: a\nagents: {a: {type: program, exec: [x]}, judge: {type: scripted, script: judge.yaml}}\npipelines: {p: [{name: s, check: x, retry: 1}]}\n"

func agentHooksOf(t *testing.T, yaml string) (*mulligan.Plan, error) {
	t.Helper()
	return Make(request(workplace(t, map[string]string{"mulligan.yaml": agentFrame + yaml, "judge.yaml": "x", "hook.md": "Mend it.\n"})))
}

// S1: the plan has the config's hooks at moments of the agent, in their order.
func TestAgentHooks(t *testing.T) {
	p, err := agentHooksOf(t, `agent_hooks:
  Stop:
    - matcher: "*"
      hooks:
        - {type: command, command: ./run-tests.sh, timeout: 600, on_failure: allow}
        - {name: judge, type: prompt, prompt: "Is it done?\nSay why.", agent: judge, timeout: 2m}
    - hooks: [{command: "true"}]
  PreToolUse:
    - {matcher: "Edit|Write", hooks: [{command: ./guard.sh}]}
  SessionStart:
    - matcher: startup
      hooks:
        - {type: http, url: "http://localhost:8080/x", headers: {Authorization: Bearer $TOKEN, X-A: ""}}
        - {type: prompt, prompt: "Anything to say?"}
max_hook_retries: 3
hook_retry_backoff: 2
hook_feedback_file: hook.md
on_limit: accept
`)
	if err != nil {
		t.Fatal(err)
	}
	want := mulligan.AgentHooks{
		Hooks: []mulligan.AgentHook{
			{Event: "Stop", Name: "./run-tests.sh", Type: "command", Command: "./run-tests.sh", Timeout: 10 * time.Minute, FailOpen: true, From: "mulligan.yaml"},
			{Event: "Stop", Name: "judge", Type: "prompt", Prompt: "Is it done?\nSay why.", Agent: "judge", Timeout: 2 * time.Minute, From: "mulligan.yaml"},
			{Event: "Stop", Name: "true", Type: "command", Command: "true", Timeout: time.Minute, From: "mulligan.yaml"},
			{Event: "PreToolUse", Matcher: "Edit|Write", Name: "./guard.sh", Type: "command", Command: "./guard.sh", Timeout: time.Minute, From: "mulligan.yaml", Unhandled: insideAgent},
			{
				Event: "SessionStart", Matcher: "startup", Name: "http://localhost:8080/x", Type: "http", URL: "http://localhost:8080/x",
				Headers: map[string]string{"Authorization": "Bearer $TOKEN", "X-A": ""}, Timeout: time.Minute, From: "mulligan.yaml",
			},
			{Event: "SessionStart", Matcher: "startup", Name: "Anything to say?", Type: "prompt", Prompt: "Anything to say?", Agent: "a", Timeout: time.Minute, From: "mulligan.yaml"},
		},
		MaxRetries: 3, Backoff: 2 * time.Second, Feedback: "Mend it.", OnLimit: "accept",
	}
	if !reflect.DeepEqual(p.AgentHooks, want) {
		t.Errorf("got:\n%+v\nwant:\n%+v", p.AgentHooks, want)
	}
	if p.Agents["judge"].Type != "scripted" || p.Agents["a"].Type != "program" {
		t.Errorf("the plan's agents are %v", p.Agents)
	}
	if notes := []string{"agent a (program) cannot run PreToolUse hooks: they are not run"}; !reflect.DeepEqual(p.Notes, notes) {
		t.Errorf("the notes are %q", p.Notes)
	}
}

// Without hooks their settings are nothing; the defaults are those that are promised.
func TestAgentHookDefaults(t *testing.T) {
	p, err := agentHooksOf(t, "max_hook_retries: 3\nagent_hooks: {Stop: []}\n")
	if err != nil || !reflect.DeepEqual(p.AgentHooks, mulligan.AgentHooks{}) {
		t.Errorf("got %+v, %v", p, err)
	}
	p, err = agentHooksOf(t, "agent_hooks: {Stop: [{hooks: [{command: x}]}]}\n")
	if err != nil || p.AgentHooks.MaxRetries != 5 || p.AgentHooks.Backoff != 0 || p.AgentHooks.OnLimit != "ask" {
		t.Errorf("got %+v, %v", p, err)
	}
	if p.Agents["judge"].Type != "" {
		t.Error("an agent that nobody names is in the plan")
	}
}

// Every mistake in its place.
func TestAgentHookMistakes(t *testing.T) {
	_, err := agentHooksOf(t, `agent_hooks:
  Stop:
    - hooks:
        - {command: x, timeout: 0}
        - {command: "echo 'open"}
        - {type: prompt, prompt: x, agent: jugde}
        - {type: http, url: "ftp://x/y"}
        - {type: http, url: "localhost:8080"}
        - {type: http, url: "http://"}
        - {type: http, url: "https://me:word@example.com"}
        - {type: http, url: "https://x", headers: {"A B": x, C: "x\ny"}}
  SessionStart:
    - {matcher: "start(", hooks: [{command: x}]}
  PreToolUse:
    - {matcher: "(?!x", hooks: [{command: x, timeout: 0}]}
hook_feedback_file: hok.md
`)
	wantError(t, err,
		"mulligan.yaml:8:33: agent_hooks.Stop[0].hooks[0].timeout: a hook needs a time to end in: leave the key out for 60s",
		"mulligan.yaml:9:27: agent_hooks.Stop[0].hooks[1].command: the shell cannot read the command: reached EOF",
		`mulligan.yaml:10:44: agent_hooks.Stop[0].hooks[2].agent: there is no agent "jugde"`, `did you mean "judge"?`,
		"mulligan.yaml:11:29: agent_hooks.Stop[0].hooks[3].url: is not an address",
		"mulligan.yaml:12:29: agent_hooks.Stop[0].hooks[4].url: is not an address",
		"mulligan.yaml:13:29: agent_hooks.Stop[0].hooks[5].url: is not an address",
		"mulligan.yaml:14:29: agent_hooks.Stop[0].hooks[6].url: has a name or a password in it",
		`agent_hooks.Stop[0].hooks[7].headers."A B": "A B" is not the name of a header`,
		"agent_hooks.Stop[0].hooks[7].headers.C: has a character that no header can hold",
		`mulligan.yaml:17:17: agent_hooks.SessionStart[0].matcher: "start(" is not a regular expression`,
		"mulligan.yaml:19:55: agent_hooks.PreToolUse[0].hooks[0].timeout: a hook needs a time",
		"mulligan.yaml:20:21: hook_feedback_file: the file hok.md does not exist", "did you mean hook.md?",
	)
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) != 12 {
		t.Errorf("%d mistakes, want 12:\n%v", len(mistakes), err)
	}
	if strings.Contains(err.Error(), "me:word") {
		t.Errorf("a password is shown:\n%v", err)
	}
}

// A prompt needs an agent that answers it.
func TestAgentHookWithoutAnAgent(t *testing.T) {
	yaml := "version: 1\nagents: {a: {type: program, exec: [x]}}\npipelines: {p: [{name: s, agent: a, check: x}]}\n" +
		"agent_hooks: {Stop: [{hooks: [{type: prompt, prompt: Is it done?}]}]}\n"
	_, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": yaml})))
	wantError(t, err, "mulligan.yaml:4:54: agent_hooks.Stop[0].hooks[0].prompt: no agent is named to answer it", "add agent: NAME to the hook")
}

// Stop and UserPromptSubmit have nothing that a matcher could be for.
func TestAgentHookMatchers(t *testing.T) {
	p, err := agentHooksOf(t, `agent_hooks:
  Stop: [{matcher: Bash, hooks: [{command: x}]}, {matcher: "", hooks: [{command: y}]}]
  UserPromptSubmit: [{matcher: "*", hooks: [{command: x}]}]
  SessionEnd: [{matcher: "*", hooks: [{command: x}]}, {matcher: "complete|failed", hooks: [{command: y}]}]
`)
	if err != nil {
		t.Fatal(err)
	}
	var matchers []string
	for _, h := range p.AgentHooks.Hooks {
		matchers = append(matchers, h.Matcher)
	}
	if want := []string{"", "", "", "", "complete|failed"}; !reflect.DeepEqual(matchers, want) {
		t.Errorf("the matchers are %q", matchers)
	}
	if want := []string{"agent_hooks.Stop[0].matcher: Stop has nothing to match: its hooks run always"}; !reflect.DeepEqual(p.Notes, want) {
		t.Errorf("the notes are %q", p.Notes)
	}
}

// C1: there is a note on what cannot be run before the start.
func TestAgentHookPrograms(t *testing.T) {
	dir := workplace(t, map[string]string{"judge.yaml": "x", "check.sh": "x", "plain.sh": "x", "mulligan.yaml": agentFrame + `agent_hooks:
  Stop:
    - hooks:
        - {command: ./check.sh}
        - {command: ./plain.sh}
        - {command: '"$CLAUDE_PROJECT_DIR"/gone.sh --all'}
        - {command: no-such-program}
        - {command: exit 2}
  PreToolUse: [{hooks: [{command: no-such-program}]}]
`})
	if err := os.Chmod(filepath.Join(dir, "check.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := request(dir)
	p, err := Make(r)
	if err != nil || len(p.Notes) != 1 {
		t.Fatalf("nobody looked, and yet: %q, %v", p.Notes, err)
	}
	r.Environ = []string{"PATH=/nowhere"}
	p, err = Make(r)
	want := []string{
		`Stop hook "./plain.sh" of mulligan.yaml cannot be run: ./plain.sh may not be executed: chmod +x gives it the right`,
		`Stop hook "\"$CLAUDE_PROJECT_DIR\"/gone.sh --all" of mulligan.yaml cannot be run: gone.sh does not exist`,
	}
	if err != nil || len(p.Notes) != 3 || !reflect.DeepEqual(p.Notes[1:], want) {
		t.Errorf("got:\n%s\n%v", strings.Join(p.Notes, "\n"), err)
	}
	err = CheckPrograms(r.Config, dir, r.Environ, p)
	wantError(t, err, "agent_hooks.Stop[0].hooks[3].command: no-such-program is not on PATH")
	if strings.Contains(err.Error(), "gone.sh") || strings.Contains(err.Error(), "PreToolUse") {
		t.Errorf("got %v", err)
	}
}

// The bounds have the turns that Stop hooks may add; the lines list which hooks run when.
func TestAgentHookLinesAndBounds(t *testing.T) {
	p, err := agentHooksOf(t, `agent_hooks:
  PostToolUse: [{matcher: Bash, hooks: [{command: fmt}]}]
  Stop:
    - hooks: [{command: x, timeout: 600}, {command: x}, {type: prompt, name: judge, prompt: y, agent: judge, on_failure: allow}]
  SessionStart: [{matcher: startup, hooks: [{command: z}]}]
hooks: {on_error: [{command: x, pipe_output: true}]}
limits: {failed_iterations: 1}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"SessionStart startup: z (at most 1m, from mulligan.yaml)",
		"Stop: x (at most 10m, from mulligan.yaml)",
		"Stop: judge (asks judge, at most 1m, allows where it cannot tell, from mulligan.yaml)",
		"PostToolUse Bash: fmt (from mulligan.yaml): runs inside the agent: no agent of this plan can run it yet",
		"Stop hooks send the agent back at most 5 times in a row; then a person is asked, and where nobody answers the attempt has failed (on_limit: ask)",
	}
	if got := AgentHookLines(p); !reflect.DeepEqual(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	bounds := []string{
		"at most 12 turns in step s, up to 6 in each attempt (max_hook_retries: 5)",
		"one more turn after each turn that failed, for the output of on_error hooks",
		"up to 5 more turns after each of these, for Stop hooks",
		"one turn of a judge after each turn, for Stop hooks of type prompt",
	}
	if got := Bounds(p); !reflect.DeepEqual(got, bounds) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	p.Loop = &mulligan.Loop{Iterations: 20}
	if got := Bounds(p)[0]; got != "at most 20 iterations of up to 6 turns each (max_hook_retries: 5)" {
		t.Errorf("got %s", got)
	}
	p.AgentHooks.MaxRetries, p.AgentHooks.OnLimit = 0, "fail"
	if got := Bounds(p); got[0] != "at most 20 iterations of one turn each" || len(got) != 3 {
		t.Errorf("got %q", got)
	}
	if got := AgentHookLines(p)[4]; got != "Stop hooks send the agent back at most 0 times in a row; then the attempt has failed (on_limit: fail)" {
		t.Errorf("got %s", got)
	}
	p.AgentHooks.OnLimit = "accept"
	if got := AgentHookLines(p)[4]; !strings.Contains(got, "then the work is accepted, with a warning (on_limit: accept)") {
		t.Errorf("got %s", got)
	}
}

// A plan is journaled: what is run may hold no secret, and what is read goes without.
func TestAgentHookSecrets(t *testing.T) {
	secret := func(yaml string) (*mulligan.Plan, error) {
		r := request(workplace(t, map[string]string{"mulligan.yaml": agentFrame + yaml, "judge.yaml": "x", "hook.md": "Mend hush-hush.\n"}))
		r.Secrets = hush
		return Make(r)
	}
	_, err := secret(`agent_hooks:
  Stop:
    - hooks:
        - {command: curl hush-hush}
        - {name: hush-hush, command: x}
        - {type: http, url: "https://x/hush-hush", headers: {Authorization: Bearer hush-hush, X: $HUSH}}
  SessionStart: [{matcher: hush-hush, hooks: [{command: x}]}]
`)
	wantError(t, err,
		"mulligan.yaml:8:21: agent_hooks.Stop[0].hooks[0].command: it holds a secret (HUSH), and a plan is stored",
		"agent_hooks.Stop[0].hooks[1].name: it holds a secret", "agent_hooks.Stop[0].hooks[2].url: it holds a secret",
		"agent_hooks.Stop[0].hooks[2].headers.Authorization: it holds a secret", "agent_hooks.SessionStart[0].matcher: it holds a secret",
		"put it into an environment variable, and write $NAME in its place",
	)
	if strings.Contains(err.Error(), "hush-hush") || strings.Contains(err.Error(), "headers.X") {
		t.Errorf("the mistakes are:\n%v", err)
	}
	p, err := secret("agent_hooks: {Stop: [{hooks: [{type: prompt, prompt: Is hush-hush gone?}]}]}\nhook_feedback_file: hook.md\n")
	if err != nil {
		t.Fatal(err)
	}
	if h := p.AgentHooks.Hooks[0]; h.Prompt != "Is [secret:HUSH] gone?" || strings.Contains(h.Name, "hush-hush") || p.AgentHooks.Feedback != "Mend [secret:HUSH]." {
		t.Errorf("got %+v", p.AgentHooks)
	}
	notes := strings.Join(p.Notes, "\n")
	if !strings.Contains(notes, "hook_feedback_file holds a secret (HUSH)") || !strings.Contains(notes, "the prompt of hook") {
		t.Errorf("the notes are %s", notes)
	}
}
