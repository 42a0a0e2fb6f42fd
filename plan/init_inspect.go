package plan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/config"
)

// findings are what a repository looks like.
type findings struct {
	kind   string
	checks []string // commands that should pass; at least one
	maybe  []string // commands that may fit
	notes  []string
}

// inspectRepository tries the kinds of repository in order: the first that fits decides, but a Makefile's
// test target, which is the project's own choice, wins over all.
func inspectRepository(dir string) findings {
	r := repository(dir)
	found := r.detectLanguage()
	if r.hasTarget("test") && len(found.checks) > 0 && found.checks[0] != "make test" {
		found.maybe = append(found.checks, found.maybe...)
		found.checks = []string{"make test"}
	}
	if len(found.checks) == 0 {
		found.checks = []string{"./run-tests.sh"}
		found.maybe = nil
		found.notes = append(found.notes, "no test command was recognised: put yours under check: in mulligan.yaml, in place of ./run-tests.sh")
	}
	found.notes = append(found.notes, "put your agent's command under agents: in mulligan.yaml, in place of my-agent")
	return found
}

type repository string

func (r repository) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(string(r), name))
		return err == nil
	})
}

// readFile returns the text of a file, or "" if it cannot be read: it serves a guess at what fits.
func (r repository) readFile(name string) string {
	data, _ := config.ReadFile(filepath.Join(string(r), name))
	return string(data)
}

func (r repository) detectLanguage() findings {
	switch {
	case r.has("go.mod"):
		return findings{kind: "a Go module", checks: []string{"go vet ./...", "go test ./..."}}
	case r.has("Cargo.toml"):
		return findings{kind: "a Rust crate", checks: []string{"cargo test"}, maybe: []string{"cargo clippy -- -D warnings"}}
	case r.has("package.json"):
		return r.detectNode()
	case r.has("pyproject.toml", "pytest.ini", "setup.py", "setup.cfg", "tox.ini"):
		return r.detectPython()
	case r.has("pom.xml"):
		return findings{kind: "a Maven project", checks: []string{r.chooseWrapper("mvnw", "mvn") + " -q verify"}}
	case r.has("build.gradle", "build.gradle.kts"):
		return findings{kind: "a Gradle project", checks: []string{r.chooseWrapper("gradlew", "gradle") + " check"}}
	case r.has("Gemfile"):
		return r.detectRuby()
	case r.hasTarget("test"):
		return findings{kind: "a project with a Makefile", checks: []string{"make test"}}
	}
	return findings{}
}

// chooseWrapper returns the project's own copy of a build tool, or the tool if it has none.
func (r repository) chooseWrapper(own, tool string) string {
	if r.has(own) {
		return "./" + own
	}
	return tool
}

func (r repository) detectNode() findings {
	var pkg struct {
		Scripts         map[string]string `json:"scripts"`
		DevDependencies map[string]string `json:"devDependencies"`
		Dependencies    map[string]string `json:"dependencies"`
		PackageManager  string            `json:"packageManager"`
	}
	found := findings{kind: "a Node package"}
	if err := json.Unmarshal([]byte(r.readFile("package.json")), &pkg); err != nil {
		found.notes = append(found.notes, "package.json cannot be read: "+err.Error())
		return found
	}
	tool := r.chooseNodeTool(pkg.PackageManager)
	if r.has("tsconfig.json") && (pkg.Dependencies["typescript"] != "" || pkg.DevDependencies["typescript"] != "") {
		found.checks = append(found.checks, nodeRunner(tool)+" tsc --noEmit")
	}
	// npm init writes a test script that always fails.
	if test := pkg.Scripts["test"]; test != "" && !strings.Contains(test, "no test specified") {
		found.checks = append(found.checks, tool+" test")
	} else {
		found.notes = append(found.notes, "package.json has no test script")
	}
	if pkg.Scripts["lint"] != "" {
		found.maybe = append(found.maybe, tool+" run lint")
	}
	return found
}

func (r repository) chooseNodeTool(declared string) string {
	name, _, _ := strings.Cut(declared, "@")
	switch {
	case name == "pnpm" || name == "yarn" || name == "bun":
	case r.has("pnpm-lock.yaml"):
		name = "pnpm"
	case r.has("yarn.lock"):
		name = "yarn"
	case r.has("bun.lockb", "bun.lock"):
		name = "bun"
	default:
		name = "npm"
	}
	if name == "bun" {
		return "bun run" // bun test is its own runner, not the script
	}
	return name
}

// nodeRunner returns the command that runs a package's own program with the package manager.
func nodeRunner(tool string) string {
	return map[string]string{"npm": "npx", "pnpm": "pnpm exec", "yarn": "yarn", "bun run": "bunx"}[tool]
}

func (r repository) detectPython() findings {
	command := "python -m pytest"
	switch {
	case r.has("uv.lock"):
		command = "uv run pytest"
	case r.has("poetry.lock"):
		command = "poetry run pytest"
	case r.has("tox.ini") && !r.has("pytest.ini", "pyproject.toml"):
		command = "tox"
	}
	return findings{kind: "a Python project", checks: []string{command}, maybe: []string{"ruff check ."}}
}

func (r repository) detectRuby() findings {
	command := "bundle exec rake test"
	if r.has("spec", ".rspec") {
		command = "bundle exec rspec"
	}
	return findings{kind: "a Ruby project", checks: []string{command}}
}

// hasTarget reports whether a Makefile has a target of that name.
func (r repository) hasTarget(name string) bool {
	for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} {
		for line := range strings.SplitSeq(r.readFile(file), "\n") {
			names, rest, found := strings.Cut(line, ":")
			if !found || strings.HasPrefix(line, "\t") || strings.HasPrefix(rest, "=") {
				continue
			}
			if slices.Contains(strings.Fields(names), name) {
				return true
			}
		}
	}
	return false
}
