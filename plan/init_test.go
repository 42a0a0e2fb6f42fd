package plan

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/config"
)

func TestInit(t *testing.T) {
	tests := []struct {
		name   string
		choice Choice
		agent  string // "": none is named
		lines  []string
	}{
		{"all", Choice{Checks: []string{"go vet ./...", "go test ./..."}, Agent: "coder", Others: []string{"codex", "aider"}, Retry: 3}, "coder", []string{"# Installed here too: codex, aider."}},
		{"what may fit", Choice{Checks: []string{"pytest"}, Maybe: []string{"ruff check ."}, Agent: "coder", Retry: 1}, "coder", []string{"        # - ruff check ."}},
		{"to be quoted", Choice{Checks: []string{"cd 'a b' && make test: x # no"}, Agent: "coder"}, "coder", nil},
		{"that YAML reads otherwise", Choice{Checks: []string{"true", "a\nb", "x ", "-x", "1", "~", ".5", "a: b", "yes", "No"}, Agent: "coder"}, "coder", nil},
		{"no check", Choice{Agent: "coder", Retry: 3}, "coder", []string{"      #   - make test"}},
		{"no agent", Choice{Checks: []string{"make test"}, Retry: 3}, "", []string{"#agent: claude  # or codex, gemini, opencode, aider"}},
		{"the user's own agent", Choice{Checks: []string{"make test"}, OwnAgent: true, Retry: 3}, "", []string{"#agent: claude"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			begin(t, dir, tt.choice)
			text, err := os.ReadFile(filepath.Join(dir, "mulligan.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range tt.lines {
				if !strings.Contains(string(text), line+"\n") {
					t.Errorf("%q is not in\n%s", line, text)
				}
			}
			if tt.agent != "" {
				defineCoder(t, dir)
			}
			r := request(dir)
			p, err := Make(r)
			if tt.agent == "" {
				if err == nil || !strings.Contains(err.Error(), "no agent is named") {
					t.Errorf("without an agent it is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatalf("what init writes is not right: %v", err)
			}
			step := p.Steps[0]
			if step.Name != "implement" || step.Retry != tt.choice.Retry || step.Agent != tt.agent {
				t.Errorf("the step is %+v", step)
			}
			if got := r.Config.Get("pipelines", "default").List()[0].Get("check").Strings(); !slices.Equal(got, tt.choice.Checks) {
				t.Errorf("the checks are %q, want %q", got, tt.choice.Checks)
			}
			if got := strings.Contains(step.Prompt, "run the checks yourself: `"+strings.Join(tt.choice.Checks, "`, `")+"`."); got != (len(tt.choice.Checks) > 0) {
				t.Errorf("the prompt is %s", step.Prompt)
			}
			if _, _, err := ReadTask(filepath.Join(dir, "tasks", "_example.md"), "_example.md"); err != nil {
				t.Error(err)
			}
			if tasks, err := Tasks(filepath.Join(dir, "tasks")); err != nil || len(tasks) != 0 {
				t.Errorf("the folder's tasks are %q, %v: the example is not one", tasks, err)
			}
		})
	}
}

// defineCoder takes the agent that the config offers in comments.
func defineCoder(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "mulligan.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defined := strings.NewReplacer("#agents:\n", "agents:\n", "#  coder:\n", "  coder:\n", "#    type: program\n", "    type: program\n", "#    exec:", "    exec:").Replace(string(text))
	if err := os.WriteFile(path, []byte(defined), 0o644); err != nil {
		t.Fatal(err)
	}
}

func begin(t *testing.T, dir string, choice Choice) Start {
	t.Helper()
	start, err := Init(dir, config.NewSchema(testCatalog()).JSON(), choice)
	if err != nil {
		t.Fatal(err)
	}
	if err := start.Write(dir); err != nil {
		t.Fatal(err)
	}
	return start
}

// C4: the config refers to a schema, and that file is there.
func TestInitRefersToSchema(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, Choice{})
	text, err := os.ReadFile(filepath.Join(dir, "mulligan.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	path, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
	if !ok {
		t.Fatalf("the first line is %q", first)
	}
	if _, err := os.Stat(filepath.Join(dir, path)); err != nil {
		t.Error(err)
	}
}

func TestInitOverwritesNothing(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": "mine", "tasks/_example.md": "mine too"})
	start := begin(t, dir, Choice{})
	var kept []string
	for _, f := range start.Files {
		if f.Exists {
			kept = append(kept, f.Path)
		}
	}
	if want := []string{"mulligan.yaml", "tasks/_example.md"}; !reflect.DeepEqual(kept, want) {
		t.Errorf("kept %q", kept)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "mulligan.yaml")); string(text) != "mine" {
		t.Errorf("it was overwritten: %s", text)
	}
	// A file that came between the look and the writing is a person's too.
	fresh := t.TempDir()
	start, err := Init(fresh, nil, Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(fresh, "mulligan.yaml"), []byte("quick"), 0o644); err != nil {
		t.Fatal(err)
	}
	if start.Write(fresh) == nil {
		t.Error("a file that came meanwhile was overwritten")
	}
}

// What the config offers in comments must be right too, once it is taken.
func TestInitComments(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, Choice{Checks: []string{"cargo test"}, Maybe: []string{"cargo clippy -- -D warnings"}, Agent: "coder", Retry: 3})
	path := filepath.Join(dir, "mulligan.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, offered := uncommented(string(text))
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	r := request(dir)
	p, err := Make(r)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, strings.Join(lines, "\n"))
	}
	if offered < 26 || len(p.Steps) != 2 || len(p.Steps[0].Checks) != 2 || p.Limits.Turns != 50 {
		t.Errorf("%d lines taken: %+v", offered, p)
	}
	if len(p.Hooks) != 4 || !p.Hooks[mulligan.PostIteration][0].Pipe || p.Hooks[mulligan.PostIteration][0].When != mulligan.OnSuccess {
		t.Errorf("the hooks are %+v", p.Hooks)
	}
	loop, err := MakeLoop(LoopRequest{Config: r.Config, Catalog: r.Catalog, Root: dir, Spec: r.Task})
	if err != nil || loop.Loop.Iterations != 20 || len(loop.Steps[0].Checks) != 2 || loop.Notes != nil {
		t.Errorf("the loop is %+v, %v", loop, err)
	}
}

// uncommented takes what a config offers in comments: indented keys behind "# ", and at the
// left edge whole examples behind a bare #.
func uncommented(text string) (lines []string, offered int) {
	example := false
	for _, line := range strings.Split(text, "\n") {
		prose := strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "#  ")
		example = strings.HasPrefix(line, "#") && !prose && (example || len(line) > 1 && line[1] != ' ')
		indent, rest, found := strings.Cut(line, "# ")
		word, _, _ := strings.Cut(rest, ":")
		switch {
		case example:
			lines = append(lines, line[1:])
		case !found || indent == "" || strings.TrimSpace(indent) != "" || strings.Contains(strings.TrimSpace(word), " step "):
			lines = append(lines, line)
			continue
		default:
			lines = append(lines, indent+rest)
		}
		offered++
	}
	return lines, offered
}
