package guardhook

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan/hook/claudecode"
	"mulligan/internal/environ"
	"mulligan/internal/redact"
)

// switchedOn is an environment whose folder has the guard on by its switch.
func switchedOn(t *testing.T) environ.Env {
	t.Helper()
	env := newEnv(t)
	if err := env.SetGuardSwitch(FindRoot(env.Dir), environ.SwitchedOn); err != nil {
		t.Fatal(err)
	}
	return env
}

// tell has a handler of its own answer one event.
func tell(t *testing.T, env environ.Env, name, input string) claudecode.Encoded {
	t.Helper()
	return Handler{Env: &env}.Answer(t.Context(), name, strings.NewReader(input))
}

// todo is an agent's call that lists one item.
func todo(call, content, status string) string {
	quoted, _ := json.Marshal(content)
	return fmt.Sprintf(`{"session_id":"conv-1","hook_event_name":"PreToolUse","tool_name":"TodoWrite","tool_use_id":%q,"tool_input":{"todos":[{"content":%s,"status":%q}]}}`, call, quoted, status)
}

// wantAnswer wants an answer to have words in it, or nothing at all to be said.
func wantAnswer(t *testing.T, what string, out claudecode.Encoded, exit int, words string) {
	t.Helper()
	said := out.Stdout + out.Stderr
	if out.Exit != exit || !strings.Contains(said, words) || words == "" && said != "" {
		t.Errorf("%s: %+v, want exit %d and %q", what, out, exit, words)
	}
	if strings.Contains(said, "goroutine") {
		t.Errorf("%s: a stack is shown: %s", what, said)
	}
}

// G1, G2: Claude Code's own tasks: what TaskCreated, TaskUpdate and TaskCompleted tell of one claim is one
// attempt, also where the call renames the task and TaskCompleted has its old subject.
func TestTasksOfClaude(t *testing.T) {
	env := switchedOn(t)
	for i, step := range []struct {
		event, fields string
		exit          int
		want          string
	}{
		{event: "TaskCreated", fields: `"task_id":"1","task_subject":"Write the parser"`},
		{event: "TaskCreated", fields: `"task_id":"2","task_subject":"Write the tests"`},
		{fields: `"taskId":"1","status":"in_progress"`},
		{fields: `"taskId":"1","status":"completed"`, want: "Not accepted yet: 'Write the parser' (claim 1 of 5)"},
		{fields: `"taskId":"1","status":"completed"`},
		{event: "TaskCompleted", fields: `"task_id":"1","task_subject":"Write the parser"`},
		{fields: `"taskId":"1","status":"completed"`},
		{fields: `"taskId":"2","subject":"Write the tests and run them"`},
		{fields: `"taskId":"2","subject":"All of the tests","status":"completed"`, want: "Not accepted yet: 'All of the tests' (claim 1 of 5)"},
		{fields: `"taskId":"2","subject":"All of the tests","status":"completed"`},
		{event: "TaskCompleted", fields: `"task_id":"2","task_subject":"Write the tests and run them"`},
		// Unknown: its id is the content. TaskCompleted alone, as where only that hook is installed.
		{fields: `"taskId":"77","status":"completed"`, want: "Not accepted yet: 'task 77' (claim 1 of 5)"},
		{event: "TaskCompleted", fields: `"task_id":"78","task_subject":"Ship it"`, exit: 2, want: "Not accepted yet: 'Ship it' (claim 1 of 5)"},
		{event: "TaskCompleted", fields: `"task_id":"78","task_subject":"Ship it"`},
		{event: "SessionStart", fields: `"source":"resume"`},
		{event: "PostToolUse", fields: `"tool_name":"Bash"`},
	} {
		input := fmt.Sprintf(`{"session_id":"conv-1","hook_event_name":%q,%s}`, step.event, step.fields)
		if step.event == "" {
			input = fmt.Sprintf(`{"session_id":"conv-1","hook_event_name":"PreToolUse","tool_name":"TaskUpdate","tool_use_id":"c%d","tool_input":{%s}}`, i, step.fields)
		}
		wantAnswer(t, input, tell(t, env, "", input), step.exit, step.want)
	}
}

// G1: events of other agents, and one whose name only the command line has.
func TestOtherAgents(t *testing.T) {
	env := switchedOn(t)
	for _, tt := range []struct {
		name, input string
		exit        int
		want        string
	}{
		{"", `{"session_id":"g-1","cwd":"","hook_event_name":"BeforeTool","tool_name":"write_todos","tool_input":{"todos":[{"description":"Read the code","status":"completed"},{"description":"Change it","status":"in_progress"}]}}`, 0, `{"decision":"deny","reason":"Not accepted yet: 'Read the code' (claim 1 of 5)`},
		{"", `{"session_id":"x-1","transcript_path":null,"hook_event_name":"PreToolUse","tool_name":"update_plan","tool_input":{"plan":[{"step":"Inspect","status":"completed"}]},"tool_use_id":"call_1"}`, 0, `"permissionDecisionReason":"Not accepted yet: 'Inspect' (claim 1 of 5)`},
		{"TaskCompleted", `{"session_id":"conv-2","task_id":"1","task_subject":"X"}`, 2, "Not accepted yet: 'X'"},
		{"", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"}}`, 0, ""},
	} {
		wantAnswer(t, tt.input, tell(t, env, tt.name, tt.input), tt.exit, tt.want)
	}
}

// G7: what cannot be read is not allowed where the guard is on, with its name on the command line or
// without, and nothing to the guard where it is off.
func TestUnreadableEvents(t *testing.T) {
	env, off := switchedOn(t), newEnv(t)
	inputs := []string{"", "nonsense", "[]", "null", `"text"`, `{"hook_event_name":"PreToolUse","tool_name":"TodoWrite"`}
	for _, input := range []string{
		`{}`, `{"todos":"x"}`, `{"todos":[1]}`, `{"todos":[{"status":"completed"}]}`,
	} {
		inputs = append(inputs, `{"hook_event_name":"PreToolUse","tool_name":"TodoWrite","tool_input":`+input+`}`)
	}
	inputs = append(inputs, `{"hook_event_name":"PreToolUse","tool_name":"TodoWrite"}`, `{"hook_event_name":"PreToolUse","tool_name":"TaskUpdate","tool_input":{"status":"completed"}}`)
	for _, input := range inputs {
		for _, name := range []string{"", "PreToolUse"} {
			wantAnswer(t, name+" "+input, tell(t, env, name, input), 2, "mulligan: the guard cannot read this call, so it is not allowed: ")
			wantAnswer(t, "off: "+name+" "+input, tell(t, off, name, input), 0, "")
		}
	}
	wantAnswer(t, "7 MB", tell(t, env, "PreToolUse", strings.Repeat("x", 7_000_000)), 2, "not allowed: the event has more than 6291456 bytes")
}

// G7, G8: a config with mistakes denies claims, and nothing else, unless the guard is off in it; the
// guard's own faults deny, unless the config has it otherwise.
func TestGuardConfigs(t *testing.T) {
	const mistakes = "the guard's config has mistakes"
	for _, tt := range []struct {
		name, config, content, status string
		exit                          int
		want                          string
	}{
		{"none", "", "A", "completed", 0, ""},
		{"on", "guard: {enabled: true, max_retry_attempts: 3}", "A", "completed", 0, "(claim 1 of 3)"},
		{"ignored", `guard: {enabled: true, ignore: ["docs:*"]}`, "docs: x", "completed", 0, ""},
		{"wrong", "guard: {enabled: true, max_retry_attempts: five}", "A", "completed", 0, mistakes},
		{"wrong, no claim", "guard: {enabled: true, max_retry_attempts: five}", "A", "pending", 0, ""},
		{"unreadable", "guard: {enabled: true", "A", "completed", 0, mistakes},
		{"off, wrong elsewhere", "guard: {enabled: false}\nnonsense: 1", "A", "completed", 0, ""},
	} {
		env := newEnv(t)
		if tt.config != "" {
			writeConfig(t, env.Dir, tt.config)
		}
		wantAnswer(t, tt.name, tell(t, env, "", todo("t", tt.content, tt.status)), tt.exit, tt.want)
	}
}

// G7: a state folder that cannot be used is a fault of the guard's own.
func TestUnusableStateFolder(t *testing.T) {
	env := newEnv(t)
	state := strings.TrimPrefix(env.Environ[0], "XDG_STATE_HOME=")
	if err := os.MkdirAll(filepath.Join(state, "mulligan"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "mulligan", "jetstream"), []byte("a file where a folder has to be"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeConfig(t, env.Dir, "guard: {enabled: true}")
	wantAnswer(t, "deny", tell(t, env, "", todo("t", "A", "completed")), 2, "mulligan: the guard could not decide, so this is not allowed: ")
	writeConfig(t, env.Dir, "guard: {enabled: true, on_failure: allow}")
	wantAnswer(t, "allow", tell(t, env, "", todo("t", "A", "completed")), 0, "the guard could not decide, and on_failure is allow: ")
}

// An agent cannot leave for a repository without a guard: the folder that a person has started it in counts.
func TestProjectOfAPerson(t *testing.T) {
	env := switchedOn(t)
	env.Environ = append(env.Environ, "CLAUDE_PROJECT_DIR="+env.Dir)
	env.Dir = t.TempDir()
	wantAnswer(t, "elsewhere", tell(t, env, "", todo("t", "A", "completed")), 0, "(claim 1 of 5)")
}

// Secrets do not reach the state folder, and an item that has one is one item all the same.
func TestSecretInAnItem(t *testing.T) {
	env := switchedOn(t)
	env.Environ = append(env.Environ, "API_TOKEN=s3cr3t-s3cr3t-s3cr3t")
	env.Secrets = redact.New(env.Environ)
	wantAnswer(t, "first", tell(t, env, "", todo("t1", "use s3cr3t-s3cr3t-s3cr3t", "completed")), 0, "(claim 1 of 5)")
	wantAnswer(t, "second", tell(t, env, "", todo("t2", "use s3cr3t-s3cr3t-s3cr3t", "completed")), 0, "")
	state := strings.TrimPrefix(env.Environ[0], "XDG_STATE_HOME=")
	files := 0
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "s3cr3t-s3cr3t") {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

func writeConfig(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "mulligan.yaml"), []byte("version: 1\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
