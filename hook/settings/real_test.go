package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// TestMain is also the keeper of the programs that the tests run.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		return
	}
	os.Exit(m.Run())
}

// fake stands for mulligan: it keeps what it is told, and breaks at the first claim.
const fake = `#!/bin/sh
in=$(cat)
printf '%s\n' "$in" >>"$HEARD/$2"
case $in in *completed*) mkdir "$HEARD/refused" 2>/dev/null && echo "show what was done" >&2 && exit 1;; esac
exit 0
`

// A scene is the real program of an agent in front of a model that claims twice that a task is done.
type scene struct {
	agent string
	turns []modeltest.Turn
	env   []string
	argv  func(program string) []string
	user  bool // the hooks are in the user's settings
	tells string
	heard map[string]int // how often each hook runs
}

type object = map[string]any

func scenes() map[string]scene {
	use := func(name string, input object) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: name, Input: input})
	}
	list := func(tool, key, text string, statuses ...string) []modeltest.Turn {
		var turns []modeltest.Turn
		for _, status := range statuses {
			it := object{text: "Write the parser", "status": status}
			if tool == "TodoWrite" {
				it["activeForm"] = "Writing the parser"
			}
			turns = append(turns, use(tool, object{key: []any{it}}))
		}
		return append(turns, modeltest.Say("over"))
	}
	claude := func(program string) []string {
		return []string{program, "-p", "work", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"}
	}
	return map[string]scene{
		"claude tasks": {
			agent: "claude", argv: claude, env: []string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1"},
			turns: []modeltest.Turn{
				use("TaskCreate", object{"subject": "Write the parser", "description": "all of it"}),
				use("TaskUpdate", object{"taskId": "1", "status": "completed"}),
				use("TaskUpdate", object{"taskId": "1", "status": "completed"}),
				modeltest.Say("over"),
			},
			tells: "PreToolUse:TaskUpdate hook error: ",
			heard: map[string]int{"TaskCreated": 1, "PreToolUse": 2, "TaskCompleted": 1},
		},
		"claude list": {
			agent: "claude", argv: claude, env: []string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1", "CLAUDE_CODE_ENABLE_TASKS=0"},
			turns: list("TodoWrite", "todos", "content", "pending", "completed", "completed"),
			tells: "PreToolUse:TodoWrite hook error: ",
			heard: map[string]int{"PreToolUse": 3},
		},
		"codex": {
			agent: "codex", user: true,
			argv: func(program string) []string {
				return []string{
					program, "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
					"--dangerously-bypass-hook-trust", "--disable", "plugins", "-c", "tools.update_plan={enabled=true}", "work",
				}
			},
			turns: list("update_plan", "plan", "step", "pending", "completed", "completed"),
			tells: "Tool call blocked by PreToolUse hook: ",
			heard: map[string]int{"PreToolUse": 3},
		},
		"gemini": {
			agent: "gemini",
			argv:  func(program string) []string { return []string{"node", program, "-p", "work", "--yolo"} },
			turns: list("write_todos", "todos", "description", "pending", "completed", "completed"),
			tells: "Tool execution blocked: ",
			heard: map[string]int{"BeforeTool": 3},
		},
	}
}

// TestRealHooks: the real programs read what Install writes and run the hooks; a hook that breaks
// refuses the claim, and the model reads why. What they tell has the fields of the recorded payloads.
func TestRealHooks(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			heard := t.TempDir()
			program := filepath.Join(t.TempDir(), "it's here", programName)
			os.Mkdir(filepath.Dir(program), 0o700)
			if err := os.WriteFile(program, []byte(fake), 0o700); err != nil {
				t.Fatal(err)
			}
			model := s.play(t, program, "HEARD="+heard)
			told := ""
			for _, r := range model.Asked() {
				told += r.Newest() + "\n"
			}
			if !strings.Contains(told, s.tells) || strings.Count(told, "show what was done") != 1 || model.Left() > 0 {
				t.Errorf("the model was told %d times why, %d turns left:\n%.3000s", strings.Count(told, "show what was done"), model.Left(), told)
			}
			for event, times := range s.heard {
				lines := strings.Split(strings.TrimSpace(readFile(t, filepath.Join(heard, event))), "\n")
				if len(lines) != times {
					t.Errorf("%s: %d times:\n%s", event, len(lines), strings.Join(lines, "\n"))
				}
				s.compare(t, event, lines[len(lines)-1])
			}
		})
	}
}

// TestRealHookMissing: where mulligan is gone, a claim is refused.
func TestRealHookMissing(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			model := s.play(t, "/nowhere/"+programName)
			refused := 0
			for _, r := range model.Asked() {
				if strings.Contains(r.Newest(), s.tells) {
					refused++
				}
			}
			if refused == 0 {
				t.Error("no call was refused")
			}
		})
	}
}

// play installs the hooks and runs the agent's program.
func (s scene) play(t *testing.T, program string, env ...string) *modeltest.Server {
	t.Helper()
	installed := modeltest.Agent(t, s.agent)
	a, _ := FindAgent(s.agent)
	model, err := modeltest.Start(modeltest.Script{Turns: s.turns, Else: &modeltest.Answer{Text: "over"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	env = slices.Concat(modeltest.Env(t, model, s.agent), s.env, env)
	dir := t.TempDir()
	path := a.ProjectPath(dir)
	if s.user {
		if path, err = a.UserPath(func(name string) string { value, _ := process.Lookup(env, name); return value }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Install(a, path, program); err != nil {
		t.Fatal(err)
	}
	pool := process.NewPool(process.PoolOptions{Env: []string{"GORACE=atexit_sleep_ms=0"}})
	var out bytes.Buffer
	exit, err := pool.Run(t.Context(), process.Spec{
		Argv: s.argv(installed), Dir: dir, Env: env, Stdout: &out, Stderr: &out, Timeout: 5 * time.Minute, Role: process.RoleAgent,
	})
	if err != nil || !exit.OK() {
		t.Fatalf("%v, %v:\n%.3000s", exit, err, out.String())
	}
	return model
}

// compare fails unless what a hook was told has the fields of the recorded payload.
func (s scene) compare(t *testing.T, event, line string) {
	t.Helper()
	name := s.agent + "-" + event
	var got, want object
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if tool, ok := got["tool_name"]; ok {
		name += fmt.Sprint("-", tool)
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join("testdata", "payloads", name+".json"))), &want); err != nil {
		t.Fatal(err)
	}
	if a, b := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		t.Errorf("%s: fields %v, want %v", name, a, b)
	}
	inner, _ := got["tool_input"].(object)
	recorded, _ := want["tool_input"].(object)
	for field := range inner {
		if _, ok := recorded[field]; !ok {
			t.Errorf("%s: the input has %q", name, field)
		}
	}
}
