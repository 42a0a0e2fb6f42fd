package plan

import (
	"reflect"
	"testing"

	"mulligan"
)

// insidePlan has agents m and n that know of PreToolUse, and a, which knows of nothing.
func insidePlan(t *testing.T, steps, yaml string, files map[string]string) *mulligan.Plan {
	t.Helper()
	all := map[string]string{"mulligan.yaml": "version: 1\nagents: {m: {type: modelled, exec: [x]}, n: {type: modelled, exec: [x]}, a: {type: program, exec: [x]}}\n" +
		"pipelines: {p: [" + steps + "]}\n" + yaml}
	for name, text := range files {
		all[name] = text
	}
	return makeInside(t, request(workplace(t, all)))
}

// makeInside makes a plan whose agents of type modelled have hooks at PreToolUse.
func makeInside(t *testing.T, r Request) *mulligan.Plan {
	t.Helper()
	for i := range r.Catalog.Agents {
		if r.Catalog.Agents[i].Name == "modelled" {
			r.Catalog.Agents[i].Inside = func(event string) bool { return event == "PreToolUse" }
		}
	}
	p, err := Make(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// There is a note on every hook that an agent does not run, event by event and agent by agent.
func TestHooksThatAnAgentDoesNotHave(t *testing.T) {
	const hooks = `agent_hooks:
  PreToolUse: [{hooks: [{command: one}]}]
  TaskCompleted: [{hooks: [{command: two}]}]
  SubagentStop: [{hooks: [{command: three}, {command: four}]}]
`
	for steps, want := range map[string][]string{
		"{name: s, agent: m}": {"agent m (modelled) cannot run TaskCompleted and SubagentStop hooks: they are not run"},
		"{name: s, agent: a}": {"agent a (program) cannot run PreToolUse, TaskCompleted and SubagentStop hooks: they are not run"},
		"{name: s, agent: m}, {name: t, agent: a}, {name: u, agent: m}": {
			"agent m (modelled) cannot run TaskCompleted and SubagentStop hooks: they are not run",
			"agent a (program) cannot run PreToolUse, TaskCompleted and SubagentStop hooks: they are not run",
		},
	} {
		p := insidePlan(t, steps, hooks, nil)
		if !reflect.DeepEqual(p.Notes, want) {
			t.Errorf("%s: the notes are %q", steps, p.Notes)
		}
		for _, h := range p.AgentHooks.Hooks {
			if runs := h.Event == "PreToolUse" && steps != "{name: s, agent: a}"; h.Inside != runs || (h.Unhandled == "") != runs {
				t.Errorf("%s: %s is asked for: %v (%s)", steps, h.Event, h.Inside, h.Unhandled)
			}
		}
	}
}

// Hooks at such moments in Claude Code's own files are run by Claude Code alone.
func TestHooksOfClaudesFilesElsewhere(t *testing.T) {
	p := insidePlan(t, "{name: s, agent: m}", `agent_hooks_from: claude
agent_hooks: {PreToolUse: [{hooks: [{command: mine}]}]}
`, map[string]string{claudeFile: `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "theirs"}]}], "TaskCompleted": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}`})
	want := []string{
		"agent m (modelled) cannot run TaskCompleted hooks: they are not run",
		"agent m (modelled) does not run the PreToolUse hooks of Claude Code's settings: move them to agent_hooks: of mulligan.yaml",
	}
	if !reflect.DeepEqual(p.Notes, want) {
		t.Errorf("the notes are %q", p.Notes)
	}
	if inside := p.AgentHooks.Inside(""); len(inside) != 1 || inside[0].Name != "mine" {
		t.Errorf("asked for are %+v", inside)
	}
}
