package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// A judge's turn can neither run a command nor change a file, whatever the agent's permissions and
// the user's config are, and no tool server of theirs is started.
func TestRealReadOnly(t *testing.T) {
	marks := t.TempDir()
	s := newStage(t, modeltest.Script{Side: "{\"ok\": true}", Turns: []modeltest.Turn{
		exec("touch " + marks + "/command").At("judge this"),
		patch("written.txt", "by the judge"),
		modeltest.Say(`{"ok": true}`).Always(),
	}}, func(_ *mulligan.AgentSpec, deps *agent.Deps, _ *Options) {
		home, _ := process.Lookup(deps.Environ, "CODEX_HOME")
		f, err := os.OpenFile(filepath.Join(home, "config.toml"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString("\n[mcp_servers.\"planted.here\"]\ncommand = \"touch\"\nargs = [\"" + marks + "/server\"]\n"); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.WriteFile(filepath.Join(s.turn.Dir, "AGENTS.md"), []byte("the-content-of-an-instruction-file\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s.turn.Prompt, s.turn.ReadOnly = "judge this: @"+marks+"/x", true
	r := s.take()
	s.ended(r, mulligan.Finished, "")
	if r.Message != `{"ok": true}` {
		t.Errorf("it answered %q", r.Message)
	}
	for _, q := range s.model.Log() {
		if strings.Contains(string(q.Body), "the-content-of-an-instruction-file") {
			t.Error("a request has the content of AGENTS.md")
		}
		for _, name := range q.Tools {
			if strings.Contains(name, "exec") || strings.Contains(name, "shell") || strings.Contains(name, "planted") {
				t.Errorf("a request offers %s", name)
			}
		}
	}
	for _, path := range []string{marks + "/command", marks + "/server", s.turn.Dir + "/written.txt"} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was written", path)
		}
	}
}
