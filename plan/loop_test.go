package plan

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/config"
)

// loopFrame is a config of one agent and no pipeline.
const loopFrame = "version: 1\nagent: a\nagents: {a: {type: program, exec: [x]}}\n"

func loopRequest(dir string) LoopRequest {
	r := request(dir)
	return LoopRequest{Config: r.Config, Catalog: r.Catalog, Root: dir, Spec: mulligan.Task{Path: filepath.Join(dir, "specs", "todo app.md"), Text: "the spec"}}
}

func loopOf(t *testing.T, yaml string, files map[string]string, change func(*LoopRequest)) (*mulligan.Plan, error) {
	t.Helper()
	all := map[string]string{"mulligan.yaml": loopFrame + yaml}
	for name, text := range files {
		all[name] = text
	}
	r := loopRequest(workplace(t, all))
	if change != nil {
		change(&r)
	}
	return MakeLoop(r)
}

// L1, L3: the plan of a loop is one step, its final checks after the others.
func TestMakeLoop(t *testing.T) {
	p, err := loopOf(t, `loop:
  iterations: 7
  prompt_file: prompts/each.md
  check: [make lint, {type: shell, name: red, command: make red, expect: fail}]
  final_check: {type: shell, name: all, command: make e2e, timeout: 1h}
limits: {duration: 8h}
`, map[string]string{"prompts/each.md": "Do what {{.Spec}} says.\n"}, func(r *LoopRequest) { r.Ask, r.Merge = true, true })
	if err != nil {
		t.Fatal(err)
	}
	want := []mulligan.Step{{Name: "todo-app", Agent: "a", Checks: []mulligan.CheckSpec{
		{Name: "title", Type: "shell", Options: json.RawMessage(`{"command":"make lint"}`)},
		{Name: "red", Type: "shell", Options: json.RawMessage(`{"command":"make red"}`), Inverted: true},
		{Name: "all", Type: "shell", Timeout: time.Hour, Options: json.RawMessage(`{"command":"make e2e"}`), Final: true},
	}}}
	if !reflect.DeepEqual(p.Steps, want) {
		t.Errorf("the steps are %+v", p.Steps)
	}
	if *p.Loop != (mulligan.Loop{Iterations: 7, Prompt: "Do what {{.Spec}} says."}) || p.Pipeline != "loop" || p.Task != (mulligan.Task{Path: "specs/todo app.md", Text: "the spec"}) {
		t.Errorf("the plan is %+v, its loop %+v", p, p.Loop)
	}
	if !p.People.Ask || !p.Git.Merge || p.Limits.Duration != 8*time.Hour || p.Agents["a"].Type != "program" || p.Notes != nil {
		t.Errorf("the plan is %+v", p)
	}
}

// A config without a loop is fine: 20 iterations, and nothing to verify them.
func TestLoopByDefault(t *testing.T) {
	p, err := loopOf(t, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Loop.Iterations != 20 || len(p.Notes) != 1 || p.Notes[0] != "the loop has no check: its completion will be accepted, not verified" {
		t.Errorf("the loop is %+v, notes %q", p.Loop, p.Notes)
	}
	p, err = loopOf(t, "loop: {final_check: make e2e}\n", nil, nil)
	if err != nil || p.Notes != nil || p.Loop.Iterations != 20 {
		t.Errorf("with a final check alone: %+v, %v", p, err)
	}
}

func TestLoopMistakes(t *testing.T) {
	for yaml, want := range map[string]string{
		"loop: {iterations: 0}\n":                     "mulligan.yaml:4:20: loop.iterations: 0 is no limit, and nothing else limits the loop\n    loop: {iterations: 0}\n                       ^\n    set limits.duration or limits.turns, or a number of iterations",
		"loop: {prompt_file: gone.md}\n":              "mulligan.yaml:4:21: loop.prompt_file: the file gone.md does not exist",
		"loop: {prompt_file: bad.md}\n":               "mulligan.yaml:4:21: loop.prompt_file: the file bad.md is not a template of a prompt: ",
		"loop: {prompt_file: empty.md}\n":             "loop.prompt_file: the file empty.md is empty",
		"loop: {check: {type: nothing}}\n":            `loop.check.type: "nothing" is not one of none, file_exists, shell`,
		"hooks: {on_error: [{command: x, dir: /}]}\n": "hooks.on_error[0].dir",
		// Mistakes of what a loop does not use are mistakes of the config still.
		"pipelines: {p: [{name: a, agent: b}]}\n": `pipelines.p[0].agent: there is no agent "b"`,
		"default_pipeline: x\n":                   `default_pipeline: there is no pipeline "x"`,
	} {
		files := map[string]string{"bad.md": "{{.NoSuchThing}}", "empty.md": "\n"}
		_, err := loopOf(t, yaml, files, nil)
		wantError(t, err, want)
		if err != nil && strings.Count(err.Error(), "mulligan.yaml:") != 1 {
			t.Errorf("more than one mistake:\n%v", err)
		}
		// A pipeline of the same file is not run either.
		dir := workplace(t, map[string]string{"mulligan.yaml": loopFrame + yaml, "bad.md": files["bad.md"], "empty.md": "\n"})
		if _, err := All(request(dir)); err == nil {
			t.Errorf("%q is right for validate", yaml)
		}
	}
}

// L1: no limit of iterations needs another limit.
func TestLoopLimits(t *testing.T) {
	none, five, less := 0, 5, -1
	tests := []struct {
		yaml string
		flag *int
		want int
		err  string
	}{
		{"loop: {iterations: 0}\nlimits: {turns: 5}\n", nil, 0, ""},
		{"loop: {iterations: 0}\nlimits: {duration: 1h}\n", nil, 0, ""},
		{"loop: {iterations: 0}\n", &five, 5, ""},
		{"loop: {iterations: 3}\n", &five, 5, ""},
		{"limits: {turns: 5}\n", &none, 0, ""},
		{"", &none, 0, "a loop of 0 iterations has no limit at all; set limits.duration or limits.turns"},
		{"limits: {failed_iterations: 2}\n", &none, 0, "has no limit at all"},
		{"", &less, 0, "-1 iterations are less than none"},
	}
	for _, tt := range tests {
		p, err := loopOf(t, tt.yaml, nil, func(r *LoopRequest) { r.Iterations = tt.flag })
		switch {
		case tt.err != "":
			wantError(t, err, tt.err)
			wantUsage(t, err)
		case err != nil:
			t.Errorf("%q: %v", tt.yaml, err)
		case p.Loop.Iterations != tt.want:
			t.Errorf("%q: %d iterations, want %d", tt.yaml, p.Loop.Iterations, tt.want)
		}
	}
}

func TestLoopName(t *testing.T) {
	for path, want := range map[string]string{
		"Spec.md": "Spec", "specs/todo app (v2).md": "todo-app-v2", "a_b-c.txt": "a_b-c", "ünïcode.md": "n-code", "日本.md": "loop", "": "loop",
		"--x--.md": "x", strings.Repeat("long ", 20) + ".md": "long-long-long-long-long-long-long-long", ".md": "loop", "v1.2 plan.md": "v1-2-plan",
	} {
		p, err := loopOf(t, "", nil, func(r *LoopRequest) { r.Spec.Path = path })
		if err != nil || p.Steps[0].Name != want {
			t.Errorf("%q: got %+v, %v, want %q", path, p, err, want)
		}
	}
	p, err := loopOf(t, "", nil, func(r *LoopRequest) { r.Name = "night_1" })
	if err != nil || p.Steps[0].Name != "night_1" {
		t.Errorf("got %+v, %v", p, err)
	}
	_, err = loopOf(t, "", nil, func(r *LoopRequest) { r.Name = "a/b" })
	wantError(t, err, `"a/b" is not a session's name; use letters, digits, _ and -`)
	wantUsage(t, err)
}

func TestSpecMistakes(t *testing.T) {
	_, err := loopOf(t, "", nil, func(r *LoopRequest) { r.Spec = mulligan.Task{Path: "spec.md", Text: " \n"} })
	wantError(t, err, "the spec spec.md is empty; write in it")
	wantUsage(t, err)
	v, _ := config.DecodePart(frontType(), "spec.md", "spec.md", 2, []byte("pipeline: quick\n"))
	_, err = loopOf(t, "", nil, func(r *LoopRequest) { r.Front.Pipeline = v.Get("pipeline") })
	wantError(t, err, "spec.md:2:11: pipeline: a loop has no pipeline")
	dir := workplace(t, map[string]string{"empty.md": "---\n---\n", "odd.md": "---\npipelin: x\n---\ny\n"})
	_, _, err = ReadSpec(filepath.Join(dir, "empty.md"), "empty.md")
	wantError(t, err, "the spec empty.md is empty")
	_, _, err = ReadSpec(filepath.Join(dir, "odd.md"), "odd.md")
	wantError(t, err, "odd.md:2:1: pipelin: unknown key")
	_, _, err = ReadSpec(filepath.Join(dir, "none.md"), "none.md")
	wantError(t, err, "the spec none.md does not exist")
	wantUsage(t, err)
}

// A config of a loop alone is right, and a look at it finds the loop.
func TestAllWithLoop(t *testing.T) {
	plans, err := All(request(workplace(t, map[string]string{"mulligan.yaml": loopFrame + "loop: {check: make test}\n"})))
	if err != nil || len(plans) != 1 || plans[0].Loop == nil || plans[0].Steps[0].Name != "loop" {
		t.Fatalf("got %+v, %v", plans, err)
	}
	plans, err = All(request(workplace(t, map[string]string{"mulligan.yaml": frame + "  z: [{name: s}]\nloop: {}\n"})))
	if err != nil || len(plans) != 2 || plans[0].Loop != nil || plans[1].Loop == nil {
		t.Errorf("got %+v, %v", plans, err)
	}
}
