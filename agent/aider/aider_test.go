package aider

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
)

// The stand-in reads the prompt where aider does, and leaves behind what aider does.
func TestMain(m *testing.M) {
	agenttest.Main(m, func(b agenttest.Behaviour) error {
		at := slices.Index(os.Args, "--message-file")
		prompt, err := os.ReadFile(os.Args[at+1])
		if err != nil {
			return err
		}
		return b.Act(string(prompt), func(text string) { os.Stdout.WriteString(text) })
	})
}

func build(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, opt Options) *Agent {
	t.Helper()
	return agenttest.Build(t, New, spec, deps, opt)
}

func TestConformance(t *testing.T) {
	agenttest.Run(t, agenttest.Harness{
		ExitEnds: true,
		New: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, b agenttest.Behaviour) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: agenttest.FakeCommand(t, b)})
		},
		Missing: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, name string) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: []string{name}})
		},
	})
}

// run runs a shell script as the program.
func run(t *testing.T, spec mulligan.AgentSpec, turn mulligan.Turn, script string) mulligan.Result {
	t.Helper()
	a := build(t, spec, agent.Deps{Pool: agenttest.Pool(t), Environ: []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}}, Options{Exec: []string{"sh", "-c", script, "aider"}})
	r, err := a.Turn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTurn(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".aider.tags.cache.v3"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := run(t, mulligan.AgentSpec{Model: "one", Args: []string{"--edit-format", "diff"}}, mulligan.Turn{Dir: dir, Number: 1, Prompt: "do it", Model: "two"}, `
		echo "$@" >args; echo "$2" >file; cat "$2" >prompt; ls -A "$(dirname "$2")" >there
		mkdir .aider.tags.cache.v4; echo x >.aider.tags.cache.v4/cache.db
		echo "Applied edit to a.go"
		echo "Tokens: 1.5k sent, 12 received. Cost: \$0.02 message, \$0.02 session."`)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(data))
	}
	if read("prompt") != "do it" || read("there") != promptFile {
		t.Errorf("the prompt is %q, beside %q", read("prompt"), read("there"))
	}
	if _, err := os.Stat(read("file")); !os.IsNotExist(err) {
		t.Errorf("the prompt's file is still there: %v", err)
	}
	for _, want := range []string{"--yes-always", "--no-auto-commits", "--no-gitignore", "--model two", "--edit-format diff"} {
		if !strings.Contains(read("args"), want) {
			t.Errorf("%q is not in %q", want, read("args"))
		}
	}
	if caches := listCaches(dir); len(caches) != 1 || !caches[filepath.Join(dir, ".aider.tags.cache.v3")] {
		t.Errorf("the caches are %v: a new one is removed, and one of the person's stays", caches)
	}
	want := mulligan.Usage{InputTokens: 1500, OutputTokens: 12, CostUSD: 0.02, Turns: 1}
	if r.Ending != mulligan.Finished || r.Usage != want || !strings.HasPrefix(r.Message, "Applied edit") || r.Conversation != "" {
		t.Errorf("the result is %+v", r)
	}
}

// A turn that only answers gets no arguments of the config's, and no repository.
func TestReadOnlyTurn(t *testing.T) {
	r := run(t, mulligan.AgentSpec{Args: []string{"--file", "secret"}}, mulligan.Turn{Dir: t.TempDir(), ReadOnly: true}, `echo "$@"`)
	if !strings.HasSuffix(r.Message, "--chat-mode ask --map-tokens 0 --no-git") || strings.Contains(r.Message, "secret") {
		t.Errorf("it was started with %q", r.Message)
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		out  string
		want mulligan.Usage
	}{
		{"", mulligan.Usage{}},
		{"Tokens: 907 sent, 52 received.\n", mulligan.Usage{InputTokens: 907, OutputTokens: 52, Turns: 1}},
		{
			"Tokens: 2.3k sent, 1.1k received. Cost: $0.0042 message, $0.0042 session.\nsome text\nTokens: 12k sent, 10 received. Cost: $0.03 message, $0.0342 session.",
			mulligan.Usage{InputTokens: 14300, OutputTokens: 1110, CostUSD: 0.0342, Turns: 2},
		},
		{
			"Tokens: 8.5k sent, 2.0k cache write, 5.5k cache hit, 300 received.\nCost: $0.01 message, $0.05 session.\n",
			mulligan.Usage{InputTokens: 8500, CachedTokens: 5500, OutputTokens: 300, CostUSD: 0.01, Turns: 1},
		},
		{"I think Tokens: 5 sent, 5 received.\nTokens: many sent, few received.\nCost: $free message\n", mulligan.Usage{}},
		{strings.Repeat("x", 5000) + "\nTokens: 1 sent, 2 received.\n", mulligan.Usage{InputTokens: 1, OutputTokens: 2, Turns: 1}},
	} {
		for _, size := range []int{1, 7, 10000} {
			var u usageReader
			for chunk := range slices.Chunk([]byte(tt.out), size) {
				u.Write(chunk)
			}
			if got := u.finish(); got != tt.want {
				t.Errorf("in pieces of %d %q is %+v, want %+v", size, tt.out, got, tt.want)
			}
		}
	}
}

func TestTaken(t *testing.T) {
	for arg, want := range map[string]string{"--model=x": "use model", "--yes": "mulligan's to give", "--message": "mulligan's to give", "--read": "", "--edit-format": ""} {
		if got := Taken(arg); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q", arg, got)
		}
	}
}
