package builtin

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mulligan"
)

// What doctor calls tested is what the tests install.
func TestTestedVersions(t *testing.T) {
	data, err := os.ReadFile("../../test/agents/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pinned struct {
		Dependencies         map[string]string `json:"dependencies"`
		OptionalDependencies map[string]string `json:"optionalDependencies"`
	}
	if err := json.Unmarshal(data, &pinned); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, all := range []map[string]string{pinned.Dependencies, pinned.OptionalDependencies} {
		for name, version := range all {
			for _, p := range Programs() {
				prefix := map[string]string{
					"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "gemini": "@google/gemini-cli", "opencode": "opencode",
					"claude-agent-acp": "@agentclientprotocol/claude-agent-acp", "codex-acp": "@agentclientprotocol/codex-acp",
				}[p.Name]
				if prefix == "" || !strings.HasPrefix(name, prefix) {
					continue
				}
				found++
				if !strings.Contains(version, p.Tested) {
					t.Errorf("%s: tested is %s, and %s is pinned at %s", p.Name, p.Tested, name, version)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no program of the list is pinned")
	}
}

// Every agent that has a name runs a program that doctor knows.
func TestExec(t *testing.T) {
	for _, n := range Catalog().Named {
		kind, _ := Catalog().Agent(n.Type)
		if n.Type == "" || kind.NotYet {
			continue
		}
		entry := Catalog().Entry(n)
		spec := mulligan.AgentSpec{Name: n.Name, Type: kind.Name, Options: options(t, kind, entry, nil)}
		argv := Exec(spec)
		if len(argv) == 0 {
			t.Errorf("%s runs nothing", n.Name)
			continue
		}
		if _, known := FindProgram(argv[0]); !known {
			t.Errorf("%s runs %q, which is not in the list of programs", n.Name, argv)
		}
	}
	for options, want := range map[string][]string{`{"exec":["./x","-y"]}`: {"./x", "-y"}, `{"script":{}}`: nil, ``: nil, `5`: nil} {
		if got := Exec(mulligan.AgentSpec{Type: "program", Options: json.RawMessage(options)}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q", options, got)
		}
	}
	if p, ok := FindProgram("/opt/bin/codex"); !ok || p.Doc != "Codex" {
		t.Errorf("got %+v", p)
	}
}

// A8: an agent gets the built-in list, what its type needs and what the user names.
func TestEnv(t *testing.T) {
	environ := []string{"PATH=/bin", "MY_TOKEN=x", "OTHER=y", "GEMINI_API_KEY=g", "CODEX_HOME=/c", "ANTHROPIC_API_KEY=a"}
	for _, c := range []struct {
		spec mulligan.AgentSpec
		want []string
		told bool
	}{
		{mulligan.AgentSpec{Type: "program"}, []string{"PATH=/bin"}, true},
		{mulligan.AgentSpec{Type: "program", Env: []string{"MY_*"}}, []string{"PATH=/bin", "MY_TOKEN=x"}, true},
		{mulligan.AgentSpec{Type: "claude"}, []string{"PATH=/bin", "ANTHROPIC_API_KEY=a"}, true},
		{mulligan.AgentSpec{Type: "codex"}, []string{"PATH=/bin", "CODEX_HOME=/c"}, true},
		{mulligan.AgentSpec{Type: "aider"}, []string{"PATH=/bin", "GEMINI_API_KEY=g", "ANTHROPIC_API_KEY=a"}, true},
		{mulligan.AgentSpec{Type: "acp", Options: json.RawMessage(`{"exec":["/opt/gemini","--acp"]}`)}, []string{"PATH=/bin", "GEMINI_API_KEY=g"}, true},
		{mulligan.AgentSpec{Type: "acp", Options: json.RawMessage(`{"exec":["another"]}`), Env: []string{"MY_*"}}, []string{"PATH=/bin", "MY_TOKEN=x"}, true},
		{mulligan.AgentSpec{Type: "no such", InheritEnv: true}, environ, true},
		{mulligan.AgentSpec{Type: "no such"}, []string{"PATH=/bin"}, false},
	} {
		got, told := Env(c.spec, environ)
		if !slices.Equal(got, c.want) || told != c.told {
			t.Errorf("%+v: got %q, %v", c.spec, got, told)
		}
	}
}
