package claudecode

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/config"
)

const settingsPath = ".claude/settings.json"

func TestReadSettings(t *testing.T) {
	hooks, notes, err := ReadSettings(settingsPath, []byte("\uFEFF"+`{
  "permissions": {"allow": ["Bash"]},
  "model": "some-model",
  "hooks": {
    "Stop": [
      {"hooks": [
        {"type": "command", "command": "./run-tests.sh", "timeout": 120, "statusMessage": "testing"},
        {"type": "http", "url": "http://user:pass@127.0.0.1:8080/stop?key=1", "headers": {"Authorization": "Bearer $TOKEN", "X": "${OTHER}"}, "allowedEnvVars": ["TOKEN"]},
        {"type": "prompt", "prompt": "Is  it\ndone? $ARGUMENTS", "timeout": 0.5},
        {"type": "agent", "prompt": "Look for yourself."}
      ]},
      {"matcher": "*", "hooks": [{"command": "two words.sh", "args": ["a b", "$c"]}, {"type": "command", "command": "set -o pipefail", "shell": "bash"}]}
    ],
    "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "git log -1"}]}],
    "SessionStart": [{"matcher": "startup|resume", "hooks": [{"type": "command", "command": "cat notes.md"}]}],
    "PreToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "./guard.sh", "if": "Edit(*.ts)"}]}]
  }
}`))
	want := []mulligan.AgentHook{
		{Event: "Stop", Name: "./run-tests.sh", Type: TypeCommand, Command: "./run-tests.sh", Timeout: 120 * time.Second},
		{
			Event: "Stop", Name: "http://127.0.0.1:8080/stop", Type: TypeHTTP, URL: "http://user:pass@127.0.0.1:8080/stop?key=1",
			Headers: map[string]string{"Authorization": "Bearer $TOKEN", "X": ""}, Timeout: 600 * time.Second,
		},
		{Event: "Stop", Name: "ask: Is it done? $ARGUMENTS", Type: TypePrompt, Prompt: "Is  it\ndone? $ARGUMENTS", Timeout: 500 * time.Millisecond},
		{Event: "Stop", Name: "ask: Look for yourself.", Type: TypePrompt, Prompt: "Look for yourself.", Timeout: 60 * time.Second},
		{Event: "Stop", Matcher: "*", Name: `'two words.sh' 'a b' '$c'`, Type: TypeCommand, Command: `'two words.sh' 'a b' '$c'`, Timeout: 600 * time.Second},
		{Event: "Stop", Matcher: "*", Name: "bash -c 'set -o pipefail'", Type: TypeCommand, Command: "bash -c 'set -o pipefail'", Timeout: 600 * time.Second},
		{Event: "UserPromptSubmit", Name: "git log -1", Type: TypeCommand, Command: "git log -1", Timeout: 30 * time.Second},
		{Event: "SessionStart", Matcher: "startup|resume", Name: "cat notes.md", Type: TypeCommand, Command: "cat notes.md", Timeout: 600 * time.Second},
		{
			Event: "PreToolUse", Matcher: "Write|Edit", Name: "./guard.sh", Type: TypeCommand, Command: "./guard.sh", Timeout: 600 * time.Second,
			Unhandled: "runs inside the agent (PreToolUse)",
		},
	}
	for i := range want {
		want[i].From = settingsPath
	}
	for i := range max(len(hooks), len(want)) {
		if i >= len(hooks) || i >= len(want) || !reflect.DeepEqual(hooks[i], want[i]) {
			t.Errorf("hook %d\ngot  %+v\nwant %+v", i, hooks[min(i, len(hooks)-1)], want[min(i, len(want)-1)])
		}
	}
	wantNotes := []string{settingsPath + ": hooks.Stop[0].hooks[1].headers.X: ${OTHER} is left out: it is not in allowedEnvVars"}
	if err != nil || !slices.Equal(notes, wantNotes) {
		t.Errorf("notes %q, err %v", notes, err)
	}
}

// What would make hooks go missing is a mistake with its place.
func TestReadSettingsRefuses(t *testing.T) {
	const good = `{"type":"command","command":"./good.sh"}`
	for _, tt := range []struct {
		name, data string
		wrong      string // a part of the only mistake
	}{
		{"empty", "  \n", settingsPath + ":1:1: is empty: want a JSON object"},
		{"not JSON", "{\n  \"hooks\": {,}\n}", settingsPath + ":2:13: is not JSON: "},
		{"a comma too many", "{\n  \"hooks\": {},\n}", settingsPath + ":3:1: is not JSON: "},
		{"not JSON, beyond ASCII", "{\n  \"ä\": x}", settingsPath + ":2:8: is not JSON: "},
		{"cut off", "{\n  \"hooks\": ", settingsPath + ":2:12: is not JSON: "},
		{"comments", "// mine\n{}", settingsPath + ":1:1: is not JSON: "},
		{"binary", "\x00\xff", settingsPath + ":1:1: is not JSON: "},
		{"no object", `[1]`, ":1:1: is [1]: want an object"},
		{"null", `null`, ":1:1: is null: want an object"},
		{"hooks of a wrong type", `{"hooks":[1]}`, ":1:10: hooks: is [1]: want an object of events"},
		{"event of a wrong type", `{"hooks":{"Stop":{},"SessionEnd":[{"hooks":[` + good + `]}]}}`, ":1:18: hooks.Stop: is {}: want a list"},
		{"event inside the agent", `{"hooks":{"PreToolUse":"x"}}`, `:1:24: hooks.PreToolUse: is "x": want a list`},
		{"group of a wrong type", `{"hooks":{"Stop":["x",{"hooks":[` + good + `]}]}}`, `:1:19: hooks.Stop[0]: is "x": want an object`},
		{"group without hooks", `{"hooks":{"Stop":[{"matcher":"*"}]}}`, `:1:19: hooks.Stop[0]: has no hooks: want {"hooks": [`},
		{"a hook in the place of a group", "{\"hooks\":{\n\"Stop\": [\n " + good + "]}}", `:3:2: hooks.Stop[0]: has no hooks`},
		{"hooks no list", `{"hooks":{"Stop":[{"hooks":"x"},{"hooks":[` + good + `]}]}}`, `:1:28: hooks.Stop[0].hooks: is "x": want a list`},
		{"hook of a wrong type", `{"hooks":{"Stop":[{"hooks":[` + good + `, 7]}]}}`, `:1:71: hooks.Stop[0].hooks[1]: is 7: want an object`},
		{"no command", `{"hooks":{"Stop":[{"hooks":[{"type":"command"},` + good + `]}]}}`, `:1:29: hooks.Stop[0].hooks[0]: has no command`},
		{"no url", `{"hooks":{"Stop":[{"hooks":[{"type":"http","command":"x"},` + good + `]}]}}`, `hooks[0]: has no url`},
		{"arguments of a wrong type", `{"hooks":{"Stop":[{"hooks":[{"command":"./x","args":"-v"}]}]}}`, `:1:53: hooks.Stop[0].hooks[0].args: is "-v", which is not what it should be`},
		{"of a key twice the last", `{"hooks":{"Stop":[{"hooks":[` + good + `]}]},"hooks": 5}`, `:1:83: hooks: is 5`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := ReadSettings(settingsPath, []byte(tt.data))
			mistakes, ok := errors.AsType[config.Mistakes](err)
			if !ok || len(mistakes) != 1 || !strings.Contains(err.Error(), tt.wrong) || mistakes[0].Hint == "" {
				t.Errorf("got %v, want %s", err, tt.wrong)
			}
		})
	}
}

// What is not known in another program's file is noted with its place, and the rest counts.
func TestReadSettingsIsTolerant(t *testing.T) {
	const good = `{"type":"command","command":"./good.sh"}`
	for _, tt := range []struct {
		name, data string
		hooks      int
		note       string // a part of the only note; "" for none
	}{
		{"no hooks", `{"model":"x"}`, 0, ""},
		{"null", `{"hooks":null}`, 0, ""},
		{"unknown event of another shape", `{"hooks":{"Brewing":{},"Stop":[{"hooks":[` + good + `]}]}}`, 1, ": hooks.Brewing: is {}: want a list; it is passed over"},
		{"command of a wrong type", `{"hooks":{"Stop":[{"hooks":[{"command":"./x","timeout":"5"}]}]}}`, 1, `hooks[0].timeout: is "5": want a number above 0`},
		{"timeout 0", `{"hooks":{"Stop":[{"hooks":[{"command":"./x","timeout":0}]}]}}`, 1, `hooks[0].timeout: is 0`},
		{"unknown event", `{"hooks":{"stop":[{"hooks":[` + good + `]}]}}`, 1, `: hooks.stop: is no event that is known here`},
		{"unknown field", `{"hooks":{"Stop":[{"hooks":[{"command":"./x","colour":1}]}]}}`, 1, `hooks[0].colour: is not known here`},
		{"unknown field of a group", `{"hooks":{"Stop":[{"colour":1,"hooks":[` + good + `]}]}}`, 1, `hooks.Stop[0].colour: is not known here`},
		{"matcher of a wrong type", `{"hooks":{"Stop":[{"matcher":{},"hooks":[` + good + `]}]}}`, 1, `matcher: is {}: want a text`},
		{"matcher that cannot be read", `{"hooks":{"Stop":[{"matcher":"(?=x)","hooks":[` + good + `]}]}}`, 1, `matcher: "(?=x)" cannot be read`},
		{"another type", `{"hooks":{"Stop":[{"hooks":[{"type":"mcp_tool","server":"x"}]}]}}`, 1, `hooks[0]: is not run: hooks of type "mcp_tool" run inside the agent`},
		{"async", `{"hooks":{"Stop":[{"hooks":[{"command":"./x","async":true}]}]}}`, 1, `hooks[0]: is not run: it is async`},
		{"if", `{"hooks":{"Stop":[{"hooks":[{"command":"./x","if":"Bash(git *)"}]}]}}`, 1, `hooks[0]: is not run: it has an if`},
		{"powershell", `{"hooks":{"Stop":[{"hooks":[{"command":"./x","shell":"powershell"}]}]}}`, 1, `hooks[0]: is not run: there is no powershell here`},
		{"env", `{"env":{"A":"1"},"hooks":{"Stop":[{"hooks":[` + good + `]}]}}`, 1, `: env: is passed over`},
		{"all off", `{"disableAllHooks":true,"hooks":{"Stop":[{"hooks":[` + good + `]}]}}`, 0, `: disableAllHooks: is true`},
		{"not off", `{"disableAllHooks":false,"hooks":{"Stop":[{"hooks":[` + good + `]}]}}`, 1, ""},
		{"a key twice", `{"hooks":{"Stop":[],"Stop":[{"hooks":[` + good + `]}]}}`, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooks, notes, err := ReadSettings(settingsPath, []byte(tt.data))
			if err != nil || len(hooks) != tt.hooks {
				t.Errorf("%+v, %v", hooks, err)
			}
			switch {
			case tt.note == "" && len(notes) > 0, tt.note != "" && !strings.Contains(strings.Join(notes, "\n"), tt.note):
				t.Errorf("notes %q, want %q", notes, tt.note)
			case strings.Contains(tt.name, "all off") != DisablesAll([]byte(tt.data)):
				t.Errorf("DisablesAll: %v", DisablesAll([]byte(tt.data)))
			}
			for _, note := range notes {
				if !strings.HasPrefix(note, settingsPath+":") {
					t.Errorf("the note does not name the file: %q", note)
				}
			}
		})
	}
}

func TestReadCodemie(t *testing.T) {
	const path = ".codemie/codemie-cli.config.json"
	stop := func(command, more string) string {
		return `"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + command + `"` + more + `}]}]}`
	}
	number := func(n int) *int { return &n }
	for _, tt := range []struct {
		name, data string
		command    string // "" for no hook
		timeout    time.Duration
		retries    *int
		note       string
	}{
		{"flat", `{` + stop("./a.sh", `,"timeout":1500`) + `,"maxHookRetries":3}`, "./a.sh", 1500 * time.Millisecond, number(3), ""},
		{"the usual time", `{` + stop("./a.sh", ``) + `}`, "./a.sh", time.Minute, nil, ""},
		{
			"active profile", `{"version":2,"activeProfile":"work","profiles":{"home":{` + stop("./h.sh", ``) + `},"work":{"model":"x",` + stop("./w.sh", `,"timeout":300000`) + `,"maxHookRetries":0}}}`,
			"./w.sh", 5 * time.Minute, number(5), "profiles.work.maxHookRetries: is 0, which codemie takes for its usual 5",
		},
		{"default profile", `{"profiles":{"default":{` + stop("./d.sh", ``) + `}}}`, "./d.sh", time.Minute, nil, ""},
		{"profile over the top", `{` + stop("./top.sh", ``) + `,"maxHookRetries":2,"profiles":{"default":{` + stop("./d.sh", ``) + `}}}`, "./d.sh", time.Minute, number(2), "hooks: is passed over: profiles.default.hooks counts"},
		{"top where the profile has none", `{` + stop("./top.sh", ``) + `,"profiles":{"default":{"maxHookRetries":4}}}`, "./top.sh", time.Minute, number(4), ""},
		{"no such profile", `{` + stop("./top.sh", ``) + `,"activeProfile":"gone","profiles":{"default":{}}}`, "./top.sh", time.Minute, nil, `profiles: has no profile "gone"`},
		{"retries of a wrong type", `{"maxHookRetries":-1}`, "", 0, nil, "maxHookRetries: is -1: want a whole number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooks, retries, notes, err := ReadCodemie(path, []byte(tt.data))
			if err != nil || !reflect.DeepEqual(retries, tt.retries) {
				t.Errorf("retries %v, err %v", retries, err)
			}
			switch {
			case tt.command == "" && len(hooks) > 0:
				t.Errorf("got %+v", hooks)
			case tt.command != "" && (len(hooks) != 1 || hooks[0].Command != tt.command || hooks[0].Timeout != tt.timeout || hooks[0].From != path):
				t.Errorf("got %+v", hooks)
			}
			if joined := strings.Join(notes, "\n"); tt.note == "" && joined != "" || !strings.Contains(joined, tt.note) {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

func TestReadCodemieRefuses(t *testing.T) {
	const path = ".codemie/codemie-cli.config.json"
	for data, want := range map[string]string{
		"":               ":1:1: is empty",
		`{"hooks"`:       ":1:9: is not JSON",
		`{"profiles":7}`: ":1:13: profiles: is 7: want an object",
		`{"activeProfile":"p","profiles":{"p":[]}}`:          ":1:38: profiles.p: is []: want an object",
		`{"activeProfile":5,"profiles":{}}`:                  ":1:18: activeProfile: is 5: want a text",
		`{"activeProfile":"gone","profiles":{"default":{}}}`: `:1:18: activeProfile: profiles has no profile "gone"`,
		`{"profiles":{"default":{"hooks":{"Stop":"x"}}}}`:    `:1:41: profiles.default.hooks.Stop: is "x": want a list`,
	} {
		if _, _, _, err := ReadCodemie(path, []byte(data)); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%s: %v, want %s", data, err, want)
		}
	}
}
