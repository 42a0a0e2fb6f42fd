// Package detect looks at a repository for the commands that check it, and at the machine for agents.
package detect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/config"
)

// A Project is what a repository looks like.
type Project struct {
	Kind   string   // "a Go module"; "" if it was not recognised
	Checks []string // commands that should pass
	Maybe  []string // commands that may fit
	Notes  []string // what the user should know
}

// Inspect tries the kinds of repository in order: the first that fits decides, but a Makefile's
// test target, which is the project's own choice, wins over all.
func Inspect(dir string) Project {
	r := repository(dir)
	found := r.detectLanguage()
	if r.hasTarget("test") && len(found.Checks) > 0 && found.Checks[0] != "make test" {
		found.Maybe = append(found.Checks, found.Maybe...)
		found.Checks = []string{"make test"}
	}
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

func (r repository) detectLanguage() Project {
	switch {
	case r.has("go.mod"):
		return Project{Kind: "a Go module", Checks: []string{"go vet ./...", "go test ./..."}}
	case r.has("Cargo.toml"):
		return Project{Kind: "a Rust crate", Checks: []string{"cargo test"}, Maybe: []string{"cargo clippy -- -D warnings"}}
	case r.has("package.json"):
		return r.detectNode()
	case r.has("pyproject.toml", "pytest.ini", "setup.py", "setup.cfg", "tox.ini"):
		return r.detectPython()
	case r.has("pom.xml"):
		return Project{Kind: "a Maven project", Checks: []string{r.chooseWrapper("mvnw", "mvn") + " -q verify"}}
	case r.has("build.gradle", "build.gradle.kts"):
		return Project{Kind: "a Gradle project", Checks: []string{r.chooseWrapper("gradlew", "gradle") + " check"}}
	case r.has("Gemfile"):
		return r.detectRuby()
	case r.hasTarget("test"):
		return Project{Kind: "a project with a Makefile", Checks: []string{"make test"}}
	}
	return Project{}
}

// chooseWrapper returns the project's own copy of a build tool, or the tool if it has none.
func (r repository) chooseWrapper(own, tool string) string {
	if r.has(own) {
		return "./" + own
	}
	return tool
}

func (r repository) detectNode() Project {
	var pkg struct {
		Scripts         map[string]string `json:"scripts"`
		DevDependencies map[string]string `json:"devDependencies"`
		Dependencies    map[string]string `json:"dependencies"`
		PackageManager  string            `json:"packageManager"`
	}
	found := Project{Kind: "a Node package"}
	if err := json.Unmarshal([]byte(r.readFile("package.json")), &pkg); err != nil {
		found.Notes = append(found.Notes, "package.json cannot be read: "+err.Error())
		return found
	}
	tool := r.chooseNodeTool(pkg.PackageManager)
	if r.has("tsconfig.json") && (pkg.Dependencies["typescript"] != "" || pkg.DevDependencies["typescript"] != "") {
		found.Checks = append(found.Checks, nodeRunner(tool)+" tsc --noEmit")
	}
	// npm init writes a test script that always fails.
	if test := pkg.Scripts["test"]; test != "" && !strings.Contains(test, "no test specified") {
		found.Checks = append(found.Checks, tool+" test")
	} else {
		found.Notes = append(found.Notes, "package.json has no test script")
	}
	if pkg.Scripts["lint"] != "" {
		found.Maybe = append(found.Maybe, tool+" run lint")
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

func (r repository) detectPython() Project {
	command := "python -m pytest"
	switch {
	case r.has("uv.lock"):
		command = "uv run pytest"
	case r.has("poetry.lock"):
		command = "poetry run pytest"
	case r.has("tox.ini") && !r.has("pytest.ini", "pyproject.toml"):
		command = "tox"
	}
	return Project{Kind: "a Python project", Checks: []string{command}, Maybe: []string{"ruff check ."}}
}

func (r repository) detectRuby() Project {
	command := "bundle exec rake test"
	if r.has("spec", ".rspec") {
		command = "bundle exec rspec"
	}
	return Project{Kind: "a Ruby project", Checks: []string{command}}
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
