package plan

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/config"
)

const whole = `version: 1
agent: a
agents:
  a: {type: program, exec: [x, -y], timeout: 5m, env: [TOKEN, AWS_*], permissions: edits, writable: [~/.x]}
  b: {type: scripted, script: plays/b.yaml, env: inherit, idle_timeout: 0s}
  unused: {type: program, exec: [z]}
sandbox: none
pipelines:
  default:
    - name: plan
      prompt: Write a plan.
      check: {type: none}
    - name: tests
      slash: write-tests
      agent: b
      check: make test
    - name: implement
      prompt_file: prompts/implement.md
      feedback_file: prompts/feedback.md
      check:
        - make lint
        - {type: shell, name: tests, command: make test, timeout: 2m}
      retry: 3
      timeout: 1h
    - name: bare
limits: {duration: 2h, turns: 30}
git: {commit: false, message: "{{step}}: {{summary}}"}
workspace: {setup: npm ci, copy: [.env]}
`

func wholeFiles() map[string]string {
	return map[string]string{
		"mulligan.yaml":                   whole,
		"plays/b.yaml":                    "the script",
		"prompts/implement.md":            "Implement it.\n",
		"prompts/feedback.md":             "It failed: {{output}}\n",
		".claude/commands/write-tests.md": "---\nallowed-tools: [Bash]\nunknown: {fine\n---\nTests for $ARGUMENTS, please. $ARGUMENTS!\n",
	}
}

func TestMake(t *testing.T) {
	dir := workplace(t, wholeFiles())
	r := request(dir)
	r.Merge = true
	r.Task = mulligan.Task{Path: filepath.Join(dir, "tasks", "one.md"), Text: "a login", Folder: "tasks"}
	p, err := Make(r)
	if err != nil {
		t.Fatal(err)
	}
	want := &mulligan.Plan{
		Pipeline: "default",
		Task:     mulligan.Task{Path: "tasks/one.md", Text: "a login", Folder: "tasks"},
		Steps: []mulligan.Step{
			{Name: "plan", Prompt: "Write a plan.", Agent: "a"},
			{Name: "tests", Prompt: "Tests for a login, please. a login!", Agent: "b", Checks: []mulligan.CheckSpec{
				{Name: "title", Type: "shell", Options: json.RawMessage(`{"command":"make test"}`)},
			}},
			{Name: "implement", Prompt: "Implement it.", Agent: "a", Checks: []mulligan.CheckSpec{
				{Name: "title", Type: "shell", Options: json.RawMessage(`{"command":"make lint"}`)},
				{Name: "tests", Type: "shell", Timeout: 2 * time.Minute, Options: json.RawMessage(`{"command":"make test"}`)},
			}, Retry: 3, Timeout: time.Hour, Feedback: "It failed: {{output}}"},
			{Name: "bare", Agent: "a"},
		},
		Agents: map[string]mulligan.AgentSpec{
			"a": {
				Name: "a", Type: "program", Timeout: 5 * time.Minute, IdleTimeout: 10 * time.Minute, Env: []string{"TOKEN", "AWS_*"},
				Writable: []string{"~/.x"}, Options: json.RawMessage(`{"exec":["x","-y"]}`),
			},
			"b": {Name: "b", Type: "scripted", InheritEnv: true, Options: json.RawMessage(`{"text":"the script"}`)},
		},
		Git:     mulligan.Git{Merge: true, Message: "{{step}}: {{summary}}"},
		Ready:   mulligan.Ready{Setup: "npm ci", Copy: []string{".env"}, MaxFile: 512 << 20},
		Limits:  mulligan.Limits{Duration: 2 * time.Hour, Turns: 30, FailedIterations: 3, FinalTimeout: 5 * time.Minute, Wait: 12 * time.Hour},
		Sandbox: "none",
		Notes:   []string{"agent a (program) cannot be told to keep to permissions: edits, and may do all that you may"},
		People:  mulligan.People{AskTimeout: 2 * time.Minute, OnQuestion: "proceed"},
		Files:   []string{".claude/commands/write-tests.md", "plays/b.yaml", "prompts/feedback.md", "prompts/implement.md"},
		Protected: []mulligan.ProtectedFile{
			{Path: ".claude/commands/write-tests.md", Role: mulligan.RolePrompt},
			{Path: "mulligan.yaml", Role: mulligan.RoleConfig},
			{Path: "plays/b.yaml", Role: mulligan.RolePrompt},
			{Path: "prompts/feedback.md", Role: mulligan.RolePrompt},
			{Path: "prompts/implement.md", Role: mulligan.RolePrompt},
		},
		Retry:        &mulligan.RetryPlan{Window: 10, Threshold: 0.2},
		Verify:       "auto",
		VerifyWithin: 5 * time.Minute,
	}
	if !reflect.DeepEqual(p, want) {
		got, _ := json.MarshalIndent(p, "", " ")
		wanted, _ := json.MarshalIndent(want, "", " ")
		t.Errorf("got:\n%s\nwant:\n%s", got, wanted)
	}
}

// P1: flag, front matter, default_pipeline, the first.
func TestChoiceOfPipeline(t *testing.T) {
	const two = frame + "  one: [{name: s}]\n  two: [{name: s}]\n  three: [{name: s}]\n"
	tests := []struct{ name, usual, front, flag, want, err string }{
		{name: "the first", want: "one"},
		{name: "default_pipeline", usual: "two", want: "two"},
		{name: "front matter", usual: "two", front: "three", want: "three"},
		{name: "flag", usual: "two", front: "three", flag: "one", want: "one"},
		{name: "flag unknown", flag: "tow", err: `there is no pipeline "tow"; did you mean "two"? there is one, two, three`},
		{name: "front unknown", front: "nowhere", err: "task.md:2:11: there is no pipeline \"nowhere\"\n    pipeline: nowhere\n              ^\n    there is one, two, three"},
		{name: "default unknown", usual: "thre", flag: "one", err: `mulligan.yaml:8:19: default_pipeline: there is no pipeline "thre"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := two
			if tt.usual != "" {
				text += "default_pipeline: " + tt.usual + "\n"
			}
			r := request(workplace(t, map[string]string{"mulligan.yaml": text}))
			r.Pipeline = tt.flag
			if tt.front != "" {
				v, mistakes := config.DecodePart(frontType(), "task.md", "task.md", 2, []byte("pipeline: "+tt.front+"\n"))
				if mistakes != nil {
					t.Fatal(mistakes)
				}
				r.Front.Pipeline = v.Get("pipeline")
			}
			p, err := Make(r)
			switch {
			case tt.err != "":
				wantError(t, err, strings.TrimPrefix(tt.err, "task.md:2:11: "))
			case err != nil:
				t.Error(err)
			case p.Pipeline != tt.want:
				t.Errorf("it is %s, want %s", p.Pipeline, tt.want)
			}
		})
	}
}

// C1: what the config names and is not right is reported with the config's own
// mistakes, at the value that names it.
func TestPlanMistakes(t *testing.T) {
	dir := workplace(t, map[string]string{
		"mulligan.yaml": `version: 1
agent: claude
agents:
  a: {type: program, exec: [x], env: ["A=b", "9", "*"]}
  p: {type: scripted, script: gone.yaml}
unknown: 1
pipelines:
  default:
    - {name: one, agent: bb, prompt_file: prompts/implment.md, feedback_file: empty.md}
    - {name: one, agent: scripted, slash: ../../secret}
    - {name: not a name, prompt: x, slash: nowhere}
    - {name: large, prompt_file: large.md}
    - {name: folder, prompt_file: prompts, agent: lcoal}
default_pipeline: defautl
git: {message: "{{stpe}}"}
workspace: {copy: [../x]}
`,
		"prompts/implement.md": "x", "empty.md": " \n", "large.md": strings.Repeat("x", config.MaxBytes+1),
	})
	_, err := Make(request(dir))
	wantError(t, err,
		`mulligan.yaml:2:8: agent: the built-in agent "claude" is not supported yet (Claude Code)`,
		`mulligan.yaml:4:39: agents.a.env[0]: "A=b" is not the name of an environment variable`,
		`agents.a.env[1]: "9" is not`, `agents.a.env[2]: "*" is not`,
		`mulligan.yaml:5:31: agents.p.script: the file gone.yaml does not exist`,
		`mulligan.yaml:6:1: unknown: unknown key`,
		"mulligan.yaml:9:26: pipelines.default[0].agent: there is no agent \"bb\"",
		"pipelines.default[0].prompt_file: the file prompts/implment.md does not exist\n", "did you mean implement.md?",
		`pipelines.default[0].feedback_file: the file empty.md is empty`,
		`pipelines.default[1].name: two steps are called "one", the first in line 9`,
		`pipelines.default[1].agent: the built-in agent "scripted" needs options`,
		`pipelines.default[1].slash: "../../secret" is not a command's name`,
		`pipelines.default[2].name: "not a name" is not a step's name`,
		`pipelines.default[2].slash: the step has a prompt already`,
		`pipelines.default[2].slash: the file .claude/commands/nowhere.md does not exist`,
		`pipelines.default[3].prompt_file: the file large.md is larger than 1 MiB`,
		`pipelines.default[4].prompt_file: the file prompts is a folder, not a file`,
		`default_pipeline: there is no pipeline "defautl"`, `did you mean "default"?`,
		`git.message: {{ opens what is neither`,
		`workspace.copy[0]: "../x" is not a path inside the repository`,
	)
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) != 21 {
		t.Errorf("%d mistakes, want 21:\n%v", len(mistakes), err)
	}
	for _, m := range mistakes {
		if m.Line == 0 || m.Source == "" {
			t.Errorf("a mistake has no place: %v", m)
		}
	}
	if _, err := All(request(dir)); err == nil {
		t.Error("a look at all pipelines finds no mistakes")
	}
}

func TestNothingToRun(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\nloop: {check: x}\nagent: a\nagents: {a: {type: program, exec: [x]}}\n": "mulligan.yaml:1:1: pipelines: there are no pipelines",
		"version: 1\n":                                        "mulligan.yaml:1:1: pipelines: there are no pipelines",
		"version: 1\npipelines: {}\n":                         "mulligan.yaml:2:12: pipelines: there are no pipelines",
		"version: 1\npipelines: {a: []}\n":                    "mulligan.yaml:2:16: pipelines.a: the list is empty: it needs a step",
		"version: 1\npipelines: {a: [{name: s}]}\n":           "mulligan.yaml:1:1: agent: no agent is named: add agent: NAME, and define NAME under agents",
		frame + "  p: [{name: s, agent: nobody}]\n":           `agent: there is no agent "nobody"`,
		"version: 1\nagent: a\npipelines: {a: [{name: s}]}\n": "define it: agents: {a: {type: program, exec: [COMMAND]}}",
	} {
		_, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": text})))
		wantError(t, err, want)
		if n := strings.Count(err.Error(), "mulligan.yaml:"); n != 1 {
			t.Errorf("%d mistakes for one:\n%v", n, err)
		}
	}
}

// C3: a flag names the agent of steps that name none.
func TestAgentFlag(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": "version: 1\nagent: a\nagents: {a: {type: program, exec: [x]}, b: {type: program, exec: [y]}}\npipelines: {p: [{name: one}, {name: two, agent: a}]}\n"})
	p, err := Make(request(dir, config.FlagSetting("agent", "b", "agent")))
	if err != nil {
		t.Fatal(err)
	}
	if p.Steps[0].Agent != "b" || p.Steps[1].Agent != "a" || len(p.Agents) != 2 {
		t.Errorf("steps %v, agents %v", p.Steps, p.Agents)
	}
	_, err = Make(request(dir, config.FlagSetting("agent", "c", "agent")))
	wantError(t, err, "flag --agent: agent: there is no agent \"c\"\n    --agent=c\n            ^")
}

// L4, J6: pauses and questions from flags and config.
func TestPeople(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": frame + "  p: [{name: build}, {name: test}]\nask_timeout: 30\non_question: stop\nlimits: {final_timeout: 90s}\n"})
	r := request(dir)
	r.Ask, r.PauseAfter = true, "test"
	p, err := Make(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := (mulligan.People{Ask: true, AskTimeout: 30 * time.Second, OnQuestion: "stop"}); p.People != want || p.PauseAfter != "test" || p.Limits.FinalTimeout != 90*time.Second {
		t.Errorf("people %+v, pause after %q, limits %+v", p.People, p.PauseAfter, p.Limits)
	}
	r.PauseAfter = "biuld"
	p, err = Make(r)
	wantError(t, err, `there is no step "biuld" in pipeline p; did you mean "build"? there is build, test`)
	wantUsage(t, err)
	if p != nil {
		t.Error("there is a plan beside the error")
	}
}

func TestAll(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": frame + "  z: [{name: s}]\n  b: [{name: s}]\n"})
	plans, err := All(request(dir))
	if err != nil || len(plans) != 2 || plans[0].Pipeline != "z" || plans[1].Pipeline != "b" {
		t.Errorf("got %v, %v", plans, err)
	}
}

func TestBounds(t *testing.T) {
	p := &mulligan.Plan{
		Steps: []mulligan.Step{
			{Name: "plan"},
			{Name: "implement", Retry: 3, Checks: make([]mulligan.CheckSpec, 1), Timeout: time.Hour},
		},
		Limits: mulligan.Limits{Turns: 30, Duration: 2 * time.Hour, FailedIterations: 3},
	}
	want := []string{
		"at most 1 turn in step plan, and 2 more before each where the agent itself fails (limits.failed_iterations: 3)",
		"step plan has no check: its outcome will be accepted, not verified",
		"at most 4 turns in step implement, and 2 more before each where the agent itself fails (limits.failed_iterations: 3)",
		"at most 1h in step implement, all attempts together",
		"at most 30 turns in all",
		"at most 2h of turns and checks in all",
	}
	if got := Bounds(p); !reflect.DeepEqual(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}
