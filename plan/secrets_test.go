package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"mulligan"
)

// hush knows one secret.
func hush(s string) (string, []string) {
	if !strings.Contains(s, "hush-hush") {
		return s, nil
	}
	return strings.ReplaceAll(s, "hush-hush", "[secret:HUSH]"), []string{"HUSH"}
}

// TestSecretsInWhatIsRun (A8): a plan is journaled, so what is run may hold none.
func TestSecretsInWhatIsRun(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": `version: 1
agent: a
agents:
  a: {type: program, exec: [x, --token=hush-hush], writable: [~/hush-hush]}
pipelines:
  default:
    - name: one
      check:
        - make test
        - curl -H hush-hush
workspace: {setup: npm ci hush-hush, copy: [hush-hush]}
loop:
  check: hush-hush
  final_check: {type: file_exists, path: hush-hush, name: hush-hush}
hooks:
  session_start:
    - {command: echo hush-hush, name: say hush-hush, dir: hush-hush}
    - {command: echo, env: {PLAIN: fine, TOKEN: hush-hush}}
`})
	r := request(dir)
	r.Secrets = hush
	_, err := Make(r)
	wantError(t, err,
		`mulligan.yaml:4:6: agents.a: it holds a secret (HUSH), and a plan is stored`,
		`agents.a.writable[0]: it holds a secret (HUSH)`,
		`mulligan.yaml:10:11: pipelines.default[0].check[1]: it holds a secret (HUSH), and a plan is stored`,
		"    - curl -H [secret:HUSH]\n", "put it into an environment variable",
		`workspace.setup: it holds a secret (HUSH)`, `workspace.copy[0]: it holds a secret (HUSH)`,
		`mulligan.yaml:13:10: loop.check: it holds a secret (HUSH)`, `loop.final_check: it holds a secret (HUSH)`, `loop.final_check.name: it holds a secret (HUSH)`,
		`mulligan.yaml:17:17: hooks.session_start[0].command: it holds a secret (HUSH)`,
		`hooks.session_start[0].name: it holds a secret (HUSH)`, `hooks.session_start[0].dir: it holds a secret (HUSH)`,
		`hooks.session_start[1].env.TOKEN: it holds a secret (HUSH)`, "a hook has the environment that mulligan is started with",
	)
	if strings.Contains(err.Error(), "hush-hush") || strings.Contains(err.Error(), "check[0]") || strings.Contains(err.Error(), "PLAIN: it holds") {
		t.Errorf("the mistakes are:\n%v", err)
	}
	if _, err := All(r); err == nil {
		t.Error("a look at all pipelines finds no mistakes")
	}
}

// TestSecretsInTexts: they are left out of what is only read, with a note for the person.
func TestSecretsInTexts(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": `version: 1
agent: a
agents: {a: {type: program, exec: [x]}}
pipelines:
  default:
    - {name: one, prompt: say hush-hush}
    - {name: two, prompt: say nothing, feedback_file: again.md}
git: {message: "hush-hush {{step}}"}
`, "again.md": "hush-hush again"})
	r := request(dir)
	r.Secrets = hush
	r.Task = mulligan.Task{Path: dir + "/tasks/hush-hush.md", Text: "The word is hush-hush.", Folder: "hush-hush"}
	p, err := Make(r)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(p)
	if strings.Contains(string(data), "hush-hush") {
		t.Errorf("the plan is %s", data)
	}
	if p.Task.Text != "The word is [secret:HUSH]." || p.Steps[0].Prompt != "say [secret:HUSH]" || p.Steps[1].Prompt != "say nothing" {
		t.Errorf("the texts are %q, %q, %q", p.Task.Text, p.Steps[0].Prompt, p.Steps[1].Prompt)
	}
	notes := strings.Join(p.Notes, "\n")
	for _, want := range []string{"the task holds a secret (HUSH), which is left out", `the prompt of step "one" holds`, `the feedback file of step "two" holds`, "git.message holds"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q:\n%s", want, notes)
		}
	}
	if strings.Contains(notes, `prompt of step "two"`) {
		t.Errorf("too much is said:\n%s", notes)
	}
}

// TestSecretsOfALoop: neither the spec, nor the prompt, nor the name may bring one in.
func TestSecretsOfALoop(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": loopFrame + "loop: {prompt_file: p.md}\n", "p.md": "Do hush-hush."})
	r := loopRequest(dir)
	r.Secrets = hush
	r.Spec = mulligan.Task{Path: dir + "/hush-hush.md", Text: "The word is hush-hush."}
	p, err := MakeLoop(r)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(p)
	if strings.Contains(string(data), "hush-hush") || p.Steps[0].Name != "secret-HUSH" || p.Loop.Prompt != "Do [secret:HUSH]." {
		t.Errorf("the plan is %s", data)
	}
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "the loop's prompt_file holds a secret (HUSH)") {
		t.Errorf("the notes are %s", notes)
	}
	r.Name = "hush-hush"
	_, err = MakeLoop(r)
	wantError(t, err, "the session's name holds a secret")
	wantUsage(t, err)
}
