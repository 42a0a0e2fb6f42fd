package detect

import (
	"path/filepath"
	"strings"

	"mulligan/internal/usererror"
)

func (f folder) findGo() *part {
	packages := []string{"./..."}
	switch {
	case f.has("go.work"):
		if packages = f.listGoModules(); len(packages) == 0 {
			return nil
		}
	case !f.has("go.mod"):
		return nil
	}
	quoted := make([]string, len(packages))
	for i, p := range packages {
		quoted[i] = usererror.QuotePath(p)
	}
	vet, test := newCommand("go vet "+strings.Join(quoted, " ")), newCommand("go test "+strings.Join(quoted, " "))
	vet.Try = append([]string{"go", "vet"}, packages...)
	test.Try = append([]string{"go", "test", "-run", "^$"}, packages...)
	p := &part{language: "go", kind: "a Go module"}
	if f.has("go.work") {
		p.kind = "a Go workspace"
	}
	p.want(vet)
	p.want(test)
	return p
}

// listGoModules returns the packages of the modules that a go.work uses.
func (f folder) listGoModules() []string {
	var list []string
	inside := false
	for line := range strings.SplitSeq(f.readFile("go.work"), "\n") {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "use" && words[1] == "(":
			inside = true
		case len(words) == 1 && words[0] == ")":
			inside = false
		case len(words) == 2 && words[0] == "use", inside && len(words) == 1:
			dir := strings.Trim(words[len(words)-1], `"`)
			if !filepath.IsLocal(dir) || !isPrintable(dir) || !f.has(filepath.Join(dir, "go.mod")) {
				continue
			}
			if dir = filepath.ToSlash(filepath.Clean(dir)); dir == "." {
				list = append(list, "./...")
			} else {
				list = append(list, "./"+dir+"/...")
			}
		}
	}
	return list
}

// findRust finds a crate. Its harmless form writes neither a lock file nor a folder of its own into the
// repository.
func (f folder) findRust() *part {
	if !f.has("Cargo.toml") {
		return nil
	}
	p := &part{language: "rust", kind: "a Rust crate"}
	line := "cargo test"
	if f.mentions("[workspace]", "Cargo.toml") {
		p.kind, line = "a Rust workspace", "cargo test --workspace"
	}
	test := newCommand(line)
	test.Try = []string{"cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"}
	if f.has("Cargo.lock") {
		test.Try = append(strings.Fields(line), "--no-run", "--locked")
		if !f.has("target") {
			test.TempVar = "CARGO_TARGET_DIR"
		}
	}
	p.want(test)
	p.maybe = append(p.maybe, Command{Line: "cargo clippy -- -D warnings", Needs: []string{"cargo", "cargo-clippy"}})
	return p
}

func (f folder) findMaven() *part {
	if !f.has("pom.xml") {
		return nil
	}
	p := &part{language: "java", kind: "a Maven project"}
	p.want(f.chooseWrapper("mvnw", "mvn", "-q verify")...)
	return p
}

func (f folder) findGradle() *part {
	if !f.has("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts") {
		return nil
	}
	p := &part{language: "java", kind: "a Gradle project"}
	p.want(f.chooseWrapper("gradlew", "gradle", "check")...)
	return p
}

// chooseWrapper returns the command with the project's own copy of a build tool, if it has one, and with
// the tool.
func (f folder) chooseWrapper(own, tool, args string) []Command {
	var forms []Command
	if f.has(own) {
		forms = append(forms, newCommand("./"+own+" "+args))
	}
	return append(forms, newCommand(tool+" "+args))
}

func (f folder) findDotnet() *part {
	if !f.hasMatch("*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj") {
		return nil
	}
	p := &part{language: "dotnet", kind: "a .NET project"}
	p.want(newCommand("dotnet test"))
	return p
}

// findCMake finds a project whose CMakeLists.txt has tests. One that has none has no command to offer.
func (f folder) findCMake() *part {
	if !f.has("CMakeLists.txt") {
		return nil
	}
	p := &part{language: "cmake", kind: "a CMake project"}
	text := strings.ToLower(f.readFile("CMakeLists.txt"))
	if !strings.Contains(text, "enable_testing") && !strings.Contains(text, "include(ctest)") && !strings.Contains(text, "add_test") {
		p.notes = append(p.notes, "CMakeLists.txt has no enable_testing()")
		return p
	}
	p.want(Command{
		Line:  "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
		Needs: []string{"cmake", "ctest"},
	})
	if !f.top().mentions("build", ".gitignore") && !f.mentions("build", ".gitignore") {
		p.notes = append(p.notes, "the check builds in build/: put it into .gitignore, or it will be committed")
	}
	return p
}
