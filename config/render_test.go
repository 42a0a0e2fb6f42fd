package config

import (
	"strings"
	"testing"
)

const rendered = `version: 1
agent: local
agents:
  local:
    type: program
    exec: [./my agent, --quiet, "", "10", "a: b"]
    timeout: 90
  "odd: name": {type: program, exec: [x]}
pipelines:
  default:
    - name: one
      prompt: |
        First line.

          Indented: line # not a comment
      check:
        - make test
        - {type: shell, command: "two\n lines ", expect: fail}
      retry: 3
    - {name: two, prompt: "two\nlines", check: {type: none}}
hooks:
  post_iteration:
    - {command: "go test ./... | tail\necho \"{{iteration}}\"", timeout: 60, when: failure, env: {A: "", B: "1"}, dir: src}
  session_end: []
agent_hooks:
  Stop:
    - hooks:
        - {command: ./run-tests.sh, timeout: 600}
        - {type: http, url: "https://example.com/hook", headers: {Authorization: "Bearer $TOKEN"}, on_failure: allow}
  PreToolUse: [{matcher: "Edit|Write", hooks: [{type: prompt, prompt: Is it right?, agent: local, name: right}]}]
agent_hooks_from: codemie
workspace: {copy: []}
`

// C3: what is printed has the origin of every value, and reads as the same config.
func TestRender(t *testing.T) {
	c := testSchema().Decode("mulligan.yaml", []byte(rendered))
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Render(&out, c.Value); err != nil {
		t.Fatal(err)
	}
	golden(t, "render.golden", out.String())
	again := testSchema().Decode("mulligan.yaml", []byte(out.String()))
	if err := again.Err(); err != nil {
		t.Fatalf("what is printed is not a config: %v\n%s", err, out.String())
	}
	if got, want := flat(again.n), flat(c.n); got != want {
		t.Errorf("what is printed reads as another config:\n%s\nwant:\n%s", got, want)
	}
}

// flat is a value without its places.
func flat(n *node) string {
	var b strings.Builder
	var walk func(n *node)
	walk = func(n *node) {
		if n.fields == nil && n.typ.Kind != List {
			b.WriteString(n.path + " = " + strings.ReplaceAll(Value{n: n}.String(), "\n", "\\n") + "\n")
		}
		for _, item := range n.items {
			walk(item)
		}
		for _, k := range n.orderedKeys() {
			walk(n.fields[k])
		}
	}
	walk(n)
	return b.String()
}

// Every key of the table is in the reference, and keys that are not built are marked.
func TestReference(t *testing.T) {
	var out strings.Builder
	if err := testSchema().Reference(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `limits.turns` | a whole number | `0` | prompts given to agents, those of judges too |\n",
		"| `agents.NAME.type: program` | | | any program |\n",
		"| `agents.NAME.exec` | a list | | the program and its arguments |\n",
		"| `pipelines.NAME[].check.command` | a command | | the command |\n",
		"| `loop` | a mapping | | an open-ended session |\n",
		"| `hooks.session_end[].when` | one of always, failure, success | `always` | after which verdict or outcome it runs |\n",
		"| `agent_hooks` | a mapping | | hooks at moments of the agent, in Claude Code's form |\n",
		"| `agent_hooks.Stop` | a list | | when the agent says that it is done |\n",
		"| `agent_hooks.*[].hooks[].type: http` | | | an address that the event is sent to |\n",
		"| `agent_hooks.*[].hooks[].timeout` | a duration (90s, 10m, 1h30m, or whole seconds) | `60s` | the hook is stopped after this |\n",
		"| `guard` | a mapping | | what an agent's claim that a task is done has to pass |\n",
		"| `guard.max_retry_attempts` | a whole number | `5` | claims allowed per task; one more waits for a person |\n",
	} {
		if !strings.Contains(strings.ReplaceAll(out.String(), "|  |", "| |"), want) {
			t.Errorf("%q is not in the reference:\n%s", want, out.String())
		}
	}
}
