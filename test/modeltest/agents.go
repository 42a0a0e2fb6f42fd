package modeltest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mulligan/internal/process/processtest"
)

// programs are the agents that test/agents installs, by name.
var programs = map[string]program{
	"claude": {
		path:    "@anthropic-ai/claude-code-{npm}/claude",
		systems: []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"},
		prepare: prepareClaude,
	},
	"codex": {
		path:    "@openai/codex-{npm}/vendor/{triple}/bin/codex",
		systems: []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"},
		prepare: prepareCodex,
	},
	"opencode": {
		path:    "opencode-{npm}/bin/opencode",
		systems: []string{"linux/amd64"}, // the only one that is pinned
		prepare: prepareOpencode,
	},
	"gemini": {
		path:    "@google/gemini-cli/bundle/gemini.js",
		systems: []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"},
		node:    true,
		prepare: prepareGemini,
	},
	"claude-agent-acp": {
		path:    "@agentclientprotocol/claude-agent-acp/dist/index.js",
		systems: []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"},
		node:    true,
		runs:    "claude",
		prepare: prepareClaude,
	},
	"codex-acp": {
		path:    "@agentclientprotocol/codex-acp/dist/index.js",
		systems: []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"},
		node:    true,
		runs:    "codex",
		prepare: prepareCodex,
	},
}

// programVariables are the variables that name the program which another one runs.
var programVariables = map[string]string{"claude": "CLAUDE_CODE_EXECUTABLE", "codex": "CODEX_PATH"}

// A program describes where an installed agent is, and what it needs to talk to a stand-in.
type program struct {
	path    string // below node_modules
	systems []string
	node    bool   // it is JavaScript
	runs    string // the program that it needs
	// prepare writes the program's config below its home, and returns the variables that it
	// needs besides the usual.
	prepare func(home string, s *Server) ([]string, error)
}

// Agent returns the path of an installed agent program. Where it is not installed the test is
// skipped, and fails where CI=true. Agent never takes a program on PATH: that would be a person's
// own, with their credentials.
func Agent(t testing.TB, name string) string {
	t.Helper()
	root, err := findCheckout()
	if err != nil {
		t.Fatal(err)
	}
	path, err := Installed(root, name)
	switch {
	case os.Getenv(processtest.QuickEnv) != "":
		t.Skip("QUICK=1")
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	return path
}

// Env returns the whole environment for an agent program in a test: an empty home, no credentials,
// and the stand-in as its only model.
func Env(t testing.TB, s *Server, name string) []string {
	t.Helper()
	env, err := Environment(t.TempDir(), s, name)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Installed returns the path of an agent program below the checkout's test/agents.
func Installed(root, name string) (string, error) {
	p, ok := programs[name]
	if !ok {
		return "", fmt.Errorf("no agent program %q is installed for tests", name)
	}
	system := runtime.GOOS + "/" + runtime.GOARCH
	if !slices.Contains(p.systems, system) {
		return "", fmt.Errorf("%s: not pinned for %s in test/agents/package.json", name, system)
	}
	below := strings.NewReplacer("{npm}", npmSystem(), "{triple}", targetTriple()).Replace(p.path)
	path := filepath.Join(root, "test", "agents", "node_modules", filepath.FromSlash(below))
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s: not installed: run make agents (%w)", name, err)
	}
	if p.node {
		if _, err := findNode(root); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	if p.runs != "" {
		if _, err := Installed(root, p.runs); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	return path, nil
}

// npmSystem returns the name that npm packages have for this system.
func npmSystem() string {
	return runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
}

// targetTriple returns the name that Rust programs have for this system.
func targetTriple() string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if runtime.GOOS == "darwin" {
		return arch + "-apple-darwin"
	}
	return arch + "-unknown-linux-musl"
}

// findCheckout returns the root of the repository that the running test is of.
func findCheckout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module mulligan\n") {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no checkout of mulligan above the working folder")
		}
		dir = parent
	}
}
