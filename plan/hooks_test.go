package plan

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/config"
)

func hooksOf(t *testing.T, yaml string) (*mulligan.Plan, error) {
	t.Helper()
	return Make(request(workplace(t, map[string]string{"mulligan.yaml": frame + "  p: [{name: s, check: x}]\nhooks:\n" + yaml})))
}

// H1: the plan has the config's hooks.
func TestHooks(t *testing.T) {
	p, err := hooksOf(t, `  session_start:
    - command: go build ./...
      timeout: 60
      pipe_output: true
  post_iteration:
    - {name: tests, command: go test ./..., timeout: 2m, pipe_output: true, when: failure, deliver: now, env: {A: "1", B: ""}, dir: ./src/}
    - {command: "true", when: always, deliver: next, dir: .}
  session_end:
    - {command: "true", when: success}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[mulligan.Moment][]mulligan.HookSpec{
		mulligan.SessionStart: {{Name: "go build ./...", Command: "go build ./...", Script: "go build ./...", Timeout: time.Minute, Pipe: true}},
		mulligan.PostIteration: {
			{
				Name: "tests", Command: "go test ./...", Script: "go test ./...", Timeout: 2 * time.Minute, Pipe: true,
				When: mulligan.OnFailure, Now: true, Env: map[string]string{"A": "1", "B": ""}, Dir: "src",
			},
			{Name: "true", Command: "true", Script: "true", Timeout: 30 * time.Second},
		},
		mulligan.SessionEnd: {{Name: "true", Command: "true", Script: "true", Timeout: 30 * time.Second, When: mulligan.OnSuccess}},
	}
	if !reflect.DeepEqual(p.Hooks, want) {
		t.Errorf("got:\n%+v\nwant:\n%+v", p.Hooks, want)
	}
}

// The table of the config and the vocabulary name the same moments, and every one is planned.
func TestEveryMoment(t *testing.T) {
	var yaml strings.Builder
	for _, m := range mulligan.Moments() {
		yaml.WriteString("  " + string(m) + `: [{command: "echo '{{session}}'"}]` + "\n")
	}
	p, err := hooksOf(t, yaml.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mulligan.Moments() {
		h := p.Hooks[m]
		if len(h) != 1 || h[0].Command != "echo '{{session}}'" || strings.Contains(h[0].Script, "{{") || !strings.Contains(h[0].Script, "MULLIGAN_SESSION") {
			t.Errorf("%s: %+v", m, h)
		}
	}
}

// H1, H2: every mistake in its place.
func TestHookMistakes(t *testing.T) {
	_, err := hooksOf(t, `  session_start:
    - {command: x, timeout: 0}
    - {command: "echo {{iteration}}"}
    - {command: "echo 'open"}
    - {command: x, dir: ../up, env: {A-B: x, "C*": x, MULLIGAN_SESSION: x, mulligan_x: x, "9": x, Z: "a\0b"}}
    - {command: x, dir: /tmp}
  post_iteration:
    - {command: x, deliver: now}
    - {command: "echo {{eror}}"}
    - {command: x, timeout: 0s, pipe_output: true, deliver: now}
  on_task_complete:
    - {command: "echo {{error}}", when: success}
    - command: |
        make
          {{iteration}}
`)
	wantError(t, err,
		"mulligan.yaml:8:29: hooks.session_start[0].timeout: a hook needs a time to end in: leave the key out for 30s",
		"mulligan.yaml:9:23: hooks.session_start[1].command: session_start has no {{iteration}}",
		"mulligan.yaml:10:23: hooks.session_start[2].command: the shell cannot read the command",
		`mulligan.yaml:11:25: hooks.session_start[3].dir: "../up" is not a path inside the workspace`,
		`mulligan.yaml:11:43: hooks.session_start[3].env.A-B: "A-B" is not the name of an environment variable`,
		`env.C*: "C*" is not the name`, `env.9: "9" is not the name`, "env.Z: has a zero byte",
		"env.MULLIGAN_SESSION: names that begin with MULLIGAN_ are mulligan's own", "env.mulligan_x: names that begin",
		`mulligan.yaml:12:25: hooks.session_start[4].dir: "/tmp" is not a path inside the workspace`,
		"mulligan.yaml:14:29: hooks.post_iteration[0].deliver: the agent gets nothing of this hook", "add pipe_output: true",
		"mulligan.yaml:15:23: hooks.post_iteration[1].command: there is no variable {{eror}}",
		"mulligan.yaml:16:29: hooks.post_iteration[2].timeout: a hook needs a time",
		"mulligan.yaml:18:23: hooks.on_task_complete[0].command: on_task_complete has no {{error}}",
		"mulligan.yaml:18:35: hooks.on_task_complete[0].when: not a key of a hook here", "it may stand at post_iteration and session_end",
		"mulligan.yaml:21:11: hooks.on_task_complete[1].command: on_task_complete has no {{iteration}}",
	)
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) != 17 {
		t.Errorf("%d mistakes, want 17:\n%v", len(mistakes), err)
	}
}

func TestHookNames(t *testing.T) {
	for command, want := range map[string]string{
		"make":                  "make",
		"\n  make  \n\n":        "make",
		"make \\\n  test":       "make \\ …",
		strings.Repeat("é", 60): strings.Repeat("é", 60),
		strings.Repeat("é", 61): strings.Repeat("é", 58) + " …",
	} {
		p, err := hooksOf(t, "  on_error:\n    - command: "+quotedYAML(command)+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Hooks[mulligan.OnError][0]; got.Name != want || got.Command != command {
			t.Errorf("%q is called %q, want %q", got.Command, got.Name, want)
		}
	}
}

func quotedYAML(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(s) + `"`
}

func TestHookNotesAndLines(t *testing.T) {
	p, err := hooksOf(t, `  session_end:
    - {name: bye, command: "true", pipe_output: true, timeout: 1m}
  on_error:
    - {command: cat log, pipe_output: true}
  post_iteration:
    - {command: lint, pipe_output: true, deliver: now, when: failure, dir: src}
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], `session_end hook "bye": pipe_output does nothing there`) {
		t.Errorf("the notes are %q", p.Notes)
	}
	want := []string{
		"post_iteration: lint (at most 30s, on failure, its output goes to the agent at once, in src)",
		"on_error: cat log (at most 30s, its output goes to the agent)",
		"session_end: bye (at most 1m)",
	}
	if got := HookLines(p); !reflect.DeepEqual(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	bounds := []string{
		"at most 1 turn in step s, and 2 more before each where the agent itself fails (limits.failed_iterations: 3)",
		"one more turn in each iteration for hooks that deliver now",
		"one more turn after each turn that failed, for the output of on_error hooks",
		"one more turn at the end for what is still pending, of at most 5m",
	}
	if got := Bounds(p); !reflect.DeepEqual(got, bounds) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	p.Loop, p.Limits.FinalTimeout = &mulligan.Loop{Iterations: 20}, 0
	bounds[0], bounds[3] = "at most 20 iterations of one turn each", "one more turn at the end for what is still pending"
	if got := Bounds(p); !reflect.DeepEqual(got, bounds) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	p.Loop.Iterations = 0
	if got := Bounds(p)[0]; got != "as many iterations of one turn each as the limits below allow" {
		t.Errorf("got %s", got)
	}
}
