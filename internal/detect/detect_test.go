package detect

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// layOut makes a folder with files. The name of a file that may be executed ends in *.
func layOut(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		name, program := strings.CutSuffix(name, "*")
		mode := os.FileMode(0o644)
		if program {
			mode = 0o755
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const testedPackage = `{"scripts": {"test": "node --test"}}`

func TestInspect(t *testing.T) {
	pytests := []string{"pytest", "python3 -m pytest", "python -m pytest"}
	for _, tt := range []struct {
		name  string
		files map[string]string
		kind  string
		want  [][]string
	}{
		{"nothing", nil, "", nil},
		{"go", map[string]string{"go.mod": "module x"}, "a Go module", [][]string{{"go vet ./..."}, {"go test ./..."}}},
		{
			"go workspace",
			map[string]string{"go.work": "go 1.25\nuse ./a\nuse (\n\t./b c // second\n\t./lib\n\t../out\n)\n", "a/go.mod": "", "lib/go.mod": ""},
			"a Go workspace",
			[][]string{{"go vet ./a/... ./lib/..."}, {"go test ./a/... ./lib/..."}},
		},
		{"make without test", map[string]string{"Makefile": "TEST := test:\nx = 1\nbuild:\n\ttest: x\n"}, "", nil},
		{"npm", map[string]string{"package.json": testedPackage}, "a Node package", [][]string{{"npm test"}}},
		{"npm without tests", map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, "a Node package", nil},
		{"damaged package", map[string]string{"package.json": `{`}, "a Node package", nil},
		{
			"typescript",
			map[string]string{"package.json": `{"scripts": {"test": "jest"}, "devDependencies": {"typescript": "5"}}`, "tsconfig.json": "{}"},
			"a Node package",
			[][]string{{"npx --no-install tsc --noEmit"}, {"npm test"}},
		},
		{"pnpm", map[string]string{"package.json": testedPackage, "pnpm-lock.yaml": ""}, "a Node package", [][]string{{"pnpm test", "npm test"}}},
		{"yarn", map[string]string{"package.json": testedPackage, "yarn.lock": ""}, "a Node package", [][]string{{"yarn test", "npm test"}}},
		{"yarn plug'n'play", map[string]string{"package.json": testedPackage, "yarn.lock": "", ".pnp.cjs": ""}, "a Node package", [][]string{{"yarn test"}}},
		{"bun's own runner", map[string]string{"package.json": `{}`, "bun.lock": "", "sum.test.ts": ""}, "a Node package", [][]string{{"bun test"}}},
		{"bun's own runner, nothing installed", map[string]string{"package.json": `{"devDependencies": {"@types/bun": "latest"}}`, "src/sum_test.tsx": ""}, "a Node package", [][]string{{"bun test"}}},
		{"bun without tests", map[string]string{"package.json": `{}`, "bun.lock": "", "sum.ts": ""}, "a Node package", nil},
		{"bun", map[string]string{"package.json": `{"scripts": {"test": "x"}, "packageManager": "bun@1.2"}`}, "a Node package", [][]string{{"bun run test", "npm test"}}},
		{"declared npm", map[string]string{"package.json": `{"scripts": {"test": "x"}, "packageManager": "npm@10"}`, "yarn.lock": ""}, "a Node package", [][]string{{"npm test"}}},
		{"deno", map[string]string{"deno.json": "{}"}, "a Deno project", [][]string{{"deno test"}}},
		{"deno task", map[string]string{"deno.jsonc": "{ // ours\n\"tasks\": {\"test\": \"deno test -A\"}}"}, "a Deno project", [][]string{{"deno task test"}}},
		{"rust", map[string]string{"Cargo.toml": "[package]"}, "a Rust crate", [][]string{{"cargo test"}}},
		{"rust workspace", map[string]string{"Cargo.toml": "[workspace]\nmembers = [\"crates/*\"]", "crates/a/Cargo.toml": ""}, "a Rust workspace", [][]string{{"cargo test --workspace"}}},
		{"python", map[string]string{"pyproject.toml": ""}, "a Python project", [][]string{pytests}},
		{
			"unittest",
			map[string]string{"test_sum.py": "import unittest"},
			"a Python project",
			[][]string{append(pytests[:3:3], "python3 -m unittest discover", "python -m unittest discover")},
		},
		{
			"unittest in a folder",
			map[string]string{"tests/test_sum.py": "import unittest"},
			"a Python project",
			[][]string{append(pytests[:3:3], "python3 -m unittest discover -s tests", "python -m unittest discover -s tests")},
		},
		{
			"unittest in a package",
			map[string]string{"tests/test_sum.py": "import unittest", "tests/__init__.py": ""},
			"a Python project",
			[][]string{append(pytests[:3:3], "python3 -m unittest discover", "python -m unittest discover")},
		},
		{
			"venv",
			map[string]string{"pyproject.toml": "", ".venv/bin/python*": ""},
			"a Python project",
			[][]string{append([]string{".venv/bin/pytest", ".venv/bin/python -m pytest"}, pytests...)},
		},
		{"uv", map[string]string{"pyproject.toml": "pytest", "uv.lock": ""}, "a Python project", [][]string{append([]string{"uv run pytest"}, pytests...)}},
		{"uv without pytest", map[string]string{"pyproject.toml": "", "uv.lock": ""}, "a Python project", [][]string{pytests}},
		{"poetry", map[string]string{"pyproject.toml": "", "poetry.lock": "name = \"pytest\""}, "a Python project", [][]string{append([]string{"poetry run pytest"}, pytests...)}},
		{"tox", map[string]string{"tox.ini": ""}, "a Python project", [][]string{append(append([]string{"tox"}, pytests...), "tox")}},
		{"tox with pytest", map[string]string{"tox.ini": "[pytest]"}, "a Python project", [][]string{append(pytests[:3:3], "tox")}},
		{"django", map[string]string{"manage.py": ""}, "a Python project", [][]string{append(pytests[:3:3], "python3 manage.py test", "python manage.py test")}},
		{"maven", map[string]string{"pom.xml": "", "mvnw": ""}, "a Maven project", [][]string{{"./mvnw -q verify", "mvn -q verify"}}},
		{"gradle", map[string]string{"build.gradle.kts": ""}, "a Gradle project", [][]string{{"gradle check"}}},
		{"rspec", map[string]string{"Gemfile": "", ".rspec": ""}, "a Ruby project", [][]string{{"bundle exec rspec"}}},
		{"rake", map[string]string{"Gemfile": "", "Rakefile": "Rake::TestTask.new"}, "a Ruby project", [][]string{{"bundle exec rake test"}}},
		{"rails", map[string]string{"Gemfile": "", "Rakefile": "", "bin/rails": ""}, "a Ruby project", [][]string{{"bin/rails test"}}},
		{"ruby without tests", map[string]string{"Gemfile": ""}, "a Ruby project", nil},
		{"phpunit", map[string]string{"phpunit.xml.dist": "", "vendor/bin/phpunit*": ""}, "a PHP project", [][]string{{"vendor/bin/phpunit", "phpunit"}}},
		{"composer", map[string]string{"composer.json": `{"scripts": {"test": ["@lint", "pest"]}}`}, "a PHP project", [][]string{{"composer test"}}},
		{"php without tests", map[string]string{"composer.json": `{}`}, "a PHP project", nil},
		{"dotnet", map[string]string{"App.sln": ""}, "a .NET project", [][]string{{"dotnet test"}}},
		{
			"cmake",
			map[string]string{"CMakeLists.txt": "project(x)\nenable_testing()", ".gitignore": "build/"},
			"a CMake project",
			[][]string{{"cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"}},
		},
		{"cmake without tests", map[string]string{"CMakeLists.txt": "project(x)"}, "a CMake project", nil},
		{
			"two at the root",
			map[string]string{"go.mod": "", "package.json": testedPackage},
			"a Go module and a Node package",
			[][]string{{"go vet ./..."}, {"go test ./..."}, {"npm test"}},
		},
		{
			"two folders",
			map[string]string{"api/go.mod": "", "web ui/package.json": testedPackage, "docs/package.json": testedPackage},
			"a Go module in api and a Node package in web ui",
			[][]string{{"cd api && go vet ./..."}, {"cd api && go test ./..."}, {"cd 'web ui' && npm test"}},
		},
		{
			"packages with the lock file of the root",
			map[string]string{"package.json": "{}", "pnpm-workspace.yaml": "", "packages/a/package.json": testedPackage, "packages/b/package.json": "{}"},
			"a Node package and a Node package in packages/a",
			[][]string{{"cd packages/a && pnpm test", "cd packages/a && npm test"}},
		},
		{
			"the root's language below it",
			map[string]string{"go.mod": "", "tools/go.mod": "", "web/package.json": testedPackage},
			"a Go module and a Node package in web",
			[][]string{{"go vet ./..."}, {"go test ./..."}, {"cd web && npm test"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := Inspect(layOut(t, tt.files))
			var got [][]string
			for _, forms := range found.Wanted {
				var lines []string
				for _, c := range forms {
					lines = append(lines, c.Line)
				}
				got = append(got, lines)
			}
			if found.Kind != tt.kind || !reflect.DeepEqual(got, tt.want) || found.Own != nil {
				t.Errorf("it is %q, wanted are %q, want %q, %q", found.Kind, got, tt.kind, tt.want)
			}
		})
	}
}

// A Makefile's test target is the project's own choice, and folders below are left to it.
func TestInspectOwnTarget(t *testing.T) {
	for _, tt := range []struct{ makefile, want string }{
		{"all:\n\ntest: build\n\tgo test\n", "make test"},
		{"lint test: x\n", "make test"},
		{"check:\n\tdiff\n", "make check"},
		{"check:\ntest:\n", "make test"},
	} {
		found := Inspect(layOut(t, map[string]string{"Makefile": tt.makefile, "web/package.json": testedPackage}))
		if found.Own == nil || found.Own.Line != tt.want || len(found.Wanted) != 0 || found.Kind != "a project with a Makefile" {
			t.Errorf("of %q it is %+v", tt.makefile, found)
		}
	}
}

// What a folder is called is never read by a shell.
func TestNestedFolderIsQuoted(t *testing.T) {
	found := Inspect(layOut(t, map[string]string{"$(touch x);/go.mod": ""}))
	if len(found.Wanted) != 2 || found.Wanted[1][0].Line != `cd '$(touch x);' && go test ./...` {
		t.Errorf("wanted are %+v", found.Wanted)
	}
	for _, name := range []string{"a\n$(touch x)", "a\x01$(touch x)", "a\xff$(touch x)"} {
		if found := Inspect(layOut(t, map[string]string{name + "/go.mod": "", "go.work": "use " + name})); len(found.Wanted) != 0 {
			t.Errorf("wanted are %+v", found.Wanted)
		}
	}
}
