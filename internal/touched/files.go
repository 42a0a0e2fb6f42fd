// Package touched tells what a change does to tests and to what steers them: which files are tests, which
// steer the checks without being tests, and which lines skip a test. It names, and forbids nothing.
package touched

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// testNames are the patterns of file names that test runners look for.
var testNames = []string{
	"*_test.go", "test_*.py", "*_test.py", "conftest.py", "*.test.*", "*.spec.*", "*_spec.rb", "*_test.rb", "test_*.rb", "*.bats",
	"*Test.java", "*Tests.java", "*IT.java", "Test*.java", "*Test.kt", "*Tests.kt", "*Spec.scala", "*Test.scala", "*Test.groovy", "*Spec.groovy",
	"*Test.php", "*Tests.cs", "*Test.cs", "*Tests.swift", "*Test.swift", "*_test.dart", "*_test.exs", "*_test.clj", "*_test.cc", "*_test.cpp", "*_test.c",
	"test_*.c", "*_unittest.cc", "*-test.js", "*_test.js", "*_test.ts", "test-*.js", "*_test.lua", "*_spec.lua", "*.t", "*Spec.hs", "*_test.sh", "test_*.sh",
}

// testFolders are names of folders whose files belong to tests.
var testFolders = []string{"test", "tests", "spec", "specs", "__tests__", "__mocks__", "testdata", "__snapshots__", "e2e"}

// steeringNames are the patterns of names of files that steer how tests and checks run.
var steeringNames = []string{
	"conftest.py", "sitecustomize.py", "usercustomize.py", "pytest.ini", "tox.ini", "noxfile.py", "setup.cfg", "setup.py", "pyproject.toml", ".coveragerc",
	"jest.config.*", "jest.setup.*", "vitest.config.*", "vitest.workspace.*", "vite.config.*", "playwright.config.*", "cypress.config.*", "karma.conf.*", ".mocharc*", "babel.config.*", ".babelrc*",
	"tsconfig*.json", ".npmrc", ".yarnrc*", ".pnpmfile.cjs", "eslint.config.*", ".eslintrc*", ".eslintignore", "biome.json",
	"go.work", "go.mod", "Cargo.toml", "build.rs", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "pom.xml", "build.xml",
	"Makefile", "makefile", "GNUmakefile", "*.mk", "justfile", "Taskfile.y*ml", "CMakeLists.txt", "meson.build", "Rakefile", "Gemfile", ".rspec", "phpunit.xml*", "composer.json",
	"*.csproj", "Directory.Build.props", "mix.exs", ".env", ".env.*", ".envrc", ".golangci.y*ml", "ruff.toml", "mypy.ini", ".flake8", "package.json",
}

// IsTest reports whether a path, with slashes, is that of a test or belongs to tests.
func IsTest(name string) bool {
	folders := strings.Split(name, "/")
	base := folders[len(folders)-1]
	if matchesOne(testNames, base) {
		return true
	}
	for _, folder := range folders[:len(folders)-1] {
		for _, known := range testFolders {
			if folder == known {
				return true
			}
		}
	}
	return false
}

// Steers reports whether a file of that path, with slashes, steers how checks run. Of a package.json only
// some keys do: see SteersPackage.
func Steers(name string) bool {
	return matchesOne(steeringNames, path.Base(name)) || strings.HasPrefix(name, ".cargo/") || strings.HasPrefix(name, ".github/workflows/")
}

func matchesOne(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

// skipMark returns what finds what marks a test as skipped in the known runners.
var skipMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`\b[tb]\.(Skip|SkipNow|Skipf)\(`,                                                                                                                                                                                 // go
		`@pytest\.mark\.(skip|skipif|xfail)\b`, `\bpytest\.(skip|xfail|importorskip)\(`, `\bpytestmark\s*=.*\b(skip|xfail)`, `@(unittest\.)?skip(If|Unless)?\b`, `\bself\.skipTest\(`, `@(unittest\.)?expectedFailure\b`, // python
		`\b(it|test|describe|context|suite|specify|bench)\.(skip|todo|fails|skipIf|failing)\b`, `\b(it|test|describe)\.concurrent\.skip\b`, `^\s*x(it|test|describe|context|specify)(\.\w+)*\(`, `\bthis\.skip\(\)`, `\b(it|test|describe)\.only\b`, `^\s*f(it|describe|context)\(\s*["'\x60]`, // javascript
		`#\[\s*ignore\b`, `#\[cfg_attr\([^)]*ignore`, // rust
		`@(Disabled|Ignore|Ignored)\b`, `\bAssumptions?\.assume`, `\bassumeTrue\(`, // jvm
		`^\s*skip(\s+["']|\s*$)`, `^\s*pending(\s+["']|\s*$)`, `\bxscenario\b`, `,\s*(skip|pending)(:| =>)\s*(true|["'])`, // bats, ruby
		`\[(Fact|Theory)\([^)]*Skip\s*=`, `\[Ignore\b`, `\bAssert\.(Ignore|Inconclusive)\(`, // .net
		`\bmarkTest(Skipped|Incomplete)\(`, `\bXCTSkip`, `@tag :skip`, `\bGTEST_SKIP\(`, `\bDISABLED_\w+`, // php, swift, elixir, googletest
	}, "|"))
})

// AddsSkip reports whether a line of a test file marks a test as skipped, or others by running it alone.
func AddsSkip(line string) bool { return skipMark().MatchString(line) }

// testMark returns what finds the beginning of a test in the known runners.
var testMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`^func (Test|Benchmark|Fuzz|Example)\w*\(`, `^\s*(async )?def test`, `^\s*(it|test|specify|scenario)(\.\w+)*\(`, `^\s*(it|test|specify)\s+["']`, `^\s*@test\b`, `#\[(\w+::)?test\b`,
		`@(Test|ParameterizedTest|RepeatedTest)\b`, `\[(Fact|Theory|Test|TestMethod)\b`, `^\s*(public )?function test`, `^\s*func test`, `^\s*TEST(_F|_P)?\(`,
	}, "|"))
})

// CountTests returns how many tests a text has, as far as the known runners' marks tell.
func CountTests(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if testMark().MatchString(line) {
			n++
		}
	}
	return n
}
