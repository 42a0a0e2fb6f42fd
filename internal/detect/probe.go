package detect

import (
	"slices"
	"strings"
)

// versionProbe returns a command that tells whether a program starts, or nil if nothing is known that would do
// so quickly. A file of that name on PATH may be the shim of a version manager, with no program behind it.
func versionProbe(program string) []string {
	switch program {
	case "go":
		return []string{"go", "version"}
	case "bun", "bundle", "cargo", "composer", "deno", "dotnet", "npm", "phpunit", "pnpm", "poetry", "pytest", "python", "python3",
		"rake", "rspec", "tox", "uv", "yarn":
		return []string{program, "--version"}
	}
	return nil
}

// Probe returns a command that tells whether a check starts without running anything of a repository, if it is
// run outside of it. It returns nil if none is known. Only the program that the check begins with counts.
func Probe(check string) []string {
	words := strings.Fields(check)
	if len(words) == 0 {
		return nil
	}
	modules := []string{"coverage", "mypy", "nox", "pytest", "ruff", "tox"}
	if strings.HasPrefix(words[0], "python") && len(words) > 2 && words[1] == "-m" && slices.Contains(modules, words[2]) && versionProbe(words[0]) != nil {
		return []string{words[0], "-m", words[2], "--version"}
	}
	return versionProbe(words[0])
}
