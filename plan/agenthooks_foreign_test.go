package plan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/config"
)

const foreignFrame = "version: 1\nagent: a\nagents: {a: {type: program, exec: [x]}}\npipelines: {p: [{name: s, check: x}]}\n"

const claudeSettings = `{
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "make test", "timeout": 120}, {"type": "prompt", "prompt": "Is it done?"}]}],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}]
  }
}`

const codemieSettings = `{"maxHookRetries": 2, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "npm test", "timeout": 5000}]}]}}`

func foreignPlan(t *testing.T, yaml string, files map[string]string, settings ...config.Setting) (*mulligan.Plan, error) {
	t.Helper()
	all := map[string]string{"mulligan.yaml": foreignFrame + yaml}
	for name, text := range files {
		all[name] = text
	}
	r := request(workplace(t, all), settings...)
	r.Secrets = hush
	return Make(r)
}

// S1: ours first, then those of the files in the order in which they are named.
func TestForeignHooks(t *testing.T) {
	files := map[string]string{claudeFile: claudeSettings, codemieFile: codemieSettings, claudeLocalFile: `{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "say bye"}]}]}}`}
	p, err := foreignPlan(t, "agent_hooks_from: [codemie, claude, codemie]\nagent_hooks: {Stop: [{hooks: [{command: mine}]}]}\n", files)
	if err != nil {
		t.Fatal(err)
	}
	want := []mulligan.AgentHook{
		{Event: "Stop", Name: "mine", Type: "command", Command: "mine", Timeout: time.Minute, From: "mulligan.yaml"},
		{Event: "Stop", Name: "npm test", Type: "command", Command: "npm test", Timeout: 5 * time.Second, From: codemieFile},
		{Event: "Stop", Name: "make test", Type: "command", Command: "make test", Timeout: 2 * time.Minute, From: claudeFile},
		{Event: "Stop", Name: "ask: Is it done?", Type: "prompt", Prompt: "Is it done?", Agent: "a", Timeout: 30 * time.Second, From: claudeFile},
		{Event: "PreToolUse", Matcher: "Bash", Name: "./guard.sh", Type: "command", Command: "./guard.sh", Timeout: 10 * time.Minute, From: claudeFile, Unhandled: insideAgent},
		{Event: "SessionEnd", Name: "say bye", Type: "command", Command: "say bye", Timeout: 10 * time.Minute, From: claudeLocalFile},
	}
	if !reflect.DeepEqual(p.AgentHooks.Hooks, want) {
		t.Errorf("got:\n%+v\nwant:\n%+v", p.AgentHooks.Hooks, want)
	}
	if p.AgentHooks.MaxRetries != 2 {
		t.Errorf("codemie's limit is not taken: %d", p.AgentHooks.MaxRetries)
	}
	if want := []string{"agent a (program) cannot run PreToolUse hooks: they are not run"}; !reflect.DeepEqual(p.Notes, want) {
		t.Errorf("the notes are %q", p.Notes)
	}
}

// Codemie's limit counts below ours, wherever ours is given.
func TestForeignLimit(t *testing.T) {
	files := map[string]string{codemieFile: codemieSettings}
	for yaml, want := range map[string]int{"": 2, "max_hook_retries: 5\n": 5, "max_hook_retries: 0\n": 0} {
		p, err := foreignPlan(t, "agent_hooks_from: codemie\n"+yaml, files)
		if err != nil || p.AgentHooks.MaxRetries != want {
			t.Errorf("%q: %+v, %v", yaml, p, err)
		}
	}
	p, err := foreignPlan(t, "agent_hooks_from: codemie\n", files, config.FlagSetting("x", "7", "max_hook_retries"))
	if err != nil || p.AgentHooks.MaxRetries != 7 {
		t.Errorf("a setting from outside: %+v, %v", p, err)
	}
}

// C1: a file that is not there is a note; one that cannot be read, or has another shape where its
// hooks should be, is a mistake, for its hooks would be missing.
func TestForeignFiles(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		notes []string
		err   string
	}{
		{name: "none", notes: []string{"there is no " + claudeFile, "there is no " + codemieFile}},
		{name: "the person's own alone", files: map[string]string{claudeLocalFile: "{}", codemieFile: "{}"}},
		{name: "not JSON", files: map[string]string{claudeFile: "{\n  oh", codemieFile: "[]"}, err: claudeFile + ":2:3: is not JSON"},
		{name: "no object", files: map[string]string{claudeFile: "{}", codemieFile: "[]"}, err: codemieFile + ":1:1: is []: want an object"},
		{name: "empty", files: map[string]string{claudeFile: "{}", claudeLocalFile: "\n", codemieFile: "{}"}, err: claudeLocalFile + ":1:1: is empty"},
		{name: "hooks of a wrong shape", files: map[string]string{claudeFile: "{}", codemieFile: `{"hooks": []}`}, err: codemieFile + ":1:11: hooks: is []"},
		{name: "off", files: map[string]string{claudeFile: claudeSettings, claudeLocalFile: `{"disableAllHooks": true}`, codemieFile: "{}"}, notes: []string{claudeLocalFile + ": disableAllHooks is true"}},
		{name: "a folder", files: map[string]string{claudeFile + "/x": "", codemieFile: "{}"}, err: "mulligan.yaml:5:20: agent_hooks_from[0]: the file " + claudeFile + " is a folder, not a file"},
		{name: "no text", files: map[string]string{claudeFile: "{}", codemieFile: "\xff"}, err: "mulligan.yaml:5:28: agent_hooks_from[1]: the file " + codemieFile + " is not UTF-8 text"},
		{
			name: "what cannot be run", files: map[string]string{claudeFile: `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo 'open"}, {"type": "http", "url": "nowhere"}]}]}}`, codemieFile: "{}"},
			notes: []string{`Stop hook "echo 'open" of ` + claudeFile + ": the shell cannot read the command: 1:6: ", `Stop hook "nowhere" of ` + claudeFile + " has no address"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := foreignPlan(t, "agent_hooks_from: [claude, codemie]\n", tt.files)
			if tt.err != "" {
				wantError(t, err, tt.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Notes) != len(tt.notes) {
				t.Errorf("the notes are:\n%s", strings.Join(p.Notes, "\n"))
			}
			for i, want := range tt.notes {
				if i < len(p.Notes) && !strings.HasPrefix(p.Notes[i], want) {
					t.Errorf("note %d is %q, want %q", i, p.Notes[i], want)
				}
			}
		})
	}
}

func TestForeignFileThatMayNotBeRead(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": foreignFrame + "agent_hooks_from: claude\n"})
	if err := os.MkdirAll(filepath.Join(dir, claudeFile), 0o755); err != nil { // not even root can read it as a file
		t.Fatal(err)
	}
	_, err := Make(request(dir))
	wantError(t, err, "agent_hooks_from: the file "+claudeFile)
}

// A secret in what is run is refused; in what is not run it is left out.
func TestForeignSecrets(t *testing.T) {
	hook := func(event, hook string) map[string]string {
		return map[string]string{claudeFile: `{"hooks": {"` + event + `": [{"hooks": [` + hook + `]}]}}`}
	}
	for _, one := range []string{
		`{"type": "command", "command": "curl hush-hush"}`,
		`{"type": "http", "url": "https://x/hush-hush"}`,
		`{"type": "http", "url": "https://x", "headers": {"A": "hush-hush"}}`,
		`{"type": "http", "url": "https://me:word@x"}`,
	} {
		_, err := foreignPlan(t, "agent_hooks_from: claude\n", hook("Stop", one))
		wantError(t, err, "mulligan.yaml:5:19: agent_hooks_from: a Stop hook of "+claudeFile+" holds a secret (", "write $NAME in its place")
		p, err := foreignPlan(t, "agent_hooks_from: claude\n", hook("PreToolUse", one))
		if err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(p)
		if strings.Contains(string(data), "hush-hush") || strings.Contains(string(data), "me:word") {
			t.Errorf("the plan is %s", data)
		}
	}
	p, err := foreignPlan(t, "agent_hooks_from: claude\n", hook("Stop", `{"type": "prompt", "prompt": "Is hush-hush gone?"}`))
	if err != nil || p.AgentHooks.Hooks[0].Prompt != "Is [secret:HUSH] gone?" || strings.Contains(p.AgentHooks.Hooks[0].Name, "hush-hush") {
		t.Errorf("got %+v, %v", p, err)
	}
}

// A prompt of theirs goes to the usual agent; without one there is a note that it is not run.
func TestForeignPromptWithoutAnAgent(t *testing.T) {
	yaml := "version: 1\nagents: {a: {type: program, exec: [x]}}\npipelines: {p: [{name: s, agent: a, check: x}]}\nagent_hooks_from: claude\n"
	p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": yaml, claudeFile: claudeSettings})))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.AgentHooks.Of(mulligan.EventStop)) != 1 || len(p.Notes) != 2 || p.Notes[0] != `Stop hook "ask: Is it done?" of `+claudeFile+" is not run: no agent is named to answer it" {
		t.Errorf("got %+v, notes %q", p.AgentHooks.Hooks, p.Notes)
	}
}

// A source may say what its hooks that cannot tell come to, in one way.
func TestForeignOnFailure(t *testing.T) {
	files := map[string]string{claudeFile: claudeSettings}
	for yaml, open := range map[string]bool{"{from: claude, on_failure: allow}": true, "[{from: claude, on_failure: allow}]": true, "{from: claude}": false, "claude": false} {
		p, err := foreignPlan(t, "agent_hooks_from: "+yaml+"\n", files)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range p.AgentHooks.Hooks {
			if h.FailOpen != open {
				t.Errorf("%s: %+v", yaml, h)
			}
		}
	}
	_, err := foreignPlan(t, "agent_hooks_from: [claude, {from: claude, on_failure: allow}]\n", files)
	wantError(t, err, "mulligan.yaml:5:28: agent_hooks_from[1]: claude is named twice, with and without on_failure: allow")
}
