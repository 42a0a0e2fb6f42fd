package plan

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mulligan"
	"mulligan/config"
)

func TestInit(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string
		kind   string
		checks []string
		notes  int // besides the one about the agent
	}{
		{"nothing", nil, "", []string{"./run-tests.sh"}, 1},
		{"go", map[string]string{"go.mod": "module x"}, "a Go module", []string{"go vet ./...", "go test ./..."}, 0},
		{"go with make", map[string]string{"go.mod": "module x", "Makefile": "all:\n\ntest: build\n\tgo test\n"}, "a Go module", []string{"make test"}, 0},
		{"make without test", map[string]string{"Makefile": "TEST := test:\nx = 1\nbuild:\n\ttest: x\n"}, "", []string{"./run-tests.sh"}, 1},
		{"make", map[string]string{"Makefile": "lint test: x\n"}, "a project with a Makefile", []string{"make test"}, 0},
		{"npm", map[string]string{"package.json": `{"scripts": {"test": "jest", "lint": "eslint ."}}`}, "a Node package", []string{"npm test"}, 0},
		{"pnpm", map[string]string{"package.json": `{"scripts": {"test": "vitest"}, "devDependencies": {"typescript": "5"}}`, "pnpm-lock.yaml": "", "tsconfig.json": "{}"}, "a Node package", []string{"pnpm exec tsc --noEmit", "pnpm test"}, 0},
		{"yarn", map[string]string{"package.json": `{"scripts": {"test": "x"}}`, "yarn.lock": ""}, "a Node package", []string{"yarn test"}, 0},
		{"bun", map[string]string{"package.json": `{"scripts": {"test": "x"}, "packageManager": "bun@1.2"}`}, "a Node package", []string{"bun run test"}, 0},
		{"npm without tests", map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, "a Node package", []string{"./run-tests.sh"}, 2},
		{"damaged package", map[string]string{"package.json": `{`}, "a Node package", []string{"./run-tests.sh"}, 2},
		{"rust", map[string]string{"Cargo.toml": ""}, "a Rust crate", []string{"cargo test"}, 0},
		{"python", map[string]string{"pyproject.toml": ""}, "a Python project", []string{"python -m pytest"}, 0},
		{"uv", map[string]string{"pyproject.toml": "", "uv.lock": ""}, "a Python project", []string{"uv run pytest"}, 0},
		{"pytest", map[string]string{"pytest.ini": ""}, "a Python project", []string{"python -m pytest"}, 0},
		{"maven", map[string]string{"pom.xml": "", "mvnw": ""}, "a Maven project", []string{"./mvnw -q verify"}, 0},
		{"gradle", map[string]string{"build.gradle.kts": ""}, "a Gradle project", []string{"gradle check"}, 0},
		{"ruby", map[string]string{"Gemfile": "", ".rspec": ""}, "a Ruby project", []string{"bundle exec rspec"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := workplace(t, tt.files)
			start := begin(t, dir)
			if start.Kind != tt.kind || len(start.Notes) != tt.notes+1 {
				t.Errorf("kind %q, notes %q", start.Kind, start.Notes)
			}
			r := request(dir)
			p, err := Make(r)
			if err != nil {
				t.Fatalf("what init writes is not right: %v", err)
			}
			step := p.Steps[0]
			if step.Name != "implement" || step.Retry != 3 || step.Agent != "coder" {
				t.Errorf("the step is %+v", step)
			}
			if got := r.Config.Get("pipelines", "default").List()[0].Get("check").Strings(); !reflect.DeepEqual(got, tt.checks) {
				t.Errorf("the checks are %q, want %q", got, tt.checks)
			}
			for _, c := range tt.checks {
				if !strings.Contains(step.Prompt, "`"+c+"`") {
					t.Errorf("the prompt does not name %s", c)
				}
			}
			if _, _, err := ReadTask(filepath.Join(dir, "tasks", "example.md")); err != nil {
				t.Error(err)
			}
		})
	}
}

func begin(t *testing.T, dir string) Start {
	t.Helper()
	start, err := Init(dir, config.NewSchema(testCatalog()).JSON())
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
	begin(t, dir)
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
	dir := workplace(t, map[string]string{"mulligan.yaml": "mine", "tasks/example.md": "mine too"})
	start := begin(t, dir)
	var kept []string
	for _, f := range start.Files {
		if f.Exists {
			kept = append(kept, f.Path)
		}
	}
	if want := []string{"mulligan.yaml", "tasks/example.md"}; !reflect.DeepEqual(kept, want) {
		t.Errorf("kept %q", kept)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "mulligan.yaml")); string(text) != "mine" {
		t.Errorf("it was overwritten: %s", text)
	}
	// A file that came between the look and the writing is a person's too.
	fresh := t.TempDir()
	start, err := Init(fresh, nil)
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
	dir := workplace(t, map[string]string{"Cargo.toml": ""})
	begin(t, dir)
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
		case strings.HasPrefix(rest, "exec:"): // one of several: it replaces the one before
			lines = append(lines[:len(lines)-1], indent+rest)
		default:
			lines = append(lines, indent+rest)
		}
		offered++
	}
	return lines, offered
}
