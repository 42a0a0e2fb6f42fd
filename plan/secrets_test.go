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
worktree: {setup: npm ci hush-hush, copy: [hush-hush]}
`})
	r := request(dir)
	r.Secrets = hush
	_, err := Make(r)
	wantError(t, err,
		`mulligan.yaml:4:6: agents.a: it holds a secret (HUSH), and a plan is stored`,
		`agents.a.writable[0]: it holds a secret (HUSH)`,
		`mulligan.yaml:10:11: pipelines.default[0].check[1]: it holds a secret (HUSH), and a plan is stored`,
		"    - curl -H [secret:HUSH]\n", "put it into an environment variable",
		`worktree.setup: it holds a secret (HUSH)`, `worktree.copy[0]: it holds a secret (HUSH)`,
	)
	if strings.Contains(err.Error(), "hush-hush") || strings.Contains(err.Error(), "check[0]") {
		t.Errorf("the mistakes are:\n%v", err)
	}
	if _, err := All(r); err == nil {
		t.Error("a look at all pipelines finds no mistakes")
	}
}

// TestSecretsInTexts: what is only read goes without them, and the person is told.
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
