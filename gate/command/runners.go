package command

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// testRunners are the programs whose count of tests can be read in their output, each with the first
// arguments that make it run tests; without any it always does.
var testRunners = map[string][]string{
	"go": {"test"}, "gotestsum": nil, "cargo": {"test", "t"}, "dotnet": {"test", "vstest"}, "deno": {"test"}, "bun": {"test", "run"},
	"node": {"--test"}, "pytest": nil, "py.test": nil, "jest": nil, "vitest": nil, "mocha": nil, "tap": nil, "tape": nil,
	"rspec": nil, "minitest": nil, "phpunit": nil, "pest": nil, "bats": nil, "prove": nil, "ctest": nil, "gradle": nil, "gradlew": nil,
	"mvn": nil, "mvnw": nil,
}

// launchers start programs that the command does not name: their output tells whose it is.
var launchers = []string{
	"npm", "npx", "yarn", "pnpm", "pnpx", "bunx", "make", "gmake", "ninja", "just", "task", "rake", "tox", "nox", "hatch", "poetry", "pdm",
	"uv", "uvx", "pipenv", "bundle", "composer", "docker", "podman", "bazel", "meson", "cmake", "nx", "turbo", "lerna", "rush", "mage",
	"sh", "bash", "dash", "zsh", "python", "python3", "ruby", "perl", "php", "node", "env", "xvfb-run", "timeout", "time", "nice", "exec", "command", "eval", ".", "source",
}

// CountsTests reports whether a count of tests can be expected in the output of a command: it names a known
// test runner, a program that starts others, or a script.
func CountsTests(command string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return true // another mistake is told about it
	}
	counts := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			counts = counts || callCountsTests(call.Args)
		}
		return !counts
	})
	return counts
}

func callCountsTests(args []*syntax.Word) bool {
	program := args[0].Lit()
	if program == "" || strings.Contains(program, "/") {
		return true // a variable, or a script
	}
	if slices.Contains(launchers, program) {
		return true
	}
	first, known := testRunners[filepath.Base(program)]
	return known && (first == nil || slices.ContainsFunc(args[1:], func(w *syntax.Word) bool { return slices.Contains(first, w.Lit()) }))
}
