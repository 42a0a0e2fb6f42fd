package detect

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan/internal/process/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }

// find finds the checks of a repository on a machine that has the given programs and sh alone.
func find(t *testing.T, files, programs map[string]string) (Found, string) {
	t.Helper()
	bin := map[string]string{}
	for name, script := range programs {
		bin[name+"*"] = "#!/bin/sh\n" + script + "\n"
	}
	path := layOut(t, bin)
	dir := layOut(t, files)
	found, err := FindWith(t.Context(), processtest.Pool(t), dir, []string{"PATH=" + path, "LOG=" + filepath.Join(path, "log"), "HOME=" + path})
	if err != nil {
		t.Fatal(err)
	}
	log, _ := os.ReadFile(filepath.Join(path, "log"))
	return found, string(log)
}

// logged is a program that notes how it was started.
const logged = `echo "${0##*/} $*" >>"$LOG"`

func TestFind(t *testing.T) {
	python := map[string]string{"pyproject.toml": "", "tests/test_a.py": "import unittest"}
	const lacksPytest = logged + `; case "$*" in *pytest*) echo "No module named pytest" >&2; exit 1;; esac`
	for _, tt := range []struct {
		name            string
		files, programs map[string]string
		want            []string
		state           State
		ran             string // what was started
	}{
		{"nothing", nil, nil, nil, "", ""},
		{
			"go",
			map[string]string{"go.mod": ""},
			map[string]string{"go": logged},
			[]string{"go vet ./...", "go test ./..."},
			Passes, "go version\ngo vet ./...\ngo version\ngo test -run ^$ ./...\n",
		},
		{"go that fails", map[string]string{"go.mod": ""}, map[string]string{"go": `test "$1" = version`}, []string{"go vet ./...", "go test ./..."}, Fails, ""},
		{"a shim of go that has none behind it", map[string]string{"go.mod": ""}, map[string]string{"go": "exit 1"}, nil, "", ""},
		{"no go", map[string]string{"go.mod": ""}, nil, nil, "", ""},
		{"pytest alone", python, map[string]string{"pytest": logged, "python3": lacksPytest}, []string{"pytest"}, Passes, "pytest --version\npytest --collect-only -q -p no:cacheprovider\n"},
		{"python3 -m pytest alone", python, map[string]string{"python3": logged}, []string{"python3 -m pytest"}, Passes, ""},
		{"a shim that has none behind it", python, map[string]string{"pytest": "exit 127", "python": logged}, []string{"python -m pytest"}, Passes, ""},
		{"the form that passes", python, map[string]string{"pytest": `case "$*" in *collect*) exit 2;; esac`, "python3": logged}, []string{"python3 -m pytest"}, Passes, ""},
		{"the first that starts", python, map[string]string{"pytest": `case "$*" in *collect*) exit 2;; esac`}, []string{"pytest"}, Fails, ""},
		{"no tests yet", python, map[string]string{"pytest": `case "$*" in *collect*) exit 5;; esac`}, []string{"pytest"}, NoTests, ""},
		{"unittest", python, map[string]string{"python3": lacksPytest}, []string{"python3 -m unittest discover -s tests"}, Passes, ""},
		{"no pytest and no unittest", map[string]string{"pyproject.toml": "", "test_a.py": "import pytest"}, map[string]string{"python3": lacksPytest}, nil, "", ""},
		{
			"the project's own environment",
			map[string]string{"setup.py": "", ".venv/bin/python*": "", ".venv/bin/pytest*": "#!/bin/sh\n"},
			map[string]string{"pytest": logged},
			[]string{".venv/bin/pytest"},
			Passes, "",
		},
		{"uv", map[string]string{"uv.lock": "pytest", "pyproject.toml": ""}, map[string]string{"uv": logged, "pytest": logged}, []string{"uv run pytest"}, Resolved, ""},
		{"no uv", map[string]string{"uv.lock": "pytest", "pyproject.toml": ""}, map[string]string{"pytest": logged}, []string{"pytest"}, Passes, ""},
		{"npm", map[string]string{"package.json": testedPackage}, map[string]string{"npm": logged, "node": logged}, []string{"npm test"}, Resolved, ""},
		{"npm whose runner is not installed", map[string]string{"package.json": `{"scripts": {"test": "jest"}}`}, map[string]string{"npm": logged}, nil, "", ""},
		{
			"npm whose runner is installed",
			map[string]string{"package.json": `{"scripts": {"test": "CI=1 jest"}}`, "node_modules/.bin/jest*": ""},
			map[string]string{"npm": logged},
			[]string{"npm test"},
			Resolved, "",
		},
		{"pnpm that is not installed", map[string]string{"package.json": testedPackage, "pnpm-lock.yaml": ""}, map[string]string{"npm": "", "node": ""}, []string{"npm test"}, Resolved, ""},
		{
			"tsc that would be downloaded",
			map[string]string{"package.json": `{"scripts": {"test": "node"}, "dependencies": {"typescript": "5"}}`, "tsconfig.json": ""},
			map[string]string{"npm": "", "node": "", "npx": logged},
			[]string{"npm test"},
			Resolved, "",
		},
		{
			"tsc",
			map[string]string{"package.json": `{"dependencies": {"typescript": "5"}}`, "tsconfig.json": "", "node_modules/.bin/tsc*": ""},
			map[string]string{"npx": logged},
			[]string{"npx --no-install tsc --noEmit"},
			Resolved, "npx --no-install tsc --version\n",
		},
		{"cargo without a lock file", map[string]string{"Cargo.toml": ""}, map[string]string{"cargo": logged}, []string{"cargo test"}, Passes, "cargo --version\ncargo metadata --no-deps --offline --format-version 1\n"},
		{
			"cargo",
			map[string]string{"Cargo.toml": "", "Cargo.lock": ""},
			map[string]string{"cargo": logged},
			[]string{"cargo test"},
			Passes, "cargo --version\ncargo test --no-run --locked\n",
		},
		{"yarn", map[string]string{"package.json": testedPackage, "yarn.lock": ""}, map[string]string{"yarn": logged, "node": ""}, []string{"yarn test"}, Resolved, "yarn --version\n"},
		{"bun", map[string]string{"package.json": testedPackage, "bun.lock": ""}, map[string]string{"bun": logged, "node": ""}, []string{"bun run test"}, Resolved, "bun --version\n"},
		{"deno", map[string]string{"deno.json": "{}"}, map[string]string{"deno": logged}, []string{"deno test"}, Resolved, "deno --version\n"},
		{"poetry", map[string]string{"pyproject.toml": "pytest", "poetry.lock": ""}, map[string]string{"poetry": logged}, []string{"poetry run pytest"}, Resolved, "poetry --version\n"},
		{"tox", map[string]string{"tox.ini": ""}, map[string]string{"tox": logged, "pytest": logged}, []string{"tox"}, Resolved, "tox --version\n"},
		{"tox where no pytest starts", map[string]string{"tox.ini": "[pytest]"}, map[string]string{"tox": logged}, []string{"tox"}, Resolved, "tox --version\n"},
		{"gradle", map[string]string{"build.gradle": "", "gradlew*": "#!/bin/sh\n"}, nil, []string{"./gradlew check"}, Resolved, ""},
		{"bundler", map[string]string{"Gemfile": "", "spec/a_spec.rb": ""}, map[string]string{"bundle": logged}, []string{"bundle exec rspec"}, Resolved, "bundle --version\n"},
		{"a shim of bundler", map[string]string{"Gemfile": "", "spec/a_spec.rb": ""}, map[string]string{"bundle": "exit 1"}, nil, "", ""},
		{"composer", map[string]string{"composer.json": `{"scripts": {"test": "pest"}}`}, map[string]string{"composer": logged}, []string{"composer test"}, Resolved, "composer --version\n"},
		{"no composer", map[string]string{"composer.json": `{"scripts": {"test": "pest"}}`, "vendor/bin/phpunit*": ""}, map[string]string{"php": ""}, []string{"vendor/bin/phpunit"}, Resolved, ""},
		{"dotnet", map[string]string{"a.csproj": ""}, map[string]string{"dotnet": logged}, []string{"dotnet test"}, Resolved, "dotnet --version\n"},
		{
			"cmake",
			map[string]string{"CMakeLists.txt": "enable_testing()"},
			map[string]string{"cmake": logged, "ctest": logged},
			[]string{"cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"},
			Resolved, "",
		},
		{"a wrapper that may not be executed", map[string]string{"pom.xml": "", "mvnw": ""}, map[string]string{"mvn": logged}, []string{"mvn -q verify"}, Resolved, ""},
		{"ctest is missing", map[string]string{"CMakeLists.txt": "enable_testing()"}, map[string]string{"cmake": ""}, nil, "", ""},
		{"make", map[string]string{"Makefile": "test:\n", "go.mod": ""}, map[string]string{"make": logged, "go": logged}, []string{"make test"}, Passes, "make -n test\n"},
		{"make that fails, with a language", map[string]string{"Makefile": "test: gone\n", "go.mod": ""}, map[string]string{"make": "exit 2", "go": ""}, []string{"go vet ./...", "go test ./..."}, Passes, ""},
		{"make that fails", map[string]string{"Makefile": "test: gone\n"}, map[string]string{"make": "exit 2"}, []string{"make test"}, Fails, ""},
		{"no make", map[string]string{"Makefile": "test:\n"}, nil, nil, "", ""},
		{
			"a language without tests beside another",
			map[string]string{"go.mod": "", "pyproject.toml": ""},
			map[string]string{"go": "", "pytest": `case "$*" in *collect*) exit 5;; esac`},
			[]string{"go vet ./...", "go test ./..."},
			Passes, "",
		},
		{"a folder below", map[string]string{"api/go.mod": ""}, map[string]string{"go": `test "${PWD##*/}" = api`}, []string{"cd api && go vet ./...", "cd api && go test ./..."}, Passes, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, ran := find(t, tt.files, tt.programs)
			if !reflect.DeepEqual(found.Lines(), tt.want) {
				t.Errorf("the checks are %q, want %q; those that do not start: %+v", found.Lines(), tt.want, found.Failed)
			}
			for _, c := range found.Checks {
				if c.State != tt.state {
					t.Errorf("%s %s, want %s", c.Line, c.State, tt.state)
				}
			}
			if tt.ran != "" && ran != tt.ran {
				t.Errorf("it started %q, want %q", ran, tt.ran)
			}
		})
	}
}

// Find returns a command that does not start with the reason.
func TestFindTellsWhy(t *testing.T) {
	for _, tt := range []struct {
		files, programs map[string]string
		want            string
	}{
		{map[string]string{"go.mod": ""}, nil, "it does not start: go is not on PATH"},
		{map[string]string{"package.json": `{"scripts": {"test": "jest --ci"}}`}, map[string]string{"npm": ""}, "it does not start: it runs jest, which is not on PATH"},
		{map[string]string{"Makefile": "test:"}, map[string]string{"make": "exit 127"}, "it does not start"},
	} {
		found, _ := find(t, tt.files, tt.programs)
		if len(found.Checks) != 0 || len(found.Failed) == 0 || found.Failed[0].Describe() != tt.want {
			t.Errorf("of %v it is %+v, want %q", tt.files, found, tt.want)
		}
	}
	found, _ := find(t, map[string]string{"go.mod": ""}, map[string]string{"go": "test $1 = version && exit; echo one; printf '\\033[31mit\\033[0m  broke\\n\\n' >&2; exit 1"})
	if got := found.Checks[0].Describe(); !strings.HasPrefix(got, "tried: it starts, and fails now: ") || !strings.HasSuffix(got, " broke") {
		t.Errorf("it is %q", got)
	}
}

// A command that may fit is offered only if its program is there, and is not started.
func TestFindMaybe(t *testing.T) {
	found, ran := find(t, map[string]string{"pyproject.toml": ""}, map[string]string{"pytest": "", "ruff": logged})
	if !reflect.DeepEqual(found.Maybe, []string{"ruff check ."}) || ran != "" {
		t.Errorf("maybe %q, started %q", found.Maybe, ran)
	}
	found, _ = find(t, map[string]string{"pyproject.toml": ""}, map[string]string{"pytest": ""})
	if found.Maybe != nil {
		t.Errorf("maybe %q", found.Maybe)
	}
}

// Trying leaves nothing in the repository.
func TestFindLeavesNothing(t *testing.T) {
	files := map[string]string{"Cargo.toml": "", "Cargo.lock": ""}
	path := layOut(t, map[string]string{"cargo*": "#!/bin/sh\necho x >\"$CARGO_TARGET_DIR/x\"\necho \"$CARGO_TARGET_DIR\" >\"$HOME/where\"\n"})
	dir := layOut(t, files)
	if _, err := FindWith(t.Context(), processtest.Pool(t), dir, []string{"PATH=" + path, "HOME=" + path}); err != nil {
		t.Fatal(err)
	}
	where, err := os.ReadFile(filepath.Join(path, "where"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(strings.TrimSpace(string(where))); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", where, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(files) {
		t.Errorf("the repository has %v, %v", entries, err)
	}
}

// A command that takes long is not waited for, and starts. After the time for all, commands are only looked for.
func TestTryTakesBoundedTime(t *testing.T) {
	path := layOut(t, map[string]string{"make*": "#!/bin/sh\n/bin/sleep 600 & wait\n"})
	slow := trier{pool: processtest.Pool(t), root: t.TempDir(), environ: []string{"PATH=" + path}, limit: 100 * time.Millisecond, until: time.Now().Add(time.Hour)}
	command := Command{Line: "make test", Needs: []string{"make"}, Try: []string{"make", "-n", "test"}}
	if got := slow.try(t.Context(), command); got.State != Slow || !got.Starts() {
		t.Errorf("it is %+v", got)
	}
	late := slow
	late.until = time.Now().Add(-time.Second)
	if got := late.try(t.Context(), command); got.State != Resolved {
		t.Errorf("after the time for all it is %+v", got)
	}
	command.Probe = []string{"make", "--version"}
	if got := slow.try(t.Context(), command); got.State != Missing {
		t.Errorf("a program that does not even tell its version is %+v", got)
	}
}
