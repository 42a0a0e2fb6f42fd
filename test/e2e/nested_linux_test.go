package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// triesBoth writes the answer, and a file in the home that only a sandbox keeps it from.
const triesBoth = `echo x >"$HOME/planted"; echo right >answer; echo it-is-made`

// TestCodexInItsOwnSandbox: with permissions: edits Codex runs commands in a sandbox of its own. By default nothing else
// confines it then; inside of bubblewrap its own works too.
func TestCodexInItsOwnSandbox(t *testing.T) {
	for _, tt := range []struct{ sandbox, confined string }{{"auto", ""}, {process.Bwrap, process.Bwrap}} {
		t.Run(tt.sandbox, func(t *testing.T) {
			moveOutOfTmp(t)
			if _, err := process.Find("bwrap", "/", os.Environ()); err != nil && tt.sandbox == process.Bwrap {
				t.Skip("bubblewrap is not installed")
			}
			s := onStage(t, setup{by: "codex", permissions: "edits", config: "sandbox: " + tt.sandbox + "\n" + oneStep})
			s.play(s.runs(triesBoth).At("Make the answer"), modeltest.Say("It is made.").At("it-is-made"))
			r := s.run(0)
			s.played()
			it := all[mulligan.SessionStarted](r)[0].Plan.Agents["it"]
			if it.Confined != tt.confined || (it.Unconfined == "") != (tt.confined != "") {
				t.Errorf("confined by %q, want %q; not confined because %q", it.Confined, tt.confined, it.Unconfined)
			}
			if s.isPlanted() || s.file("answer") != "right" {
				t.Errorf("planted: %v, answer %q", s.isPlanted(), s.file("answer"))
			}
		})
	}
}

// TestCodexInLandlock is why the two are not put together: there Codex's sandbox runs no command at all.
func TestCodexInLandlock(t *testing.T) {
	moveOutOfTmp(t)
	s := onStage(t, setup{by: "codex"})
	program, err := json.Marshal([]string{
		"sh", "-c", `"$@" 2>&1; true`, "sh", modeltest.Agent(t, s.program), "sandbox", "-c", `sandbox_mode="workspace-write"`, "--", "sh", "-c", triesBoth,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.put("mulligan.yaml", "version: 1\nagent: it\nagents:\n  it: {type: program, exec: "+string(program)+"}\npipelines:\n  default: [{name: make, check: grep -x right answer}]\n")
	s.play()
	s.run(3)
	if said := s.logs(); s.isPlanted() || s.file("answer") != "" || !strings.Contains(said, "bwrap: ") {
		t.Errorf("planted: %v, answer %q: it works now; see Nests in internal/builtin\n%s", s.isPlanted(), s.file("answer"), said)
	}
}

func (s *stage) isPlanted() bool {
	home, _ := process.Lookup(s.env, "HOME")
	_, err := os.Stat(filepath.Join(home, "planted"))
	return err == nil
}
