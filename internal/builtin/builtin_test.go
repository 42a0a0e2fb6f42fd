package builtin

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
	"mulligan/config"
)

// C1: a config with every key there is has no mistakes but that some are not supported
// yet; none is unknown, and none is passed over.
func TestAllKeysAreKnown(t *testing.T) {
	data, err := os.ReadFile("testdata/all-keys.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range Schema().Decode("mulligan.yaml", data).Mistakes {
		if !strings.Contains(m.Message, "not supported yet") {
			t.Errorf("%v", m)
		}
		found[m.Path] = true
	}
	for _, a := range Catalog().Agents { // as agents.NAME.type, once
		for name, of := range map[string]string{"any": "acp", "big": "claude"} {
			if of == a.Name && found["agents."+name+".type"] != a.NotYet {
				t.Errorf("type %s: not built is %v, and that is not what is said", of, a.NotYet)
			}
		}
	}
	for _, path := range []string{
		"agents.big.model", "agents.big.args", "agents.big.max_turns", "pipelines.default[2].model", "limits.tokens", "limits.cost_usd", "limits.wait",
		"sandbox", "agents.local.writable", "agents.local.permissions", "engine", "limits.turns", "workspace.copy", "workspace.setup_when", "git.merge", "verify", "verify_within", "loop", "hooks", "ask_timeout", "on_question", "limits.final_timeout", "agent_hooks", "agent_hooks_from", "max_hook_retries", "hook_retry_backoff", "hook_feedback_file", "on_limit", "guard", "guard.validate", "notify", "notify.webhook",
		"adaptive_retry", "adaptive_retry.strategies", "adaptive_retry.define", "limits.same_failure",
		"pipelines.default[2].baseline", "pipelines.default[2].check[1].min_tests", "pipelines.default[2].check[1].flaky",
		"pipelines.default[2].check[2].type", "pipelines.default[2].check[2].timeout",
	} {
		if found[path] {
			t.Errorf("%s is refused", path)
		}
	}
}

// An entry can be used or is marked as not built: nothing in between.
func TestEntries(t *testing.T) {
	for _, a := range Agents() {
		if (a.Decode == nil) != (a.New == nil) || a.Doc == "" {
			t.Errorf("agent %s is half an entry", a.Name)
		}
	}
	for _, k := range Checks() {
		if k.Doc == "" || k.Name != "none" && (k.Decode == nil) != (k.New == nil) {
			t.Errorf("check %s is half an entry", k.Name)
		}
	}
	named := map[string]bool{}
	for _, n := range Catalog().Named {
		named[n.Name] = true
		kind, found := Catalog().Agent(n.Type)
		if n.Type == "" || found && kind.NotYet {
			continue
		}
		entry := Catalog().Entry(n)
		if !found || !entry.OK() || entry.Get("idle_timeout").Duration() == 0 {
			t.Errorf("the name %s stands for no agent", n.Name)
			continue
		}
		if _, mistakes := kind.Decode(entry, nil); len(mistakes) > 0 {
			t.Errorf("the name %s: %v", n.Name, mistakes)
		}
	}
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "aider", "claude-acp", "codex-acp", "scripted"} {
		if !named[name] {
			t.Errorf("the name %s is not known", name)
		}
	}
}

// Options that decode are options that the constructor takes.
func TestDecodeAndBuild(t *testing.T) {
	c := Schema().Decode("mulligan.yaml", []byte(`version: 1
agents:
  prog: {type: program, exec: [./x, ""], continues: true}
  play: {type: scripted, script: play.yaml}
pipelines:
  p:
    - {name: a, check: make test}
    - {name: b, check: {type: shell, command: "grep -q 'x y' *.go || exit 3", expect: fail}}
    - {name: c, check: {type: file_exists, path: "docs/**/*.md"}}
`))
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	read := func(config.Value) ([]byte, *config.Mistake) { return []byte("turns:\n  - - say: hello\n"), nil }
	for _, name := range c.Get("agents").Keys() {
		v := c.Get("agents", name)
		kind, _ := Catalog().Agent(v.Get("type").String())
		spec := mulligan.AgentSpec{Name: name, Type: kind.Name, Options: options(t, kind, v, read)}
		if _, err := NewAgent(spec, Deps{}); err != nil {
			t.Errorf("agent %s: %v", name, err)
		}
	}
	titles := map[string]bool{}
	for _, step := range c.Get("pipelines", "p").List() {
		v := step.Get("check")
		kind, _ := Catalog().Check("shell")
		if v.IsMap() {
			kind, _ = Catalog().Check(v.Get("type").String())
		}
		titles[kind.Title(v)] = true
		spec := mulligan.CheckSpec{Name: "x", Type: kind.Name, Options: options(t, kind, v, read)}
		if _, err := NewGate(spec, Deps{}); err != nil {
			t.Errorf("check %s: %v", v.Path(), err)
		}
	}
	for _, want := range []string{"make test", "grep -q 'x y' *.go || exit 3", "file_exists docs/**/*.md"} {
		if !titles[want] {
			t.Errorf("no check is called %q: %v", want, titles)
		}
	}
	if _, err := NewAgent(mulligan.AgentSpec{Type: "no such"}, Deps{}); err == nil {
		t.Error("an agent that is not built was built")
	}
	if _, err := NewGate(mulligan.CheckSpec{Type: "no such"}, Deps{}); err == nil {
		t.Error("a gate that is not built was built")
	}
}

// A check that is to fail passes while the work is not done; no other does.
func TestInvertedChecks(t *testing.T) {
	for check, want := range map[string]bool{
		"make test":                                       false,
		"{type: shell, command: make test}":               false,
		"{type: shell, command: make test, expect: pass}": false,
		"{type: shell, command: make test, expect: fail}": true,
		"{type: file_exists, path: x}":                    false,
	} {
		c := Schema().Decode("mulligan.yaml", []byte("version: 1\nloop: {check: "+check+"}\n"))
		if err := c.Err(); err != nil {
			t.Fatal(err)
		}
		v := c.Get("loop", "check")
		kind, _ := Catalog().Check("shell")
		if v.IsMap() {
			kind, _ = Catalog().Check(v.Get("type").String())
		}
		if got := kind.Inverted != nil && kind.Inverted(v); got != want {
			t.Errorf("%s: inverted is %v", check, got)
		}
	}
}

func options(t *testing.T, kind config.Variant, v config.Value, read config.Reader) json.RawMessage {
	t.Helper()
	o, mistakes := kind.Decode(v, read)
	if mistakes != nil || o == nil {
		t.Fatalf("%s: %v, %v", v.Path(), o, mistakes)
	}
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecodeMistakes(t *testing.T) {
	for check, want := range map[string]string{
		"none":                                     "a bare word is a command to run",
		`"echo 'open"`:                             "the shell cannot read it",
		"'if true; then echo'":                     "the shell cannot read it",
		"{type: shell, command: x, timeout: 0s}":   "a check needs a time to end in",
		"{type: file_exists, path: ../x}":          `"../x" is not a path inside the workspace`,
		"{type: file_exists, path: /etc/passwd}":   `"/etc/passwd" is not a path inside the workspace`,
		"{type: file_exists, path: 'a[b'}":         `"a[b" is not a glob`,
		"'[[ -f x ]] && diff <(a) <(b)'":           "",
		"'test -f x && for i in 1 2; do :; done'":  "",
		"{type: shell, command: x, expect: fail}":  "",
		"{type: file_exists, path: 'a b/c{d,e}*'}": "",
	} {
		c := Schema().Decode("mulligan.yaml", []byte("version: 1\npipelines: {p: [{name: a, check: "+check+"}]}\n"))
		if err := c.Err(); err != nil {
			t.Fatalf("%s: %v", check, err)
		}
		v := c.Get("pipelines", "p").List()[0].Get("check")
		kind, _ := Catalog().Check("shell")
		if v.IsMap() {
			kind, _ = Catalog().Check(v.Get("type").String())
		}
		_, mistakes := kind.Decode(v, nil)
		if err := mistakes.Err(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", check, err, want)
		}
	}
}

// A script's own mistakes stand in the script's own lines.
func TestScriptMistakes(t *testing.T) {
	c := Schema().Decode("mulligan.yaml", []byte("version: 1\nagents: {p: {type: scripted, script: play.yaml}, q: {type: program, exec: [\" \"]}}\n"))
	read := func(config.Value) ([]byte, *config.Mistake) {
		return []byte("turns:\n  - - sya: hello\n    - say: [a]\n"), nil
	}
	_, mistakes := decodeScripted(c.Get("agents", "p"), read)
	if len(mistakes) == 0 {
		t.Fatal("no mistakes")
	}
	for _, m := range mistakes {
		if m.File != "play.yaml" || m.Line < 2 || m.Source == "" {
			t.Errorf("a mistake has no place: %+v", m)
		}
	}
	gone := c.Get("agents", "p", "script").Wrong("gone")
	_, mistakes = decodeScripted(c.Get("agents", "p"), func(config.Value) ([]byte, *config.Mistake) { return nil, &gone })
	if len(mistakes) != 1 || mistakes[0] != gone {
		t.Errorf("got %v", mistakes)
	}
	_, mistakes = decodeProgram(c.Get("agents", "q"), nil)
	if err := mistakes.Err(); err == nil || !strings.Contains(err.Error(), "agents.q.exec[0]: the program has no name") {
		t.Errorf("got %v", err)
	}
}

// What is made from the list is one and the same: the schema that editors get names
// every type that can be used, and none that cannot.
func TestSchemaFollowsTheList(t *testing.T) {
	text := string(Schema().JSON())
	for _, v := range append(Catalog().Agents, Catalog().Checks...) {
		if got := strings.Contains(text, `"const": "`+v.Name+`"`); got == v.NotYet {
			t.Errorf("the schema and the list differ about %s", v.Name)
		}
	}
	path := filepath.Join(t.TempDir(), "none", "mulligan.yaml")
	var mistakes config.Mistakes
	if err := Schema().Load(config.Sources{Project: path}).Err(); !errors.As(err, &mistakes) {
		t.Errorf("got %v", err)
	}
}
