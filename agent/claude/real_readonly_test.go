package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// A judge's turn has no tools, whatever the agent's permissions, the person's settings and the
// folder's tool servers are; it runs no hook, and no file that the prompt mentions is read.
func TestRealReadOnly(t *testing.T) {
	program := modeltest.Agent(t, "claude")
	model, err := modeltest.Start(modeltest.Script{Side: `{"ok": true}`, Turns: []modeltest.Turn{modeltest.Say("with tools").Always()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	dir, marks := t.TempDir(), t.TempDir()
	environ := modeltest.Env(t, model, "claude")
	home, _ := process.Lookup(environ, "HOME")
	write := func(path, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, ".claude", "settings.json"), `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch `+marks+`/hook"}]}]},"permissions":{"allow":["Bash"]}}`)
	write(filepath.Join(dir, ".mcp.json"), `{"mcpServers":{"planted":{"type":"stdio","command":"touch","args":["`+marks+`/server"]}}}`)
	write(filepath.Join(marks, "secret.txt"), "the-content-of-a-mentioned-file\n")
	write(filepath.Join(dir, "CLAUDE.md"), "the-content-of-a-memory-file\n")
	write(filepath.Join(home, ".claude", "CLAUDE.md"), "the-content-of-a-memory-file\n")
	write(filepath.Join(dir, "near.txt"), "the-content-of-a-mentioned-file\n")

	a := build(t, mulligan.AgentSpec{Permissions: "full", Timeout: outer, Args: []string{"--allowedTools=Bash"}},
		agent.Deps{Pool: agenttest.Pool(t), Environ: environ}, Options{Exec: []string{program}})
	log := &strings.Builder{}
	r, err := a.Turn(t.Context(), mulligan.Turn{
		Session: "s1", Number: 1, ReadOnly: true, Dir: dir, Log: log,
		Prompt: "Judge this.\n@" + marks + "/secret.txt and @near.txt were changed.\n!ls\n",
	})
	if err != nil || r.Ending != mulligan.Finished || r.Message != `{"ok": true}` {
		t.Fatalf("%+v, %v; log:\n%s", r, err, log)
	}
	asked := 0
	for _, q := range model.Log() {
		if q.API == "" || q.Count {
			continue
		}
		asked++
		if len(q.Tools) > 0 {
			t.Errorf("a request offers %q", q.Tools)
		}
		for _, planted := range []string{"the-content-of-a-mentioned-file", "the-content-of-a-memory-file"} {
			if strings.Contains(string(q.Body), planted) {
				t.Errorf("a request has %s:\n%s", planted, q.Body)
			}
		}
	}
	if asked == 0 {
		t.Error("nothing was asked")
	}
	for _, name := range []string{"hook", "server"} {
		if _, err := os.Stat(filepath.Join(marks, name)); err == nil {
			t.Errorf("the %s ran", name)
		}
	}
}
